"""All questions of a sweep: designs that were read, and what is to be mapped on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tilewright._errors import InputError, Problem
from tilewright._values import Architecture, Network, Workload
from tilewright.sweeps.key import canonical_architecture, canonical_work, key_of
from tilewright.sweeps.spec import Design, Sweep
from tilewright.sweeps.store import Store

_JOINT_OBJECTIVE = "edp"
_MOST_REASONS = 3


class Machine(NamedTuple):
    """A design that was read."""

    design: Design
    arch: Architecture
    canonical: str
    area_um2: float
    macs: int


class Broken(NamedTuple):
    """A design whose values make no architecture together, though each does alone."""

    design: Design
    name: str
    """Of the architecture without these values."""
    reason: str


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


class BrokenPoint(NamedTuple):
    """The same for a design that is no architecture."""

    key: bytes
    broken: Broken
    label: str
    texts: Mapping[str, str]
    constrain: tuple[str, ...]


def read_designs(sweep: Sweep) -> list[Machine | Broken]:
    """The designs that pass the filters, and those that are no architecture, in order."""
    found: list[Machine | Broken] = []
    for design in sweep.designs():
        try:
            arch = design.load()
        except InputError as error:
            found.append(_broken(design, error))
            continue
        machine = Machine(design, arch, "", arch.area_um2, arch.compute_instances)
        numbers = {"area": machine.area_um2, "MACs": float(machine.macs)}
        if all(one.holds(numbers) for one in sweep.filters):
            found.append(machine._replace(canonical=canonical_architecture(arch)))
    return found


def _broken(design: Design, error: InputError) -> Broken:
    base = Architecture.load(design.base)
    reason = "; ".join(one.message for one in error.problems)
    return Broken(design, base.name, f"no architecture: {reason}")


def machines_of(sweep: Sweep) -> list[Machine]:
    """The designs that can be mapped."""
    return [one for one in read_designs(sweep) if isinstance(one, Machine)]


def refuse_nothing(found: Sequence[Machine | Broken]) -> None:
    """Raises :class:`InputError` if nothing can be mapped."""
    broken = [one for one in found if isinstance(one, Broken)]
    if len(broken) < len(found):
        return
    if not broken:
        raise InputError([Problem("no design passes the filters", "widen them", "filters")])
    problems = [Problem(f"{one.design.label}: {one.reason}", file="parameters")
                for one in broken[:_MOST_REASONS]]  # fmt: skip
    raise InputError([*problems, Problem(
        f"no design can be mapped: {len(broken)} are no architecture, and no other passes the "
        "filters", "change the values", "parameters")])  # fmt: skip


class Plan:
    """All questions of a sweep, each once."""

    def __init__(self, sweep: Sweep, designs: Sequence[Machine | Broken]) -> None:
        self.points: list[Point | BrokenPoint] = []
        self.tasks: dict[bytes, Task] = {}
        """What is computed: layers, and networks that are one question, by key."""
        self._sweep = sweep
        networks = [(work.label, work.load()) for work in sweep.works]
        self._works = [(label, network, canonical_work(network), _layers(network))
                       for label, network in networks]  # fmt: skip
        for design in designs:
            for number in range(len(self._works)):
                for question in sweep.questions():
                    texts = sweep.texts(*question)
                    if isinstance(design, Broken):
                        self.points.append(self._broken(design, number, texts))
                    else:
                        self.points.append(self._point(design, number, texts))

    def _point(self, machine: Machine, number: int, texts: Mapping[str, str]) -> Point:
        label, network, name, layers = self._works[number]
        key = key_of(machine.canonical, name, texts, self._sweep.constrain)
        task = Task(key, machine, network, label, texts, self._sweep.constrain)
        if _is_joint(texts):
            self.tasks.setdefault(key, task)
            return Point(task, ())
        return Point(task, tuple(self._parts(task, layers)))

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

    def _broken(self, design: Broken, number: int, texts: Mapping[str, str]) -> BrokenPoint:
        label, _, name, _ = self._works[number]
        made_of = f"{design.design.base} {design.design.label}: {design.reason}"
        key = key_of(made_of, name, texts, self._sweep.constrain)
        return BrokenPoint(key, design, label, texts, self._sweep.constrain)

    def missing(self, store: Store) -> tuple[list[Task], int]:
        """The tasks to compute, and how many answers of points are there already."""
        points = [point for point in self.points if isinstance(point, Point)]
        stored = store.find([point.task.key for point in points])
        wanted: dict[bytes, Task] = {}
        for point in points:
            if point.task.key in stored:
                continue
            for key in [key for key, _ in point.parts] or [point.task.key]:
                wanted.setdefault(key, self.tasks[key])
        layers = store.find(list(wanted))
        return [task for key, task in wanted.items() if key not in layers], len(stored)


def _layers(network: Network) -> list[tuple[str, Workload, str, int]]:
    return [(layer.name, layer.workload, canonical_work(layer.workload), layer.count)
            for layer in network.layers]  # fmt: skip


def _is_joint(texts: Mapping[str, str]) -> bool:
    """Whether the network's EDP is made small as a whole, and not layer by layer."""
    return texts["objective"] == _JOINT_OBJECTIVE and "each_layer" not in texts
