"""Computes what a sweep asks for and the store does not have."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from tilewright import _native
from tilewright._errors import Error, Infeasible, InputError, NothingFound, Problem, failed
from tilewright._values import Architecture, Network, Workload
from tilewright.sweeps.key import MODEL_VERSION, canonical_architecture, canonical_work, key_of
from tilewright.sweeps.spec import Design, Sweep
from tilewright.sweeps.store import Row, Store

_BATCH = 256
_BATCH_SECONDS = 0.5
_JOINT_OBJECTIVE = "edp"
_NO_RULES = _native.Constraints.join([])


class Stopped(Exception):
    """Raised in workers when the sweep is to end."""


class Machine(NamedTuple):
    """A design that was read."""

    design: Design
    arch: Architecture
    canonical: str
    area_um2: float
    macs: int


class Task(NamedTuple):
    """A question to the engine: a layer, or a network as a whole."""

    key: bytes
    machine: Machine
    work: Workload | Network
    label: str
    texts: Mapping[str, str]
    constrain: tuple[str, ...]


class Point(NamedTuple):
    """A design with a network and options: what a row of a sweep's results is."""

    task: Task
    """The network as a whole."""
    parts: tuple[tuple[bytes, int], ...]
    """Layers and how often they occur, if the network is the sum of them; else empty."""


class Progress(NamedTuple):
    """How far a sweep is."""

    points: int
    tasks: int
    done: int
    stored_before: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """By the tasks so far; None before enough of them are done."""
        if self.done < 3:
            return None
        return self.seconds / self.done * (self.tasks - self.done)


def machines_of(sweep: Sweep) -> list[Machine]:
    """The designs that pass the filters. A design that means nothing raises InputError."""
    machines: list[Machine] = []
    for design in sweep.designs():
        arch = design.load()
        machine = Machine(design, arch, "", arch.area_um2, arch.compute_instances)
        numbers = {"area": machine.area_um2, "MACs": float(machine.macs)}
        if all(one.holds(numbers) for one in sweep.filters):
            machines.append(machine._replace(canonical=canonical_architecture(arch)))
    return machines


class Plan:
    """All questions of a sweep, each once."""

    def __init__(self, sweep: Sweep, machines: Sequence[Machine]) -> None:
        self.points: list[Point] = []
        self.tasks: dict[bytes, Task] = {}
        networks = [(work.label, work.load()) for work in sweep.works]
        names = [canonical_work(network) for _, network in networks]
        layers = [
            [(layer.name, layer.workload, canonical_work(layer.workload), layer.count)
             for layer in network.layers]
            for _, network in networks
        ]  # fmt: skip
        for machine in machines:
            for number, (label, network) in enumerate(networks):
                for question in sweep.questions():
                    texts = sweep.texts(*question)
                    key = key_of(machine.canonical, names[number], texts, sweep.constrain)
                    task = Task(key, machine, network, label, texts, sweep.constrain)
                    parts: list[tuple[bytes, int]] = []
                    if not _is_joint(texts):
                        parts = self._parts(task, layers[number])
                    self.points.append(Point(task, tuple(parts)))

    def _parts(
        self, whole: Task, layers: Iterable[tuple[str, Workload, str, int]]
    ) -> list[tuple[bytes, int]]:
        parts: list[tuple[bytes, int]] = []
        texts = {name: text for name, text in whole.texts.items() if name != "each_layer"}
        for name, work, canonical, count in layers:
            key = key_of(whole.machine.canonical, canonical, texts, whole.constrain)
            task = whole._replace(key=key, work=work, texts=texts, label=f"{whole.label}/{name}")
            self.tasks.setdefault(key, task)
            parts.append((key, count))
        return parts

    def missing(self, store: Store) -> tuple[list[Task], int]:
        """The tasks to compute, and how many answers of points are there already."""
        stored = store.find([point.task.key for point in self.points])
        wanted: dict[bytes, Task] = {}
        for point in self.points:
            if point.task.key in stored:
                continue
            if not point.parts:
                wanted.setdefault(point.task.key, point.task)
            for key, _ in point.parts:
                wanted.setdefault(key, self.tasks[key])
        layers = store.find([key for key in wanted])
        return [task for key, task in wanted.items() if key not in layers], len(stored)


def _is_joint(texts: Mapping[str, str]) -> bool:
    """Whether the network's EDP is made small as a whole, and not layer by layer."""
    return texts["objective"] == _JOINT_OBJECTIVE and "each_layer" not in texts


def solve(task: Task, stop: Callable[[], bool] = lambda: False) -> Row:
    """Asks the engine, on the calling thread."""

    def look(_: object) -> None:
        if stop():
            raise Stopped

    texts = {**task.texts, "threads": "1"}
    arch, constrain = task.machine.arch._handle, list(task.constrain)
    if isinstance(task.work, Network):
        whole = _native.map_network(arch, task.work._handle, texts, constrain, _NO_RULES, look)
        if whole.cancelled or whole.interrupted:
            raise Stopped
        if whole.missing:
            return _row(task, failed(*whole.failure()))
        return _row(task, (whole.energy_pj, whole.cycles, whole.value, whole.bound, whole.proven))
    one = _native.map_workload(arch, task.work._handle, texts, constrain, _NO_RULES, look)
    if one.cancelled or one.interrupted:
        raise Stopped
    if not one.found:
        return _row(task, failed(*one.failure()))
    result = one.result()
    bound, proven = one.proof()
    return _row(task, (result.energy_pj, result.cycles, one.value(), bound, proven))


