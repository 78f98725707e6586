"""Computes what a sweep asks for and the store does not have."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from tilewright._errors import Error
from tilewright.sweeps.expect import Expectation, Left, kind_of
from tilewright.sweeps.key import key_of
from tilewright.sweeps.plan import BrokenPoint, Plan, Point, Task, read_designs, refuse_nothing
from tilewright.sweeps.solve import Stopped, broken_row, solve, sum_of
from tilewright.sweeps.spec import Sweep
from tilewright.sweeps.store import Row, Store

_BATCH = 256
_BATCH_SECONDS = 0.5
_LOOK_SECONDS = 0.1  # between two estimates of the time left


class Answer(NamedTuple):
    """The answer to a task, and how long it took."""

    key: bytes
    seconds: float
    row: Row | None
    """None if somebody else has stored it already."""


class Progress(NamedTuple):
    """How far a sweep is."""

    points: int
    tasks: int
    done: int
    stored_before: int
    seconds: float
    left: Left | None = None
    """None before anything was measured."""

    @property
    def seconds_left(self) -> float | None:
        """By what tasks of the same kind have taken."""
        return None if self.left is None else self.left.seconds


def timed(task: Task, stop: Callable[[], bool] = lambda: False) -> Answer:
    """Solves a task, and says how long it took."""
    start = time.monotonic()
    row = solve(task, stop)
    return Answer(task.key, time.monotonic() - start, row)


def add_answers(store: Store, answers: Iterable[Answer]) -> None:
    """Stores those that nobody has stored yet."""
    here = [(answer, answer.row) for answer in answers if answer.row is not None]
    if here:
        store.add([row for _, row in here], [(one.key, one.seconds) for one, _ in here])


class _Pool:
    """Threads that solve tasks; the engine works outside the lock of the interpreter."""

    def __init__(self, tasks: Iterable[Task], workers: int) -> None:
        self._stop = threading.Event()
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
        for task in tasks:
            self._tasks.put(task)
        for _ in range(workers):
            self._tasks.put(None)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while not self._stop.is_set():
            task = self._tasks.get()
            if task is None:
                return
            try:
                self.answers.put(timed(task, self._stop.is_set))
            except Stopped:
                return
            except BaseException as error:
                self.answers.put(error)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def default_workers() -> int:
    """One for each core that this process may use."""
    return len(os.sched_getaffinity(0))


Take = Callable[[Answer], None]
Solver = Callable[[Sequence[Task], Take], None]
"""Solves tasks in any order, and hands over each answer once."""


def solve_here(workers: int) -> Solver:
    """Solves tasks with threads of this process; answers come one by one."""

    def run(tasks: Sequence[Task], take: Take) -> None:
        pool = _Pool(tasks, max(1, min(workers, len(tasks))))
        try:
            for _ in tasks:
                answer = pool.answers.get()
                if isinstance(answer, BaseException):
                    raise answer
                take(answer)
        finally:
            pool.stop()

    return run


class Writer:
    """Stores answers in batches, and what is left when it ends."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._answers: list[Answer] = []
        self._since = time.monotonic()

    def take(self, answer: Answer) -> None:
        self._answers.append(answer)
        if len(self._answers) >= _BATCH or time.monotonic() - self._since > _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        answers, self._answers, self._since = self._answers, [], time.monotonic()
        add_answers(self.store, answers)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or not issubclass(kind, Error):
            self.flush()


def run(
    sweep: Sweep,
    store: Store,
    solver: Solver,
    tell: Callable[[Progress], None] = lambda _: None,
    finish: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Brings the store up to the sweep; gives a row for each point, in the order of the sweep.
    ``finish`` brings in what the solver has stored elsewhere.

    Ctrl-C stores what was finished and raises KeyboardInterrupt; the same call goes on from there.
    """
    designs = read_designs(sweep)
    refuse_nothing(designs)
    plan = Plan(sweep, designs)
    document = sweep.document()
    store.add_sweep(key_of(document, "", {}, []), sweep.name, document)
    tasks, stored = plan.missing(store)
    with Writer(store) as writer:
        teller = _Teller(plan, tasks, stored, store, tell)

        def take(answer: Answer) -> None:
            writer.take(answer)
            teller.take(answer)

        solver(tasks, take)
    finish()
    return gather(plan, store)


class _Teller:
    """Says how far a sweep is."""

    def __init__(
        self, plan: Plan, tasks: Sequence[Task], stored: int, store: Store,
        tell: Callable[[Progress], None],
    ) -> None:  # fmt: skip
        self._tasks = {task.key: task for task in tasks}
        self._expected = Expectation(tasks, _measured(plan, store))
        self._tell = tell
        self._now = Progress(len(plan.points), len(tasks), 0, stored, 0.0)
        self._start = time.monotonic()
        self._looked = 0.0

    def take(self, answer: Answer) -> None:
        self._expected.learn(self._tasks[answer.key], answer.seconds)
        seconds = time.monotonic() - self._start
        left = self._now.left
        if left is None or seconds - self._looked > _LOOK_SECONDS:
            left, self._looked = self._expected.left(seconds), seconds
        self._now = self._now._replace(done=self._now.done + 1, seconds=seconds, left=left)
        self._tell(self._now)


def _measured(plan: Plan, store: Store) -> Mapping[tuple[str, str, str], list[float]]:
    """What tasks of the sweep took that the store has already."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for key, seconds in store.times(list(plan.tasks)).items():
        found.setdefault(kind_of(plan.tasks[key]), []).append(seconds)
    return found


def gather(plan: Plan, store: Store) -> list[Row]:
    """The rows of all points; sums of layers, and what cannot be built, are stored, too."""
    rows = stored_rows(plan, store)
    found = [row for row in rows if row is not None]
    assert len(found) == len(rows), "a sweep is gathered when all of it is computed"
    before = store.find([row.key for row in found])
    fresh = [row for row in found if row.key not in before]
    if fresh:
        store.add(fresh)
    return [named(point, row) for point, row in zip(plan.points, found, strict=True)]


def stored_rows(plan: Plan, store: Store) -> list[Row | None]:
    """The rows of all points as far as the store has them, or all of their layers."""
    found = store.find(list(dict.fromkeys(_key(point) for point in plan.points)))
    needed = [key for point in plan.points if isinstance(point, Point) and _key(point) not in found
              for key, _ in point.parts]  # fmt: skip
    layers = store.find(list(dict.fromkeys(needed)))

    def row_of(point: Point | BrokenPoint) -> Row | None:
        if _key(point) in found:
            return found[_key(point)]
        if isinstance(point, BrokenPoint):
            return broken_row(point)
        if point.parts and all(key in layers for key, _ in point.parts):
            return sum_of(point, layers)
        return None

    return [row_of(point) for point in plan.points]


def _key(point: Point | BrokenPoint) -> bytes:
    return point.key if isinstance(point, BrokenPoint) else point.task.key


def named(point: Point | BrokenPoint, row: Row) -> Row:
    """Another design may have asked the same question before: its name stays with the answer."""
    if isinstance(point, BrokenPoint):
        return row
    machine = point.task.machine
    return row._replace(architecture=machine.arch.name, design=machine.design.label,
                        work=point.task.label, area_um2=machine.area_um2)  # fmt: skip
