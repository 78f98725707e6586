"""The best design, proven: bounds hold for every design of a box, and the answer is that of
mapping everything."""

from __future__ import annotations

import random
import sys

import pytest
import tilewright as tw
from test_sweeps import CHIP
from tilewright import _native
from tilewright.sweeps.codesign import codesign
from tilewright.sweeps.plan import machines_of
from tilewright.sweeps.read import sweep_of
from tilewright.sweeps.runner import solve_here
from tilewright.sweeps.store import Store

WORK = tw.Network.of("two", [("a", "gemm: m=24 n=32 k=48", 2), ("b", "gemm: m=64 n=8 k=12", 1)])
SPACE = {
    "PEs.x": [2, 4, 8, 16], "PEs.y": [2, 8], "Buffer.capacity": ["1 KiB", "4 KiB", "16 KiB"],
    "Registers.capacity": ["8 B", "16 B", "64 B"],
}  # fmt: skip
FEW = {"PEs.x": [2, 4], "Buffer.capacity": ["1 KiB", "4 KiB"]}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "chip.yaml").write_text(CHIP)
    (tmp_path / "two.yaml").write_text(WORK.to_yaml())
    return tmp_path


def asked(files, **more):
    return sweep_of({"architecture": str(files / "chip.yaml"), "networks": [str(files / "two.yaml")],
                     "parameters": SPACE, **more})  # fmt: skip


@pytest.mark.parametrize("objective, quantity", [
    ("edp", "edp"), ("energy", "energy_pj"), ("latency", "cycles"),
])  # fmt: skip
@pytest.mark.parametrize("mapspace", ["pfm", "ruby-s"])
def test_it_agrees_with_mapping_everything(files, objective, quantity, mapspace):
    sweep = asked(files, objectives=[objective], mapspaces=[mapspace],
                  filters=["area <= 0.1 mm2", "MACs <= 64"])  # fmt: skip
    everything = tw.sweep(sweep)
    least = min(row.energy_pj * row.cycles if quantity == "edp" else getattr(row, quantity)
                for row in everything.rows if row.status == "found")  # fmt: skip
    with Store(":memory:") as store:
        chosen = codesign(sweep, store, solve_here(2))
    assert chosen.proven
    assert chosen.value == pytest.approx(least, rel=1e-6)
    state = chosen.state
    assert state.mapped + state.excluded == state.designs == len(everything)
    assert state.mapped < state.designs / 2


def test_the_bound_of_a_box_holds_for_each_of_its_designs(files):
    machines = machines_of(asked(files))
    chance = random.Random(3)
    checked = 0
    for _ in range(5):
        box = chance.sample(machines, chance.randint(2, 5))
        ideal = tw.Architecture._hold(
            _native.ideal([one.arch._handle for one in box], True))  # fmt: skip
        for mapspace in ("pfm", "ruby-s", "ruby"):
            best = tw.map(ideal, WORK, mapspace=mapspace)
            for one in box:
                try:
                    own = tw.map(one.arch, WORK, mapspace=mapspace)
                except tw.NothingFound:
                    continue
                assert best.edp <= own.edp * (1 + 1e-7)
                checked += 1
    assert checked > 12


def test_answers_are_the_same_with_any_number_of_workers(files):
    found = []
    for workers in (1, 3):
        with Store(":memory:") as store:
            found.append(codesign(asked(files), store, solve_here(workers)))
    assert found[0] == found[1]


def test_several_networks_are_weighed(files):
    (files / "one.yaml").write_text(
        tw.Network.of("one", [("c", "gemm: m=128 n=1 k=64", 1)]).to_yaml())  # fmt: skip
    sweep = asked(files, networks=[str(files / "two.yaml"), str(files / "one.yaml")])
    weights = {"two": 3.0}  # the other counts once
    with Store(":memory:") as store:
        chosen = codesign(sweep, store, solve_here(2), weights)
    best = tw.sweep(sweep).best_overall("edp", {"two": 3.0, "one": 1.0})[0]
    assert chosen.value == pytest.approx(best.mean, rel=1e-6)


@pytest.mark.parametrize("more, words", [
    ({"mapspaces": ["pfm", "ruby-s"]}, "one map-space"),
    ({"sample": {"random": 5}}, "whole space"),
])  # fmt: skip
def test_what_is_no_space_is_refused(files, more, words):
    with Store(":memory:") as store, pytest.raises(tw.InputError, match=words):
        codesign(asked(files, **more), store, solve_here(1))


@pytest.mark.parametrize("more, words", [
    ({"objectives": ["ed2p"]}, "ed2p of a network has no bound"),
    ({"mappers": ["quickflow"]}, "quickflow proves nothing"),
    ({"each_layer": "true"}, "each on its own"),
    ({"parameters": {**FEW, "clock": ["1 GHz", "2 GHz"]}}, "different clocks"),
    ({"parameters": {"Buffer.double_buffered": ["true", "false"]}}, "no two designs differ"),
])  # fmt: skip
def test_a_space_without_bounds_says_so_and_is_mapped_as_a_whole_if_it_is_small(files, more, words):
    sweep = asked(files, **{"parameters": FEW, **more})
    with Store(":memory:") as store:
        chosen = codesign(sweep, store, solve_here(2))
    assert chosen.method == "all" and words in chosen.why
    assert chosen.state.mapped == chosen.state.designs == sum(1 for _ in sweep.designs())
    assert chosen.proven == ("mappers" not in more)
    objective = next(iter(sweep.objectives))
    values = [_native.objective_value(objective, row.energy_pj, row.cycles)
              / (row.clock_hz if "clock" in dict(sweep.parameters) else 1)
              for row in tw.sweep(sweep).rows]  # fmt: skip
    assert chosen.value == pytest.approx(min(values))


def test_optuna_tries_some_designs_of_a_space_without_bounds(files):
    found = []
    for workers in (1, 3):
        with Store(":memory:") as store:
            found.append(codesign(asked(files, objectives=["ed2p"], filters=["MACs <= 64"]), store,
                                  solve_here(workers), trials=24, seed=5))  # fmt: skip
            assert len(store) == 24
    assert found[0] == found[1]
    assert (found[0].method, found[0].proven, found[0].state.mapped) == ("optuna", False, 24)
    assert found[0].state.gap is None


def test_without_optuna_it_says_what_to_install(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with Store(":memory:") as store, pytest.raises(tw.MissingDependency, match="--trials all"):
        codesign(asked(files, objectives=["ed2p"]), store, solve_here(1), trials=5)


def test_designs_that_differ_in_more_than_numbers_are_enumerated(files):
    sweep = asked(files, parameters={"Buffer.double_buffered": ["true", "false"], "PEs.x": [2, 4, 8]})
    with Store(":memory:") as store:
        chosen = codesign(sweep, store, solve_here(2))
    best = tw.sweep(sweep).best("edp")["two"]
    assert chosen.value == pytest.approx(best.energy_pj * best.cycles, rel=1e-6)


def test_no_design_at_all_is_infeasible(files):
    with Store(":memory:") as store, pytest.raises(tw.Infeasible, match="no design passes"):
        codesign(asked(files, filters=["MACs <= 1"]), store, solve_here(1))


def test_the_command_says_what_was_mapped_and_excluded(files, run_tool):
    out, err, code = run_tool("codesign", "-a", str(files / "chip.yaml"), "--model",
                              str(files / "two.yaml"), "--set", "PEs.x=2..16",
                              "--store", str(files / "s.db"))  # fmt: skip
    assert (code, err) == (0, "")
    assert "best design: PEs.x=" in out and "proven: no design is better" in out
    assert "of 15 designs" in out
