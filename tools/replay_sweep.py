#!/usr/bin/env python3
"""Replays the measured times of a store on as many workers as nobody has, to see what is the limit.

usage: tools/replay_sweep.py STORE [--results 1000000] [--workers 1,10,100,1000] [--shards]

Times of results are drawn from those of the store. A chunk waits for the scheduler, which hands
out one after the other; is computed; and waits for the process that collects answers, one chunk
after the other. What these take is given by options, whose defaults were measured
(docs/sweeps_measured.md). Networks and their delays are not in it, nor workers that die.
"""

from __future__ import annotations

import argparse
import heapq
import pathlib
import random
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple


PLAN = 32
MOST_RESULTS = 256  # of a chunk, and below how many chunks there are: sweeps/cluster.py


def chunk_count(workers: int) -> int:
    return max(4 * workers, min(16 * workers, 4000))


class Costs(NamedTuple):
    """What a result or a chunk takes beside the engine, in seconds."""

    plan: float
    """For each result, before anything is handed out."""
    schedule: float
    """For each chunk."""
    collect: float
    """For each result."""
    merge: float
    """For each result, when all are there."""


class Replay(NamedTuple):
    """How a sweep would have gone."""

    seconds: float
    """From the first chunk to the last stored result; planning comes before."""
    work: float
    """Of all workers together."""
    scheduler: float
    """The share of the time in which it was busy."""
    collector: float

    def efficiency(self, workers: int) -> float:
        return self.work / (workers * self.seconds)

    def limit(self, workers: int) -> str:
        if self.efficiency(workers) > 0.9:
            return "workers"
        return max((self.scheduler, "scheduler"), (self.collector, "store"), (0.5, "last chunks"))[1]


def measured_times(path: str) -> list[float]:
    with sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?mode=ro", uri=True) as file:
        return [float(seconds) for (seconds,) in file.execute("SELECT seconds FROM times")]


def chunked(times: Sequence[float], count: int) -> list[tuple[float, int]]:
    """Seconds and results of chunks with equally many results: their costs are not known before."""
    count = max(1, min(count, len(times)))
    edges = [len(times) * number // count for number in range(count + 1)]
    return [(sum(times[a:b]), b - a) for a, b in zip(edges, edges[1:], strict=False)]


def replay(chunks: Sequence[tuple[float, int]], workers: int, costs: Costs) -> Replay:
    """Hands out chunks in order to whichever worker is free first."""
    free = [0.0] * workers
    scheduler = 0.0
    ends: list[tuple[float, int]] = []
    for seconds, results in chunks:
        worker = heapq.heappop(free)
        scheduler = max(scheduler, worker) + costs.schedule
        heapq.heappush(free, scheduler + seconds)
        ends.append((scheduler + seconds, results))
    collector = 0.0
    for end, results in sorted(ends):
        collector = max(collector, end) + results * costs.collect
    total = sum(results for _, results in chunks)
    whole = collector + total * costs.merge
    work = sum(seconds for seconds, _ in chunks)
    return Replay(whole, work, len(chunks) * costs.schedule / whole,
                  total * (costs.collect + costs.merge) / whole)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Replay the measured times of a store.")
    add = parser.add_argument
    add("store")
    add("--results", type=int, default=1_000_000)
    add("--workers", default="1,10,100,300,1000")
    add("--chunks", type=int, help="how many (default: as a sweep makes them)")
    add("--plan-us", type=float, default=PLAN, help=f"for each result (default: {PLAN})")
    add("--schedule-us", type=float, default=2000, help="for each chunk (default: 2000)")
    add("--collect-us", type=float, default=54, help="for each result (default: 54)")
    add("--shards", action="store_true", help="workers store their results, which are merged")
    given = parser.parse_args()
    times = measured_times(given.store)
    if not times:
        parser.error(f"{given.store} has no times: sweep again with a new store")
    drawn = random.Random(1).choices(times, k=given.results)
    collect, merge = (1.6e-6, 2.5e-6) if given.shards else (given.collect_us * 1e-6, 0.0)
    costs = Costs(given.plan_us * 1e-6, given.schedule_us * 1e-6, collect, merge)
    print(f"{len(times)} measured times, mean {1e3 * sum(times) / len(times):.3g} ms, longest "
          f"{1e3 * max(times):.4g} ms; {given.results} results; planned in "
          f"{given.results * costs.plan:.0f} s")  # fmt: skip
    print("workers  chunks  seconds  efficiency  scheduler busy  store busy  limit")
    for workers in (int(word) for word in given.workers.split(",")):
        count = given.chunks or max(chunk_count(workers), given.results // MOST_RESULTS)
        found = replay(chunked(drawn, count), workers, costs)
        print(f"{workers:7}  {count:6}  {found.seconds:7.0f}  {found.efficiency(workers):10.2f}  "
              f"{found.scheduler:14.2f}  {found.collector:10.2f}  {found.limit(workers)}")  # fmt: skip


if __name__ == "__main__":
    main()
