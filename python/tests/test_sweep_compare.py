"""Two results of a sweep side by side, and results of a store by their numbers."""

from __future__ import annotations

import json
import sqlite3

import pytest
import tilewright as tw
from tilewright.sweeps import compare
from tilewright.sweeps.store import Store
from tilewright.sweeps.stored import stored_sweep, sweep_of_document

ASKED = {
    "sweep": "pairs", "architecture": "toy_array", "networks": ["ncf"],
    "parameters": {"Array.x": [2, 4], "Buffer.capacity": ["4 KiB", "8 KiB"]},
    "mapspaces": ["pfm", "ruby-s"], "each_layer": "true", "filters": ["MACs >= 1"],
    "options": {"bits": 16},
}  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("compare") / "s.db"
    tw.sweep(ASKED, path)
    return path


@pytest.fixture(scope="module")
def found(file) -> tw.SweepResult:
    with Store(file) as store:
        return stored_sweep(store)


def test_a_stored_sweep_is_the_one_that_was_asked_for(found, file):
    assert found.rows == tw.sweep(ASKED, file).rows
    assert sweep_of_document(found.sweep.document()) == found.sweep


def test_a_store_with_several_sweeps_asks_which(tmp_path):
    small = {"architecture": "toy_array", "networks": ["ncf"], "objectives": ["energy"]}
    for name in ("one", "other"):
        tw.sweep({**small, "sweep": name}, tmp_path / "s.db")
    with Store(tmp_path / "s.db") as store:
        with pytest.raises(tw.InputError, match="2 sweeps .0: one; 1: other"):
            stored_sweep(store)
        assert stored_sweep(store, "1").sweep.name == stored_sweep(store, "other").sweep.name == "other"


def test_a_sweep_that_was_not_finished_is_named_so(tmp_path):
    tw.sweep(ASKED, tmp_path / "s.db")
    with sqlite3.connect(tmp_path / "s.db") as file:
        file.execute("DELETE FROM results WHERE mapspace = 'pfm'")
    file.close()
    with Store(tmp_path / "s.db") as store, pytest.raises(tw.InputError, match="4 of 8 results"):
        stored_sweep(store)


def test_sums_that_were_not_stored_are_made_of_their_layers(tmp_path, found):
    tw.sweep(ASKED, tmp_path / "s.db")
    with sqlite3.connect(tmp_path / "s.db") as file:
        file.execute("DELETE FROM results WHERE kind = 'network'")
    file.close()
    with Store(tmp_path / "s.db") as store:
        assert stored_sweep(store).rows == found.rows


@pytest.mark.parametrize("text, number", [
    ("3", 3), ("Array.x=4, Buffer.capacity=8 KiB, mapspace=ruby-s", 7),
    ("Array.x == 4,Buffer.capacity=4 KiB, mapspace != pfm", 5),
    ("MACs <= 8, Buffer.capacity=8 KiB, mapspace=pfm", 2),
])  # fmt: skip
def test_a_result_is_named_by_its_number_or_by_conditions(found, text, number):
    assert compare.pick(found, text) == number


def test_the_best_of_some_results_is_named_so(found):
    energies = [(row.energy_pj, at) for at, row in enumerate(found.rows) if row.mapspace == "pfm"]
    assert compare.pick(found, "best energy, mapspace=pfm") == min(energies)[1]
    edps = [(row.energy_pj * row.cycles, at) for at, row in enumerate(found.rows)]
    assert compare.pick(found, "best") == min(edps)[1]


@pytest.mark.parametrize("text, complaint", [
    ("8", "there is no result 8; numbers go from 0 to 7"),
    ("Array.x=4", "holds for 4 results; add conditions, or write one of 4, 5, 6, 7"),
    ("Array.x=5", "holds for 0 results; change the conditions"),
    ("Aray.x=4", "did you mean Array.x?"),
    ("best speed", "is no quantity"),
    ("energy <= 5 m", "has no unit of energy"),
])  # fmt: skip
def test_what_names_no_result_is_refused(found, text, complaint):
    with pytest.raises(tw.InputError) as error:
        compare.pick(found, text)
    assert complaint in str(error.value)


def test_the_command_shows_stored_figures_and_where_they_come_from(file, found, run_tool):
    out, err, code = run_tool("compare", str(file), "0", "Array.x=4, Buffer.capacity=4 KiB, mapspace=ruby-s")
    assert (code, err) == (0, "")
    assert out.startswith("A: 0, Array.x=2 Buffer.capacity=4 KiB, ncf, pfm, optimal, edp\nB: 5, ")
    assert "What makes the difference" in out
    out, err, code = run_tool("compare", str(file), "0", "5", "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    for side, number in (("a", 0), ("b", 5)):
        totals, row = document["totals"][side], found.rows[number]
        assert (totals["energy_pj"], totals["cycles"]) == (pytest.approx(row.energy_pj), row.cycles)


def test_results_without_common_layers_have_figures_alone(tmp_path, run_tool):
    path = tmp_path / "s.db"
    other = tmp_path / "other.yaml"
    other.write_text(tw.Network.of("other", [("a", "gemm: m=4 n=2 k=2")]).to_yaml())
    tw.sweep({"architecture": "toy_array", "networks": ["ncf", str(other)],
              "objectives": ["energy"]}, path)  # fmt: skip
    out, _, code = run_tool("compare", str(path), "0", "1")
    assert code == 0 and "energy uJ" in out and "the networks differ" in out
    _, err, code = run_tool("compare", str(path), "0", "1", "--json")
    assert code == 2 and "leave --json out" in err


def test_a_sweep_of_a_store_is_listed_with_numbers(file, run_tool):
    out, _, _ = run_tool("results", str(file), "sweeps")
    assert out.startswith("0: pairs: 4 designs of toy_array, ncf; pfm, ruby-s; optimal; edp")
    out, _, _ = run_tool("results", str(file), "--sweep", "0")
    assert [line.split()[0] for line in out.splitlines()] == ["#", *map(str, range(8))]
