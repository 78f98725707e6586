"""How long what is left of a sweep will take."""

from __future__ import annotations

import pytest
import tilewright as tw
from hypothesis import given
from hypothesis import strategies as st
from tilewright.sweeps.expect import Expectation, guess, kind_of
from tilewright.sweeps.plan import Plan, machines_of
from tilewright.sweeps.read import sweep_of
from tilewright.sweeps.runner import run, solve_here
from tilewright.sweeps.store import Store

ASKED = {"architecture": "toy_array", "networks": ["ncf"], "objectives": ["energy"],
         "parameters": {"Array.x": "1..4"}}  # fmt: skip


@pytest.fixture(scope="module")
def tasks():
    sweep = sweep_of(ASKED)
    return list(Plan(sweep, machines_of(sweep)).tasks.values())


def cost_of(task) -> float:
    """Layers differ by a factor of 1,000, designs not at all."""
    return 1000.0 if task.label.endswith("/1") else 1.0


def test_once_every_layer_was_seen_the_time_left_is_that_of_the_rest(tasks):
    layers = len({task.label for task in tasks})
    expected = Expectation(tasks, {})
    assert expected.left(1.0) is None
    busy = 0.0
    for number, task in enumerate(tasks):
        expected.learn(task, cost_of(task))
        busy += cost_of(task)
        left = expected.left(busy / 2)  # two workers
        rest = sum(cost_of(one) for one in tasks[number + 1 :])
        longest = max((cost_of(one) for one in tasks[number + 1 :]), default=0.0)
        if number + 1 >= layers:
            assert left.seconds == pytest.approx(max(rest / 2, longest))
            assert left.known == 1
        else:
            assert left.known < 1


def test_what_an_earlier_run_has_measured_counts(tasks):
    measured = {kind_of(task): [cost_of(task)] for task in tasks}
    expected = Expectation(tasks, measured)
    expected.learn(tasks[0], cost_of(tasks[0]))
    left = expected.left(cost_of(tasks[0]))
    assert left.seconds == pytest.approx(sum(cost_of(task) for task in tasks[1:]))
    assert left.known == 1


@given(st.lists(st.integers(1, 5000), min_size=3, max_size=3), st.sampled_from([2, 3, 5]))
def test_layers_with_more_tilings_are_expected_to_cost_more(sizes, factor):
    m, n, k = sizes
    small, large = (tw.Workload(f"gemm: m={one} n={n} k={k}") for one in (m, m * factor))
    assert guess(small) < guess(large)


def test_a_sweep_says_how_far_it_is_and_the_store_keeps_the_seconds():
    told = []
    with Store(":memory:") as store:
        run(sweep_of(ASKED), store, solve_here(2), told.append)
        layers = [row.key for row in store.rows() if row.kind == "layer"]
        times = store.times(layers)
    assert [now.done for now in told] == list(range(1, len(layers) + 1))
    assert sorted(times) == sorted(layers) and all(seconds > 0 for seconds in times.values())
    assert told[0].seconds_left > 0