_Answer = tuple[float, int, float, float, bool]


def _row(task: Task, answer: _Answer | BaseException) -> Row:
    machine, texts = task.machine, task.texts
    reason, status = "", "found"
    numbers: tuple[float | None, int | None, float | None, float | None, bool]
    if isinstance(answer, BaseException):
        if not isinstance(answer, NothingFound):
            raise answer
        status = "infeasible" if isinstance(answer, Infeasible) else "nothing found"
        reason, numbers = str(answer), (None, None, None, None, False)
    else:
        numbers = answer
    further = [f"{name}={texts[name]}" for name in sorted(texts)
               if name not in ("mapspace", "mapper", "objective")]  # fmt: skip
    energy, cycles, value, bound, proven = numbers
    return Row(
        task.key, MODEL_VERSION, "network" if isinstance(task.work, Network) else "layer",
        machine.arch.name, machine.design.label, task.label, texts["mapspace"], texts["mapper"],
        texts["objective"], " ".join([*further, *task.constrain]), status, energy, cycles, value,
        bound, proven, machine.area_um2, machine.macs, machine.arch._handle.clock_hz, reason,
    )  # fmt: skip


def sum_of(point: Point, rows: Mapping[bytes, Row]) -> Row:
    """The answer for a network from those for its layers."""
    parts = [(rows[key], count) for key, count in point.parts]
    bad = next((row for row, _ in parts if row.status != "found"), None)
    if bad is not None:
        return _row(point.task, (Infeasible if bad.status == "infeasible" else NothingFound)(
            [bad.reason]))  # fmt: skip
    energy, cycles, bound = 0.0, 0, 0.0
    for row, count in parts:
        energy += count * (row.energy_pj or 0.0)
        cycles += count * (row.cycles or 0)
        bound += count * (row.bound or 0.0)
    objective = point.task.texts["objective"]
    value = {"energy": energy, "latency": float(cycles)}.get(objective)
    if value is None:  # a sum of layers bounds no product
        bound, value = 0.0, _native.objective_value(objective, energy, cycles)
    return _row(point.task, (energy, cycles, value, bound, all(row.proven for row, _ in parts)))


class _Pool:
    """Threads that solve tasks; the engine works outside the lock of the interpreter."""

    def __init__(self, tasks: Iterable[Task], workers: int) -> None:
        self._stop = threading.Event()
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[Row | BaseException] = queue.SimpleQueue()
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
                self.answers.put(solve(task, self._stop.is_set))
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


Solver = Callable[[Sequence[Task], Callable[[Row], None]], None]


def solve_here(workers: int) -> Solver:
    """Solves tasks with threads of this process; answers come one by one."""

    def run(tasks: Sequence[Task], take: Callable[[Row], None]) -> None:
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
        self._rows: list[Row] = []
        self._since = time.monotonic()

    def take(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) >= _BATCH or time.monotonic() - self._since > _BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        rows, self._rows, self._since = self._rows, [], time.monotonic()
        if rows:
            self.store.add(rows)

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
) -> list[Row]:
    """Brings the store up to the sweep; gives a row for each point, in the order of the sweep.

    Ctrl-C stores what was finished and raises KeyboardInterrupt; the same call goes on from there.
    """
    plan = Plan(sweep, machines_of(sweep))
    if not plan.points:
        raise InputError([Problem("no design passes the filters", "widen them", "filters")])
    document = sweep.document()
    store.add_sweep(key_of(document, "", {}, []), sweep.name, document)
    tasks, stored = plan.missing(store)
    start = time.monotonic()
    done = 0
    with Writer(store) as writer:

        def take(row: Row) -> None:
            nonlocal done
            writer.take(row)
            done += 1
            tell(Progress(len(plan.points), len(tasks), done, stored,
                          time.monotonic() - start))  # fmt: skip

        solver(tasks, take)
    return _gather(plan, store)


def _gather(plan: Plan, store: Store) -> list[Row]:
    """The rows of all points; sums of layers are stored, too."""
    found = store.find(list(dict.fromkeys(point.task.key for point in plan.points)))
    sums = [point for point in plan.points if point.parts and point.task.key not in found]
    if sums:
        layers = store.find(list(dict.fromkeys(key for one in sums for key, _ in one.parts)))
        rows = [sum_of(point, layers) for point in sums]
        store.add(rows)
        found.update((row.key, row) for row in rows)
    # Another design may have asked the same question before: its name stays with the answer.
    return [
        found[point.task.key]._replace(
            architecture=point.task.machine.arch.name, design=point.task.machine.design.label,
            work=point.task.label, area_um2=point.task.machine.area_um2,
        )
        for point in plan.points
    ]  # fmt: skip
