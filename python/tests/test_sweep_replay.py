"""The replay of measured times: nothing is faster than it can be, and limits are named."""

from __future__ import annotations

import runpy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_sweep_store import row
from tilewright.sweeps import cluster
from tilewright.sweeps.store import Store


@pytest.fixture(scope="module")
def tool(checkout):
    return runpy.run_path(str(checkout / "tools" / "replay_sweep.py"))


@given(st.lists(st.floats(0.001, 10), min_size=1, max_size=60), st.integers(1, 20), st.integers(1, 40),
       st.tuples(*[st.floats(0, 0.1)] * 4))  # fmt: skip
def test_no_replay_is_faster_than_its_parts(tool, times, workers, count, costs):
    chunks = tool["chunked"](times, count)
    assert sum(results for _, results in chunks) == len(times)
    found = tool["replay"](chunks, workers, tool["Costs"](*costs))
    slack = 1 + 1e-9
    assert found.work == pytest.approx(sum(times))
    assert found.seconds * slack >= max(sum(times) / workers, max(seconds for seconds, _ in chunks))
    assert found.seconds * slack >= len(chunks) * costs[1]
    assert found.seconds * slack >= len(times) * (costs[2] + costs[3])


def test_one_worker_without_overhead_takes_as_long_as_the_work(tool):
    found = tool["replay"](tool["chunked"]([1.0, 2.0, 3.0], 2), 1, tool["Costs"](0, 0, 0, 0))
    assert found.seconds == 6 and found.limit(1) == "workers"


@pytest.mark.parametrize("costs, limit", [((0, 5, 0, 0), "scheduler"), ((0, 0, 5, 0), "store")])
def test_what_cannot_keep_up_is_named(tool, costs, limit):
    found = tool["replay"](tool["chunked"]([1.0] * 100, 100), 50, tool["Costs"](*costs))
    assert found.limit(50) == limit


def test_it_reads_the_times_of_a_store_and_makes_chunks_as_a_sweep_does(tool, tmp_path):
    with Store(tmp_path / "s.db") as store:
        store.add([row(1), row(2)], [(row(1).key, 0.5), (row(2).key, 0.25)])
    assert sorted(tool["measured_times"](str(tmp_path / "s.db"))) == [0.25, 0.5]
    for workers in (1, 100, 300, 1000, 5000):
        assert tool["chunk_count"](workers) == cluster.chunk_count(workers)
    assert tool["MOST_RESULTS"] == cluster._MOST_TASKS
