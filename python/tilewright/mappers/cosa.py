"""CoSA as a mixed-integer program (Huang et al., ISCA 2021), solved by HiGHS.

Where each prime factor of each dimension goes is an integer variable; in logarithms sizes of
tiles, instances and iterations are sums, so that capacities and fan-outs are linear constraints and
utilisation, compute and traffic are a linear objective. One program is solved, and its mapping is
the answer. docs/arena.md says what was taken from the paper and what had to be adapted.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tilewright._errors import MissingDependency
from tilewright._spaces import Evaluator
from tilewright.mappers import Memory, Row, Task, Tensor

_ATTEMPTS = 8
_USUAL_SECONDS = 60.0
_ROUNDING = 1e-6


class Cosa:
    """The row of the table."""

    name = "cosa"
    summary = "a mixed-integer program, as CoSA has it (docs/arena.md)"

    def __init__(self) -> None:
        try:
            self._highs: Any = importlib.import_module("highspy")
        except ImportError:
            hint = "the mapper cosa needs HiGHS: pip install 'tilewright[cosa]'"
            raise MissingDependency(hint) from None

    def search(self, task: Task) -> Iterable[Row]:
        """One mapping; others before it if these do not fit."""
        evaluator = Evaluator(task.architecture, task.workload)
        share = 1.0
        for _ in range(_ATTEMPTS):
            row = _Program(self._highs, task, share).solve()
            if row is not None:
                yield row
                if evaluator(evaluator.mapping(row)).fits:
                    return
            # Logarithms know no sums: windows and what shares a memory can be more than was
            # counted. The program is solved again with less of every memory.
            share /= 2


def _prime_powers(number: int) -> list[tuple[int, int]]:
    """Primes and how often each divides the number."""
    powers: list[tuple[int, int]] = []
    prime = 2
    while number > 1:
        if prime * prime > number:
            prime = number
        count = 0
        while number % prime == 0:
            number //= prime
            count += 1
        if count:
            powers.append((prime, count))
        prime += 1
    return powers


def _sized_dims(task: Task, tensor: Tensor) -> list[int]:
    """The dimensions that make up a tile's size: of a window the larger one.

    CoSA's inputs have the size of P, Q and C, whatever R and S are.
    """
    return [max((dim for dim, _ in rank), key=lambda d: task.dims[d][1]) for rank in tensor.ranks if rank]


def _kept(memory: Memory) -> int:
    """Bits of the tensors that a memory keeps: all that it may, as far as one element of each fits."""
    kept = memory.keep_always
    for t, elements in enumerate(memory.elements):
        together = sum(1 for other, own in enumerate(memory.own) if kept >> other & 1 and not own)
        fits = memory.own[t] or elements is None or together < elements
        if memory.keep_allowed >> t & 1 and fits:
            kept |= 1 << t
    return kept


@dataclass
class _Noc:
    """Where traffic is counted: between a memory and what is inside the outermost fan-out."""

    memory: int
    slot: int
    inside: list[int]
    """By tensor, the memory that receives it; as many as there are memories: the multipliers."""


class _Program:
    """The program of one task."""

    def __init__(self, highs: Any, task: Task, share: float) -> None:
        self._task = task
        self._share = share
        self._model = highs.Highs()
        self._status = highs.HighsModelStatus
        self._model.silent()
        self._model.setOptionValue("threads", 1)
        self._model.setOptionValue("random_seed", task.seed % (1 << 31))
        self._model.setOptionValue("time_limit", task.seconds or _USUAL_SECONDS)
        self._dims = [d for d, (_, size) in enumerate(task.dims) if size > 1]
        self._powers = {d: _prime_powers(task.dims[d][1]) for d in self._dims}
        self._slot_of = [self._find_slot(memory) for memory in task.memories]
        self._keeps = [_kept(memory) for memory in task.memories]
        self._counts: dict[tuple[int, int, int], Any] = {}
        self._ranks: dict[tuple[int, int], Any] = {}

    def solve(self) -> list[int] | None:
        """The row of the mapping; None if the program has no solution in time."""
        self._add_factors()
        self._limit_slots()
        used = self._limit_memories()
        traffic = self._count_traffic(self._find_noc())
        compute = self._sum(
            self._log(d, s) for s, slot in enumerate(self._task.slots) if not slot.spatial for d in self._dims
        )
        self._model.minimize(traffic + compute - used)
        solved = self._model.getModelStatus() == self._status.kOptimal
        info = self._model.getInfo()
        if not solved and info.primal_solution_status != 2:  # no feasible point
            return None
        return self._row()

    def _find_slot(self, memory: Memory) -> int:
        return next(
            s for s, slot in enumerate(self._task.slots) if not slot.spatial and slot.level == memory.level
        )

    def _sum(self, terms: Iterable[Any]) -> Any:
        total = self._model.expr()
        for term in terms:
            total += term
        return total

    # --- variables ------------------------------------------------------------------

    def _add_factors(self) -> None:
        """How many copies of each prime factor each slot has; each copy is somewhere."""
        for d in self._dims:
            for prime, count in self._powers[d]:
                for s, slot in enumerate(self._task.slots):
                    most = min(count, int(math.log(slot.most[d], prime) + _ROUNDING))
                    self._counts[d, prime, s] = self._model.addIntegral(0, most)
                everywhere = self._sum(self._counts[d, prime, s] for s in range(len(self._task.slots)))
                self._model.addConstr(everywhere == count)

    def _log(self, dim: int, slot: int) -> Any:
        """The logarithm of a bound."""
        return self._sum(
            math.log(prime) * self._counts[dim, prime, slot] for prime, _ in self._powers[dim]
        )

    def _extent(self, dim: int, first: int) -> Any:
        """The logarithm of what slots from `first` inwards have of a dimension."""
        return self._sum(self._log(dim, s) for s in range(first, len(self._task.slots)))

    # --- constraints ----------------------------------------------------------------

    def _limit_slots(self) -> None:
        levels: dict[int, list[int]] = {}
        for s, slot in enumerate(self._task.slots):
            for d in self._dims:
                if 1 < slot.most[d] < self._task.dims[d][1]:
                    self._model.addConstr(self._log(d, s) <= math.log(slot.most[d]) + _ROUNDING)
                if slot.least[d] > 1:
                    self._model.addConstr(self._log(d, s) >= math.log(slot.least[d]) - _ROUNDING)
            if slot.spatial:
                levels.setdefault(slot.level, []).append(s)
                spread = self._sum(self._log(d, s) for d in self._dims)
                self._model.addConstr(spread <= math.log(slot.size) + _ROUNDING)
        for slots in levels.values():
            least = self._task.slots[slots[0]].least_used
            if least > 1:
                spread = self._sum(self._log(d, s) for d in self._dims for s in slots)
                self._model.addConstr(spread >= math.log(least) - _ROUNDING)

    def _limit_memories(self) -> Any:
        """Tiles fit, each into a part of its own; the sum of their sizes is the utilisation."""
        used = self._sum(())
        for m, memory in enumerate(self._task.memories):
            kept = [t for t in range(len(self._task.tensors)) if self._keeps[m] >> t & 1]
            together = [t for t in kept if not memory.own[t]]
            for t in kept:
                elements = memory.elements[t]
                if elements is None:
                    continue
                part = elements * self._share / (1 if memory.own[t] else len(together))
                size = self._tile(m, t)
                self._model.addConstr(size <= math.log(max(part, 1)) + _ROUNDING)
                used += size
        return used

    def _tile(self, memory: int, tensor: int) -> Any:
        sized = _sized_dims(self._task, self._task.tensors[tensor])
        return self._sum(self._extent(d, self._slot_of[memory]) for d in sized if d in self._powers)

    # --- traffic --------------------------------------------------------------------

    def _find_noc(self) -> _Noc:
        task = self._task
        fanouts = [s for s, slot in enumerate(task.slots) if slot.spatial and slot.size > 1]
        first = fanouts[0] if fanouts else self._slot_of[0] + 1
        memory = max(m for m, s in enumerate(self._slot_of) if s < first)
        inside: list[int] = []
        for t in range(len(task.tensors)):
            keepers = [
                m
                for m in range(memory + 1, len(task.memories))
                if self._slot_of[m] > first and self._keeps[m] >> t & 1
            ]
            inside.append(keepers[0] if keepers else len(task.memories))
        return _Noc(memory, self._slot_of[memory], inside)

    def _count_traffic(self, noc: _Noc) -> Any:
        """Over all tensors: the size of a tile, how many take one at once, and how often."""
        self._add_ranks(noc)
        traffic = self._sum(())
        for t, tensor in enumerate(self._task.tensors):
            receiver = noc.inside[t]
            end = len(self._task.slots)
            if receiver < len(self._task.memories):
                end = self._slot_of[receiver]
                traffic += self._tile(receiver, t)
            moving = tensor.dims()
            for s in range(end):
                slot = self._task.slots[s]
                if slot.spatial:
                    traffic += self._sum(self._log(d, s) for d in self._dims if d in moving)
                elif s != noc.slot:
                    traffic += self._sum(self._log(d, s) for d in self._dims)
            traffic += self._iterations(t, moving)
        return traffic

    def _add_ranks(self, noc: _Noc) -> None:
        """The loops at the memory in order, and the logarithm of their bounds by rank.

        Rank 0 is the innermost.
        """
        model, ranks = self._model, range(len(self._dims))
        self._order = {(d, z): model.addBinary() for d in self._dims for z in ranks}
        for d in self._dims:
            most = math.log(self._task.dims[d][1])
            model.addConstr(self._sum(self._order[d, z] for z in ranks) == 1)
            for z in ranks:
                self._ranks[d, z] = model.addVariable(0, most)
                model.addConstr(self._ranks[d, z] <= most * self._order[d, z])
            model.addConstr(self._sum(self._ranks[d, z] for z in ranks) == self._log(d, noc.slot))
        for z in ranks:
            model.addConstr(self._sum(self._order[d, z] for d in self._dims) == 1)

    def _iterations(self, tensor: int, moving: frozenset[int]) -> Any:
        """How often a tensor moves: from the innermost loop that moves it on, every loop counts."""
        model = self._model
        all_of_it = sum(math.log(self._task.dims[d][1]) for d in self._dims)
        total = self._sum(())
        before: Any = None
        for z in range(len(self._dims)):
            counts = model.addBinary()
            if before is not None:
                model.addConstr(counts >= before)
            for d in self._dims:
                if d in moving:
                    most = math.log(self._task.dims[d][1])
                    model.addConstr(self._ranks[d, z] <= most * counts)
            here = self._sum(self._ranks[d, z] for d in self._dims)
            counted = model.addVariable(0, all_of_it)
            model.addConstr(counted >= here - all_of_it * (1 - counts))
            total += counted
            before = counts
        return total

    # --- the mapping ----------------------------------------------------------------

    def _row(self) -> list[int]:
        values = self._model.getSolution().col_value
        bounds = [[1] * len(self._task.dims) for _ in self._task.slots]
        for (d, prime, s), variable in self._counts.items():
            bounds[s][d] *= prime ** round(values[variable.index])
        rank = {d: z for (d, z), chosen in self._order.items() if values[chosen.index] > 0.5}
        inner_last = sorted(range(len(self._task.dims)), key=lambda d: -rank.get(d, -1))
        orders = [self._allowed_order(memory, inner_last) for memory in self._task.memories]
        return self._task.row(bounds, orders, self._keeps)

    @staticmethod
    def _allowed_order(memory: Memory, order: list[int]) -> list[int]:
        fixed = {*memory.outermost, *memory.innermost}
        free = [d for d in order if d not in fixed]
        return [*memory.outermost, *free, *memory.innermost]
