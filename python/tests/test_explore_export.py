"""What the explorer exports: files, commands and programs that give what it shows."""

from __future__ import annotations

import json
import subprocess

import pytest
import tilewright as tw
from explore_questions import EYERISS, WORK, answer_of, made_questions

EDITS = {
    "as it is": {},
    "numbers": {"GlobalBuffer": {"capacity": "9000 words", "read": "3 pJ"}, "SACols": {"x": {"size": 16}}},
    "keys more": {"GlobalBuffer": {"write": "4 pJ", "double_buffered": True}, "clock": "200 MHz"},
    "keys less": {"GlobalBuffer": {"keep": None}},
    "lists": {"GlobalBuffer": {"keep": ["input"]}},
    "another name": {"name": "mine"},
}


def exported(form, edit, **changes):
    arch = EYERISS.value.with_(EDITS[edit]).to_dict()
    return answer_of(made_questions(), "/export", architecture=arch, form=form, **changes)["text"]


def test_exported_architectures_read_back():
    text = exported("yaml", "numbers")
    assert tw.Architecture.from_yaml(text) == EYERISS.value.with_(EDITS["numbers"])


@pytest.mark.parametrize("edit", EDITS)
def test_exported_commands_give_the_same(edit, tool):
    options = {"workload": "alexnet/2", "objective": "energy", "mapspace": "ruby-s", "constraints": "SACols.x: M <= 2"}
    text = exported("command", edit, **options)
    assert text.startswith("tilewright map --arch " + ("-" if edit in ("keys less", "lists", "another name") else "eyeriss"))
    first, newline, rest = text.partition("\n")
    command = first.replace("tilewright", " ".join(tool), 1).replace(" <<", " --json <<") + ("" if newline else " --json")
    done = subprocess.run(["sh", "-c", command + newline + rest], capture_output=True, text=True, check=True)
    arch = EYERISS.value.with_(EDITS[edit]).to_dict()
    shown = answer_of(made_questions(), "/map", architecture=arch, **options)["document"]
    assert json.loads(done.stdout)["result"] == shown["result"]


@pytest.mark.parametrize("edit", EDITS)
def test_exported_programs_give_the_same(edit, capsys):
    options = {"workload": WORK, "objective": "latency", "constraints": "SACols.x: M <= 2"}
    scope = {}
    exec(exported("python", edit, **options), scope)
    assert scope["arch"] == EYERISS.value.with_(EDITS[edit])
    arch = scope["arch"].to_dict()
    shown = answer_of(made_questions(), "/map", architecture=arch, **options)["document"]
    assert scope["best"].to_dict()["result"] == shown["result"]
    assert capsys.readouterr().out == f"{scope['best']}\n"


def test_networks_are_exported_with_their_options():
    options = {"workload": "alexnet", "each_layer": True, "uneven": True}
    assert exported("command", "as it is", **options) == "tilewright map --arch eyeriss --model alexnet --uneven --each-layer"
    assert "tw.map(arch, model='alexnet', uneven=True, each_layer=True)" in exported("python", "as it is", **options)


def test_exported_reports_have_the_command():
    text = exported("report", "numbers")
    assert text.startswith("<!doctype html>")
    assert "GlobalBuffer.read=3 pJ" in text
    assert "problems" in answer_of(made_questions(), "/export", form="poem")
