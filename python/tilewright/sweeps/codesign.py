"""The best design of a space, proven by bounds on whole boxes of designs.

The bound of a box is the exact optimum of an ideal architecture that is at least as good as
each of its designs (``ideal_of`` of the library, docs/sweeps.md). Boxes are taken in the order of
their bounds and cut in two, until no bound is below the best design that was mapped by more
than 3 in 10^7. Where no bound holds, designs are tried as Optuna proposes them, and nothing is
proven.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tilewright import _native
from tilewright._errors import Infeasible, InputError, Problem
from tilewright._values import Architecture, Network
from tilewright.sweeps.key import canonical_architecture, canonical_work, key_of
from tilewright.sweeps.results import check_weights, weighted_mean
from tilewright.sweeps.plan import Machine, Task, machines_of
from tilewright.sweeps.runner import Answer, Solver, add_answers
from tilewright.sweeps.spec import Design, Sweep
from tilewright.sweeps.store import Row, Store
from tilewright.sweeps.trials import try_designs

OBJECTIVES: Mapping[str, str] = {"edp": "edp", "energy": "energy", "latency": "cycles"}
"""Objectives with bounds of networks, and the quantities that they make small."""
_WAVE = 4  # boxes that are cut at a time, at any number of workers
# Energies of an ideal are sums in another order, and prices of cycles have nine digits.
_SLACK = 1 - 1e-7
# Designs that are as good as the best need not be told apart: bounds of theirs are below it by
# the slack and the rounding of a proof.
_TOLERANCE = 1 - 3e-7


class State(NamedTuple):
    """How far the search is. ``best`` is None until a design was mapped."""

    designs: int
    mapped: int
    boxes: int
    """That were bounded by an ideal architecture."""
    excluded: int
    """Designs that cannot be better than the best."""
    best: float | None
    bound: float

    @property
    def gap(self) -> float | None:
        """How far the best may be above the best of all."""
        if self.best is None or self.bound <= 0:
            return None
        return max(0.0, self.best / self.bound - 1)


class Chosen(NamedTuple):
    """The best design, and what is proven."""

    design: Design
    value: float
    """The weighted geometric mean over all networks."""
    rows: tuple[Row, ...]
    state: State
    proven: bool
    method: str = "bounds"
    """Or ``all``: every design was mapped; or ``optuna``: some were tried."""
    why: str = ""
    """Why no bound holds, if none does."""


class _Box(NamedTuple):
    bound: float
    number: int
    """In the order in which boxes were made: equal bounds are taken by it."""
    members: tuple[int, ...]
    parameter: int
    """That was cut to make it."""


class _Space:
    """Designs, what to map on them, and the questions to the store and the solver."""

    def __init__(
        self, sweep: Sweep, weights: Mapping[str, float] | None, store: Store, solver: Solver
    ) -> None:
        self.sweep, self.store, self.solver = sweep, store, solver
        self.weights = check_weights(weights, [work.label for work in sweep.works])
        self.machines = machines_of(sweep)
        if not self.machines:
            raise Infeasible(["no design passes the filters"])
        self.texts = sweep.texts(*next(iter(sweep.questions())))
        self.works = [(work.label, work.load()) for work in sweep.works]
        self.names = [canonical_work(network) for _, network in self.works]
        self.clocks = {machine.arch._handle.clock_hz for machine in self.machines}
        # The sizes of padded workloads, and shares of all instances, go by the fan-outs.
        self.fanouts_may_differ = self.texts["mapspace"] != "pfm-pad" and "full" not in self.texts

    def coordinates(self, machine: int) -> tuple[int, ...]:
        """The place of a design along each parameter; the architecture itself is the first."""
        design = self.machines[machine].design
        places = [self.sweep.architectures.index(design.base)]
        for (_, values), (_, value) in zip(self.sweep.parameters, design.settings, strict=True):
            places.append(values.index(value))
        return tuple(places)

    def ideal(self, members: Sequence[int]) -> Machine | None:
        handles = [self.machines[member].arch._handle for member in members]
        handle = _native.ideal(handles, self.fanouts_may_differ)
        if handle is None:
            return None
        arch = Architecture._hold(handle)
        first = self.machines[members[0]].design
        design = Design(first.number, first.base, (("box", f"{len(members)} designs"),))
        return Machine(design, arch, canonical_architecture(arch), 0.0, arch.compute_instances)

    def solve(self, machines: Sequence[Machine]) -> list[list[Row]]:
        """The rows of all networks for each machine; what the store has is not computed."""
        tasks = [[self._task(machine, at) for at in range(len(self.works))] for machine in machines]
        wanted = {task.key: task for some in tasks for task in some}
        rows = self.store.find(list(wanted))
        missing = [task for key, task in wanted.items() if key not in rows]
        if missing:
            fresh: list[Answer] = []
            self.solver(missing, fresh.append)
            add_answers(self.store, fresh)
            rows.update((one.key, one.row) for one in fresh if one.row is not None)
        return [[rows[task.key]._replace(design=task.machine.design.label) for task in some]
                for some in tasks]  # fmt: skip

    def _task(self, machine: Machine, at: int) -> Task:
        label, network = self.works[at]
        key = key_of(machine.canonical, self.names[at], self.texts, self.sweep.constrain)
        assert isinstance(network, Network)
        return Task(key, machine, network, label, self.texts, self.sweep.constrain)

    def value(self, rows: Sequence[Row]) -> float:
        """The mean over networks; infinite if one cannot be run."""
        if any(row.status != "found" for row in rows):
            return math.inf
        return weighted_mean({row.work: self._worth(row) for row in rows}, self.weights)

    def _worth(self, row: Row) -> float:
        """The objective of a network; with seconds in place of cycles if clocks differ."""
        objective = self.texts["objective"]
        value: float = _native.objective_value(objective, row.energy_pj or 0.0, row.cycles or 0)
        if len(self.clocks) == 1:
            return value
        power = math.log2(_native.objective_value(objective, 1.0, 2))  # of the cycles
        return float(value / float(row.clock_hz or 1) ** power)

    def bound(self, rows: Sequence[Row]) -> float:
        """Of the mean, by the bounds of the networks. Infinite if even the ideal runs nothing."""
        if any(row.status == "infeasible" for row in rows):
            return math.inf
        return weighted_mean({row.work: (row.bound or 0.0) * _SLACK for row in rows}, self.weights)


class _Search:
    """Best first over boxes."""

    def __init__(self, space: _Space, tell: Callable[[State], None]) -> None:
        self.space, self.tell = space, tell
        self.places = [space.coordinates(at) for at in range(len(space.machines))]
        self.heap: list[_Box] = []
        self.made = self.mapped = self.boxes = self.excluded = 0
        self.all_proven = True  # of the designs that were mapped
        self.has_bounds = True
        self.best: tuple[float, int, tuple[Row, ...]] | None = None
        # By parameter: how much bounds rose, as logarithms, and how often it was cut.
        self.gains: dict[int, tuple[float, int]] = {}

    def run(self) -> None:
        self._bound([(tuple(range(len(self.places))), 0.0, -1)])
        while self.heap and not self._is_closed(self.heap[0].bound):
            cut: list[_Box] = []
            while self.heap and len(cut) < _WAVE and not self._is_closed(self.heap[0].bound):
                cut.append(heapq.heappop(self.heap))
            halves = [
                (half, box.bound, parameter)
                for box in cut
                for parameter in [self._parameter(box.members)]
                for half in self._halves(box.members, parameter)
            ]
            self._bound(halves)
            self.tell(self.state())

    def state(self) -> State:
        best = None if self.best is None else self.best[0]
        if not self.has_bounds:
            return State(len(self.places), self.mapped, 0, 0, best, 0.0)
        bound = min([box.bound for box in self.heap[:1]] + ([best] if best is not None else []),
                    default=math.inf)  # fmt: skip
        closed = sum(len(box.members) for box in self.heap if self._is_closed(box.bound))
        return State(len(self.places), self.mapped, self.boxes, self.excluded + closed, best, bound)

    def map(self, members: Sequence[int]) -> list[float]:
        """Maps designs; gives what they are worth."""
        rows = self.space.solve([self.space.machines[member] for member in members])
        return [self._take(member, answer) for member, answer in zip(members, rows, strict=True)]

    def _take(self, member: int, rows: Sequence[Row]) -> float:
        """A design was mapped; gives what it is worth."""
        self.mapped += 1
        self.all_proven &= all(row.proven or row.status == "infeasible" for row in rows)
        value = self.space.value(rows)
        if math.isfinite(value) and (self.best is None or (value, member) < self.best[:2]):
            self.best = (value, member, tuple(rows))
        return value

    def chosen(self, method: str, why: str) -> Chosen:
        """Raises :class:`Infeasible` if no design that was mapped runs all networks."""
        if self.best is None:
            raise Infeasible([f"none of {self.mapped or len(self.places)} designs runs all networks"])
        value, member, rows = self.best
        design = self.space.machines[member].design
        return Chosen(design, value, rows, self.state(), self.all_proven, method, why)

    def _is_closed(self, bound: float) -> bool:
        return self.best is not None and bound >= self.best[0] * _TOLERANCE

    def _parameter(self, members: Sequence[int]) -> int:
        """Where to cut: where cuts have raised bounds most so far; each is tried twice."""
        open_ones: list[tuple[int, int]] = []
        for parameter in range(len(self.places[0])):
            values = len({self.places[member][parameter] for member in members})
            if values > 1:
                open_ones.append((parameter, values))

        def worth(one: tuple[int, int]) -> tuple[float, int]:
            gain, times = self.gains.get(one[0], (0.0, 0))
            return (math.inf if times < 4 else gain / times, one[1])

        return max(open_ones, key=worth)[0]

    def _halves(self, members: Sequence[int], parameter: int) -> list[tuple[int, ...]]:
        values = sorted({self.places[member][parameter] for member in members})
        middle = values[len(values) // 2]
        low = tuple(one for one in members if self.places[one][parameter] < middle)
        high = tuple(one for one in members if self.places[one][parameter] >= middle)
        return [low, high]

    def _bound(self, boxes: Sequence[tuple[tuple[int, ...], float, int]]) -> None:
        """Maps single designs and the ideals of boxes; what may have something better stays."""
        asked: list[tuple[tuple[int, ...], float, int, Machine | None]] = []
        for members, bound, parameter in boxes:
            single = len(members) == 1
            machine = self.space.machines[members[0]] if single else self.space.ideal(members)
            asked.append((members, bound, parameter, machine))
        rows = iter(self.space.solve([one[3] for one in asked if one[3] is not None]))
        for members, before, parameter, machine in asked:
            if machine is None:
                self._keep(members, before, parameter)
                continue
            answer = next(rows)
            if len(members) == 1:
                self._take(members[0], answer)
                continue
            self.boxes += 1
            bound = max(before, self.space.bound(answer))
            self._learn(parameter, before, bound)
            if math.isinf(bound):
                self.excluded += len(members)
            else:
                self._keep(members, bound, parameter)

    def _keep(self, members: tuple[int, ...], bound: float, parameter: int) -> None:
        self.made += 1
        heapq.heappush(self.heap, _Box(bound, self.made, members, parameter))

    def _learn(self, parameter: int, before: float, bound: float) -> None:
        if before <= 0 or parameter < 0:
            return
        gain, times = self.gains.get(parameter, (0.0, 0))
        rise = math.log(bound / before) if math.isfinite(bound) else 1.0
        self.gains[parameter] = (gain + min(rise, 1.0), times + 1)


def codesign(
    sweep: Sweep,
    store: Store,
    solver: Solver,
    weights: Mapping[str, float] | None = None,
    tell: Callable[[State], None] = lambda _: None,
    *,
    trials: int | None = 100,
    seed: int = 1,
) -> Chosen:
    """The design with the lowest weighted geometric mean of the objective over all networks.

    Where no bound holds, at most ``trials`` designs are mapped, all if it is None. Raises
    :class:`Infeasible` if no design runs all networks.
    """
    _check(sweep)
    space = _Space(sweep, weights, store, solver)
    why = _why_no_bound(space)
    if why:
        return _without_bound(space, why, trials, seed, tell)
    search = _Search(space, tell)
    search.run()
    return search.chosen("bounds", "")


def _without_bound(
    space: _Space, why: str, trials: int | None, seed: int, tell: Callable[[State], None]
) -> Chosen:
    """The best of some designs, or of all if there are no more."""
    search = _Search(space, tell)
    search.has_bounds = False
    count = len(space.machines)

    def value_of(members: Sequence[int]) -> list[float]:
        values = search.map(members)
        tell(search.state())
        return values

    wanted = count if trials is None else trials
    if try_designs(space.sweep, search.places, wanted, seed, value_of) < count:
        return search.chosen("optuna", why)._replace(proven=False)
    chosen = search.chosen("all", why)
    bound = chosen.value if chosen.proven else 0.0
    return chosen._replace(state=chosen.state._replace(bound=bound))


def _why_no_bound(space: _Space) -> str:
    """Why boxes of this space have no bound; empty if they have."""
    objective, mapper = space.texts["objective"], space.texts["mapper"]
    if objective not in OBJECTIVES:
        return f"{objective} of a network has no bound"
    if mapper != "optimal":
        return f"the mapper {mapper} proves nothing"
    if space.sweep.each_layer:
        return "layers are mapped each on its own, and a sum of them bounds no product"
    if len(space.clocks) > 1:
        return "the designs have different clocks"
    return "" if _has_ideals(space) else "no two designs differ in numbers that have a bound"


def _has_ideals(space: _Space) -> bool:
    """Whether two designs that differ in one parameter alone have an ideal, for some parameter."""
    if len(space.machines) < 2:
        return True
    places = [space.coordinates(at) for at in range(len(space.machines))]
    for parameter in range(len(places[0])):
        seen: dict[tuple[int, ...], int] = {}
        for at, place in enumerate(places):
            others = place[:parameter] + place[parameter + 1 :]
            if others in seen:
                if space.ideal([seen[others], at]) is not None:
                    return True
                break
            seen[others] = at
    return False


def _check(sweep: Sweep) -> None:
    problems: list[Problem] = []
    if len(list(sweep.questions())) != 1:
        problems.append(Problem("codesign takes one map-space, one mapper and one objective",
                                "keep one of each", "codesign"))  # fmt: skip
    if sweep.listed or sweep.sample[0] != "grid":
        problems.append(Problem("codesign looks at the whole space",
                                "write parameters, and no sample", "codesign"))  # fmt: skip
    if problems:
        raise InputError(problems)
