"""Map-spaces, evaluators and arrays of mappings."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tilewright as tw

WORK = "gemm: m=16 n=12 k=8"


@pytest.fixture(scope="module", params=["pfm", "ruby-s", "ruby"])
def space(request):
    return tw.space("eyeriss", WORK, mapspace=request.param)


def test_samples_are_in_the_space_and_repeat(space):
    some = space.sample(20, seed=3)
    assert len(some) == 20
    assert all(one in space for one in some)
    assert np.array_equal(some.rows, space.sample(20, seed=3).rows)
    assert not np.array_equal(some.rows, space.sample(20, seed=4).rows)
    assert len(space.sample(0)) == 0
    assert [one.to_row() for one in some[:3]] == some.rows[:3].tolist()


def test_mappings_have_numbers(space):
    assert space[0] in space
    assert space[-1] == space[space.size - 1]
    for wrong in (space.size, -space.size - 1):
        with pytest.raises(IndexError):
            space[wrong]


def test_neighbours_are_in_the_space(space):
    first = space.sample(1, seed=5)[0]
    around = space.neighbours(first)
    assert len(around) > 3
    assert all(one in space and one != first for one in around)
    assert len({tuple(row) for row in around.rows.tolist()}) == len(around)
    assert space.neighbour(first, seed=1) in set(around)
    assert space.neighbour(first, seed=1) == space.neighbour(first, seed=1)
    assert space.neighbour(first) in set(around)


def test_a_mapping_of_another_space_is_not_in_this_one():
    perfect = tw.space("eyeriss", WORK)
    uneven = tw.space("eyeriss", WORK, mapspace="ruby")
    outside = [one for one in uneven.sample(50) if one not in perfect]
    assert outside
    assert any("remainder" in reason for reason in perfect.why_not(outside[0]))
    assert "no mapping" not in perfect


def test_the_optimum_is_in_the_space_and_no_sample_is_better():
    space, cost = tw.space("eyeriss", WORK), tw.Evaluator("eyeriss", WORK)
    best = tw.map("eyeriss", WORK)
    assert best.mapping in space
    score = cost(best.mapping)
    assert score.fits and (score.energy_pj, score.cycles) == (best.energy_pj, best.cycles)
    assert cost.scores(space.sample(20_000)).edp.min() >= best.edp * (1 - 1e-12)


def test_scores_of_arrays_are_those_of_single_mappings(space):
    cost = tw.Evaluator("eyeriss", WORK)
    some = space.sample(300, seed=9)
    scores = cost.scores(some)
    for i in range(0, 300, 7):
        one = cost(some[i])
        assert (one.fits, one.energy_pj, one.cycles, one.instances) == tuple(
            column[i] for column in scores
        )
        assert one.edp == scores.edp[i]
        assert bool(one.problem) != one.fits
    by_list = cost.scores(list(some)[:5])
    assert np.array_equal(by_list.energy_pj, scores.energy_pj[:5])
    assert cost.scores(some.rows[:0]).energy_pj.shape == (0,)


def test_arrays_of_any_layout_are_taken(space):
    cost = tw.Evaluator("eyeriss", WORK)
    rows = space.sample(50).rows
    expected = cost.scores(rows).energy_pj
    for other in (np.asfortranarray(rows), rows.astype(np.int32), rows[::-1][::-1]):
        assert np.array_equal(cost.scores(other).energy_pj, expected)


def test_a_row_stands_for_its_mapping(space):
    cost = tw.Evaluator("eyeriss", WORK)
    row = space.sample(1).rows[0]
    assert cost.mapping(row) == space.mapping(row)
    assert space.mapping(row).to_row() == row.tolist()
    assert len(space.columns) == len(row) == len(cost.columns)
    assert {"DRAM.M", "SACols.x.M", "DRAM.order.0", "GlobalBuffer.keeps"} <= set(space.columns)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows.__setitem__((7, 0), 0),
        lambda rows: rows.__setitem__((7, 0), -5),
        lambda rows: rows.__setitem__((7, 0), 2**62),
        lambda rows: rows.__setitem__((7, slice(0, None)), 1),
        lambda rows: rows.__setitem__((7, -1), 99),
        lambda rows: rows.__setitem__((7, -1), -1),
        lambda rows: rows.__setitem__((7, -8), 50),
        lambda rows: rows.__setitem__((7, slice(0, None)), -(2**63)),
        lambda rows: rows.__setitem__((7, slice(0, None)), 2**63 - 1),
    ],
)
def test_rows_that_are_no_mapping_are_refused_with_their_number(spoil):
    space, cost = tw.space("eyeriss", WORK), tw.Evaluator("eyeriss", WORK)
    rows = space.sample(10).rows.copy()
    spoil(rows)
    with pytest.raises(tw.InputError, match="row 7: "):
        cost.scores(rows)
    with pytest.raises(tw.InputError):
        space.mapping(rows[7])
    with pytest.raises(tw.InputError):
        cost.mapping(rows[7])


def test_arrays_that_are_none_are_refused():
    cost = tw.Evaluator("eyeriss", WORK)
    width = len(cost.columns)
    for wrong in (np.zeros((3, width)), np.zeros(width, np.int64), np.zeros((2, 2, 2), np.int64)):
        with pytest.raises(tw.InputError, match="whole numbers"):
            cost.scores(wrong)
    with pytest.raises(tw.InputError, match=f"has {width} numbers here, not {width + 1}"):
        cost.scores(np.ones((2, width + 1), np.int64))
    with pytest.raises(tw.InputError, match="numbers here"):
        tw.space("eyeriss", WORK).mapping([1, 2, 3])
    with pytest.raises(ValueError):
        cost.mapping([1, 2, 3])


def test_flexible_architectures_have_no_single_space():
    for ask in (tw.space, tw.Evaluator):
        with pytest.raises(tw.InputError, match="can be set up in many ways"):
            ask("flex_1024", WORK)


def test_spaces_of_flexible_architectures_are_counted_by_setting(run_tool):
    found = tw.flex.space("flex_1024", WORK, flex="P={CK,YX},S=bands(16)", mapspace="pfm")
    data = found.to_dict()
    printed, _, code = run_tool("space", "-a", "flex_1024", "--flex", "P={CK,YX},S=bands(16)",
                                "--mapspace", "pfm", "-w", WORK, "--json")  # fmt: skip
    assert code == 0
    assert json.loads(printed) == data
    assert found.size == sum(int(one["mappings"]) for one in data["settings"])
    assert found.different is not None
    assert 0 < found.different <= found.size
    assert str(found.different)[-3:] in str(found)
    both = tw.flex.space("flex_1024", WORK, flex="P={CK,YX},S=bands(16)", mapspace="pfm", uneven=True)
    assert both.size > found.size
    assert both.to_dict()["among"] == "all mappings, even and uneven"
    with pytest.raises(tw.InputError, match="flexib"):
        tw.flex.space("eyeriss", WORK)
    with pytest.raises(tw.InputError, match="not in"):
        tw.flex.space("flex_1024", WORK, mapspace="pfm-pad")


def test_annealing_comes_close_to_the_optimum():
    """What a student would write."""
    import math
    import random

    chance = random.Random(1)
    space, cost = tw.space("toy_array", WORK), tw.Evaluator("toy_array", WORK)
    now = space.sample(1)[0]
    value = best = cost(now).edp
    for step in range(2000):
        heat = 0.5 * 0.997**step
        after = space.neighbour(now, seed=step)
        then = cost(after).edp
        if then < value or (then < math.inf and chance.random() < math.exp((value - then) / value / heat)):
            now, value = after, then
        best = min(best, value)
    optimum = tw.map("toy_array", WORK).edp
    assert optimum * (1 - 1e-12) <= best <= 1.5 * optimum
