"""Kills sweeps with SIGKILL at many points, resumes each, and compares what the store exports.

usage: python kill_sweeps.py SWEEP FOLDER COUNT

Every sweep is a process that is forked from this one, which has the package loaded already. It is
killed as it is about to run its n-th statement of SQL, within one, at its n-th answer, or from
outside after some time. Prints a line of JSON: how many were killed by each of these, and the
points after which the export was another one.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Callable

from tilewright.sweeps import runner, store
from tilewright.sweeps.read import load_sweep
from tilewright.sweeps.results import csv_text

_STEPS = 20  # of SQLite's machine between two points within a statement
_POINTS = ("statement", "step", "answer", "time")


class Clockwork:
    """Counts what happens in a sweep, and may end the process at a point."""

    def __init__(self, kind: str = "", number: int = -1) -> None:
        self.kind, self.number = kind, number
        self.counts: Counter[str] = Counter()

    def tick(self, kind: str) -> int:
        self.counts[kind] += 1
        if kind == self.kind and self.counts[kind] > self.number:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def connect(self, *words: object, **options: object) -> sqlite3.Connection:
        file = CONNECT(*words, **options)
        file.set_trace_callback(lambda _: self.tick("statement"))
        file.set_progress_handler(lambda: self.tick("step"), _STEPS)
        return file


CONNECT = sqlite3.connect


def sweep_once(file: str, path: pathlib.Path, clockwork: Clockwork) -> float:
    """The sweep, with small batches; gives the seconds that it took."""
    runner._BATCH = 3
    store.sqlite3.connect = clockwork.connect
    start = time.monotonic()
    with store.Store(path) as held:
        runner.run(load_sweep(file), held, runner.solve_here(2), lambda _: clockwork.tick("answer"))
    return time.monotonic() - start


def in_a_process(work: Callable[[], object]) -> tuple[int, str]:
    """Runs something in a process of its own; its exit code, and what it gave."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, json.dumps(work()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        given = pipe.read()
    return os.waitpid(child, 0)[1], given


def killed_after(seconds: float, work: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def export(path: pathlib.Path) -> str:
    with store.Store(path, create=False) as held:
        problems = held.check()
        return f"{problems}\n{csv_text(held.rows())}"


def main(file: str, folder: pathlib.Path, count: int) -> None:
    seconds, counts = 0.0, dict[str, int]()
    for name in ("first.db", "whole.db"):  # the first one warms up
        whole = Clockwork()
        _, given = in_a_process(lambda: [sweep_once(file, folder / name, whole), whole.counts])
        seconds, counts = json.loads(given)
    wanted = export(folder / "whole.db")
    chance = random.Random(count)
    killed: Counter[str] = Counter()
    different: list[str] = []
    for number in range(count):
        path = folder / f"{number}.db"
        kind = _POINTS[number % len(_POINTS)]
        point = chance.random() * (0.7 * seconds if kind == "time" else counts[kind])
        if kind == "time":
            code = killed_after(point, lambda: sweep_once(file, path, Clockwork()))
        else:
            code, _ = in_a_process(lambda: sweep_once(file, path, Clockwork(kind, int(point))))
        killed[kind] += code == signal.SIGKILL
        in_a_process(lambda: sweep_once(file, path, Clockwork()))
        if export(path) != wanted:
            different.append(f"{kind} {point:g}")
        path.unlink()
    print(json.dumps({"killed": killed, "counts": counts, "different": different}))


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]))
