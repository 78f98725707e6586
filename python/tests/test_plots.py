"""Pictures have what they are to show, and can be written."""

from __future__ import annotations

import sys

import pytest
import tilewright as tw

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from tilewright import plot  # noqa: E402

WORK = "gemm: m=64 n=64 k=64"


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def texts_in(axes) -> set[str]:
    return {text.get_text() for text in axes.texts}


def test_energy_has_a_bar_for_each_level_and_all_of_the_energy():
    best = tw.map("eyeriss", WORK)
    axes = plot.energy(best)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "DRAM", "GlobalBuffer", "InRegister", "WRegister", "OutRegister", "compute"]  # fmt: skip
    assert axes.get_xlabel() == "energy (nJ)"
    assert sum(bar.get_width() for bar in axes.patches) * 1e3 == pytest.approx(best.energy_pj)


def test_results_stay_below_the_roof():
    results = [tw.map("eyeriss", f"gemm: m={m} n=64 k=64") for m in (16, 64)]
    axes = plot.roofline(results)
    *points, roof = axes.lines
    assert len(points) == 2
    top = max(roof.get_ydata())
    assert top == 168
    assert all(point.get_ydata()[0] <= top for point in points)
    with pytest.raises(ValueError):
        plot.roofline([])


def test_fronts_have_all_their_points():
    front = tw.pareto("toy_array", WORK)
    axes = plot.pareto(front)
    assert len(axes.lines[0].get_xdata()) == len(front)
    assert len(plot.pareto([front, front]).lines) == 2


def test_utilisation_has_a_bar_for_each_layer():
    found = tw.map("eyeriss", model="alexnet")
    axes = plot.utilisation(found)
    assert len(axes.patches) == 8
    assert axes.patches[0].get_height() == pytest.approx(100 * found[0].utilisation)
    assert len(plot.utilisation([found, found]).patches) == 16


def test_the_nest_names_levels_and_loops():
    best = tw.map("eyeriss", WORK)
    said = texts_in(plot.nest(best))
    assert {"DRAM", "GlobalBuffer", "SACols.x", "for N in 32", "par M in 8"} <= said


def test_the_nest_has_tiles_to_scale_and_who_refills_them():
    best = tw.map("eyeriss", WORK)
    data = best.to_dict()["result"]
    axes = plot.nest(best)
    refills = {f"{held['tensor']} → {memory['level']}" for memory in data["memories"]
               for held in memory["tensors"] if held["refilled_by"]}  # fmt: skip
    assert refills and refills <= texts_in(axes)
    held = next(one for memory in data["memories"] for one in memory["tensors"]
                if one["tile_words"] * 20 < data["tensor_words"][one["tensor"]])  # fmt: skip
    share = held["tile_words"] / data["tensor_words"][held["tensor"]]
    assert f"{held['tensor']}: {held['tile_words']:,} words, {100 * share:.3g} % of it" in texts_in(axes)
    areas = [box.get_width() * box.get_height() / 0.64 for box in axes.patches]
    assert any(area == pytest.approx(share) for area in areas)


@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_pictures_are_written(tmp_path, ending):
    best = tw.map("eyeriss", WORK)
    _, axes = pyplot.subplots()
    assert plot.energy(best, ax=axes) is axes
    path = tmp_path / f"energy.{ending}"
    plot.save(axes, path)
    assert path.stat().st_size > 1000
    if ending == "svg":
        assert "GlobalBuffer" in path.read_text()


def test_pictures_say_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(tw.MissingDependency, match="pip install matplotlib"):
        plot.energy(tw.map("toy_array", WORK))


def test_a_plan_has_its_tree_what_is_live_and_what_leaves():
    chip = {"architecture": "chip", "levels": [
        {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
        {"memory": "Buffer", "capacity": "1024 words", "read": "3 pJ"},
        {"compute": "MAC", "energy": "0.2 pJ"}]}  # fmt: skip
    attention = tw.Cascade("attention", sizes={"tokens": 32, "heads": 2, "head_dim": 8})
    flash = tw.Plan(chip, attention, {"plan": [{"for": ["h 2", "m 4"], "keep": {"K": "h"}, "do": [
        {"for": ["p 4"], "do": ["QK", "AV"]}]}]})  # fmt: skip
    result = tw.evaluate_plan(flash)
    axes = plot.plan(result)
    said = texts_in(axes)
    assert {"for h in 2", "for m in 4", "for p in 4", "QK", "AV", "S: stays on the chip (local)"} <= said
    thirds = tw.Plan(chip, attention, {"plan": [{"for": ["h 2", "m by 12"], "do": ["QK", "AV"]}]})
    assert "for m in 3, by 12" in texts_in(plot.plan(tw.evaluate_plan(thirds)))
    data = result.to_dict()
    # The frame of a bar of live words, and in it a part for each tensor.
    for einsum in data["einsums"]:
        assert f"{einsum['live_words']:,} words, {100 * einsum['live_words'] / 1024:.3g} %" in said
        for tensor in einsum["tensors"]:
            if tensor["outer_words"]:
                assert any(one.startswith(f"{tensor['name']}: {tensor['outer_words']:,} (") for one in said)
    boxes = [patch for patch in axes.patches if patch.get_height() == pytest.approx(0.6)]
    room = max(box.get_width() for box in boxes)
    live = sum(box.get_width() for box in boxes if box.get_width() < room)
    assert live / room * 1024 == pytest.approx(sum(einsum["live_words"] for einsum in data["einsums"]))
    assert any("K: " in one and "kept below the first loop" in one for one in said)


def test_a_plan_has_a_bar_for_each_memory_that_something_stays_in():
    chip = {"architecture": "chip", "levels": [
        {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
        {"memory": "Far", "capacity": "2048 words", "read": "8 pJ"},
        {"memory": "Near", "capacity": "256 words", "read": "1 pJ"},
        {"compute": "MAC", "energy": "0.2 pJ"}]}  # fmt: skip
    attention = tw.Cascade("attention", sizes={"tokens": 32, "heads": 1, "head_dim": 8})
    plan = tw.Plan(chip, attention, {"plan": [{"for": ["m 4", "p 4"], "keep": {"K": 0}, "homes": {"S": "Near"},
                                               "do": ["QK", "AV"]}]})  # fmt: skip
    result = tw.evaluate_plan(plan)
    said = texts_in(plot.plan(result))
    assert "words live in Far of 2,048, Near of 256" in said
    for einsum in result.to_dict()["einsums"]:
        near = einsum["live_elsewhere"][0]
        assert near["memory"] == "Near"
        assert f"{near['words']:,} words in Near, {100 * near['words'] / 256:.3g} %" in said
        assert f"{einsum['live_words']:,} words in Far, {100 * einsum['live_words'] / 2048:.3g} %" in said
    assert "S: stays on the chip (local in Near)" in said
