"""Mistakes: the complaints of the command line, all at once, as exceptions."""

from __future__ import annotations

import pickle

import pytest
import tilewright as tw

WORK = "gemm: m=64 n=64 k=64"


def complaints(error: tw.InputError) -> list[str]:
    return [str(problem) for problem in error.problems]


def test_files_with_mistakes_get_the_lines_of_the_command_line(checkout, run_tool):
    cases = sorted((checkout / "tests" / "errors" / "cases").rglob("*.yaml"))
    compared = 0
    for path in cases:
        text = path.read_text(encoding="utf-8", errors="replace")
        if not text.lstrip("#").lstrip().startswith("architecture") and "levels:" not in text:
            continue
        if "mapping" in str(path):
            continue
        _, said, code = run_tool("arch", "show", str(path))
        if code == 0:
            continue
        with pytest.raises(tw.InputError) as caught:
            tw.Architecture.load(path)
        assert complaints(caught.value) == said.splitlines()
        compared += 1
        if compared == 25:
            break
    assert compared > 5


def test_every_problem_of_a_dictionary_is_told_with_its_keys():
    with pytest.raises(tw.InputError) as caught:
        tw.Architecture({"architecture": "mine", "levels": [
            {"memory": "DRAM", "capacity": "64 KX"}, {"compute": "MAC", "enrgy": "1 pJ"}]})  # fmt: skip
    assert [problem.path for problem in caught.value.problems] == [
        "levels[0].capacity",
        "levels[1].enrgy",
    ]
    assert "did you mean energy?" in caught.value.problems[1].hint


@pytest.mark.parametrize(
    "document",
    [{"workload": object()}, {1: 2}, {"gemm": {"m": [[[[[]]]]]}}, {}, {"gemm": None},
     {"workload": float("nan")}, {"workload": "x" * 10, "gemm": {"m": 1e300, "n": 1, "k": 1}}],
)  # fmt: skip
def test_strange_dictionaries_are_refused(document):
    with pytest.raises(tw.InputError):
        tw.Workload(document)


def test_dictionaries_that_hold_themselves_are_refused():
    document: dict = {"workload": "x"}
    document["gemm"] = document
    with pytest.raises(tw.InputError, match="too deep"):
        tw.Workload(document)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mapspace": "foo"}, "--mapspace: foo not in {pfm,pfm-pad,ruby-s,ruby-t,ruby}"),
        ({"mapper": "foo"}, "--mapper: foo not in {optimal,"),
        ({"objective": "foo"}, "--objective: foo not in {edp,energy,latency,ed2p,perf-per-watt,power}"),
        ({"objective": "power"}, "--objective: power is less where a mapping takes longer, so nothing can be proven"),
        ({"objective": "area"}, "--objective: area is that of the architecture"),
        ({"roles": "foo"}, "--roles: foo not in {given,any}"),
        ({"accounting": "foo"}, "--accounting: foo not in {exact,timeloop}"),
        ({"time": "7x"}, "--time: '7x' is no time"),
        ({"time": -1}, "--time: '-1' is no time"),
        ({"memory": "7x"}, "--memory: '7x' is no amount of memory"),
        ({"threads": 0}, "--threads: Value 0 not in range [1 - 1024]"),
        ({"bits": 0}, "--bits: '0' is no width"),
        ({"seed": -1, "mapper": "random"}, "--seed: Value -1 not in range"),
        ({"population": 10}, "--population: means nothing to the optimal mapper"),
        ({"constrain": "Nowhere: M <= 2"}, "--constrain:"),
        ({"rename": "x=y"}, "--rename"),
        ({"flex": "T=nothing"}, "--flex"),
        ({"each_layer": True}, "--each-layer: only the EDP of a network"),
    ],
)
def test_options_are_refused_as_on_the_command_line(options, message):
    with pytest.raises(tw.InputError) as caught:
        tw.map("eyeriss", WORK, **options)
    assert message in str(caught.value)


def test_options_of_a_wrong_type_are_refused():
    with pytest.raises(TypeError, match="time takes a text or a number"):
        tw.map("eyeriss", WORK, time=[1])
    with pytest.raises(TypeError):
        tw.map("eyeriss", WORK, no_such_option=1)
    with pytest.raises(TypeError, match="either a workload or a model"):
        tw.map("eyeriss")
    with pytest.raises(TypeError):
        tw.map(17, WORK)
    with pytest.raises(TypeError, match="progress"):
        tw.map("eyeriss", WORK, progress=3)


def test_names_that_mean_nothing_are_told_together():
    with pytest.raises(tw.InputError) as caught:
        tw.map("eyeris", "gemm: m=0 n=1 k=1")
    assert len(caught.value.problems) == 2


def test_a_mapping_that_does_not_fit_is_infeasible(run_tool, tmp_path):
    levels = {"levels": {"OutRegister": {"loops": ["M 64", "N 64", "K 64"]}}}
    with pytest.raises(tw.Infeasible) as caught:
        tw.evaluate("eyeriss", WORK, levels)
    path = tmp_path / "mapping.yaml"
    path.write_text("levels: {OutRegister: {loops: [M 64, N 64, K 64]}}\n")
    _, said, code = run_tool("eval", "-a", "eyeriss", "-w", WORK, "-m", str(path))
    assert code == 3
    assert list(caught.value.lines) == said.splitlines()


def test_a_space_without_a_mapping_is_infeasible(run_tool):
    rule = "SARows.y: M = 5"
    with pytest.raises(tw.Infeasible) as caught:
        tw.map("eyeriss", WORK, constrain=rule)
    _, said, code = run_tool("map", "-a", "eyeriss", "-w", WORK, "-c", rule)
    assert code == 3
    for line in caught.value.lines:
        assert line in said


def test_exceptions_survive_pickles():
    with pytest.raises(tw.InputError) as caught:
        tw.Workload("gemm: m=0")
    restored = pickle.loads(pickle.dumps(caught.value))
    assert restored.problems == caught.value.problems
    infeasible = tw.Infeasible(["one", "two"])
    assert pickle.loads(pickle.dumps(infeasible)).lines == infeasible.lines


def test_missing_files_are_told():
    with pytest.raises(tw.InputError, match="no such file"):
        tw.Workload("nowhere.yaml")
    with pytest.raises(tw.InputError, match="no such file"):
        tw.Mapping.load("eyeriss", WORK, "nowhere.yaml")
    with pytest.raises(tw.InputError, match="no such file"):
        tw.check("nowhere.json")
