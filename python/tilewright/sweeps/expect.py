"""How long what is left will take, by what was measured of its kind.

Layers differ by a factor of 1,000 in what they cost to map, designs much less. So the cost of a
task is taken from tasks of the same layer and question on other designs; before there is one,
from a guess by its sizes, in seconds by all that was measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tilewright._values import Network, Workload
from tilewright.sweeps.plan import Task

_Kind = tuple[str, str, str]


class Left(NamedTuple):
    """What is still to be done."""

    seconds: float
    """Until the last answer, if the workers go on as fast as so far."""
    known: float
    """The share of it whose kind was measured, from 0 to 1; the rest is a guess."""


@lru_cache(maxsize=4096)
def guess(work: Workload | Network) -> float:
    """Grows with what a task costs; only ratios of it mean something."""
    if isinstance(work, Network):
        layers = {layer.workload for layer in work.layers}
        return math.fsum(guess(layer) for layer in layers)
    # The number of ways to cut the dimensions in two; its root fits measured times best.
    return math.sqrt(math.prod(_divisors(size) for size in work.dims.values()))


@lru_cache(maxsize=4096)
def _divisors(number: int) -> int:
    count, factor = 1, 2
    while factor * factor <= number:
        power = 1
        while number % factor == 0:
            number //= factor
            power += 1
        count *= power
        factor += 1
    return count * (2 if number > 1 else 1)


def kind_of(task: Task) -> _Kind:
    """Tasks of one kind differ in the values of parameters alone."""
    return task.machine.design.base, task.label, " ".join(task.texts.values())


class Expectation:
    """Learns what tasks cost, and says what is left of them."""

    def __init__(self, tasks: Sequence[Task], measured: Mapping[_Kind, Sequence[float]]) -> None:
        self._left: dict[_Kind, int] = {}
        self._guess: dict[_Kind, float] = {}
        self._seen: dict[_Kind, tuple[float, int]] = {
            kind: (math.fsum(times), len(times)) for kind, times in measured.items()
        }
        self._busy = 0.0
        for task in tasks:
            kind = kind_of(task)
            self._left[kind] = self._left.get(kind, 0) + 1
            if kind not in self._guess:
                self._guess[kind] = guess(task.work)

    def learn(self, task: Task, seconds: float) -> None:
        """One task is done."""
        kind = kind_of(task)
        total, times = self._seen.get(kind, (0.0, 0))
        self._seen[kind] = (total + seconds, times + 1)
        self._left[kind] -= 1
        self._busy += seconds

    def left(self, elapsed: float) -> Left | None:
        """After so many seconds; None before anything was measured."""
        if self._busy <= 0 or elapsed <= 0:
            return None
        scale = self._seconds_per_guess()
        known = unknown = longest = 0.0
        for kind, count in self._left.items():
            if count == 0:
                continue
            total, times = self._seen.get(kind, (0.0, 0))
            cost = total / times if times else scale * self._guess[kind]
            longest = max(longest, cost)
            if times:
                known += count * cost
            else:
                unknown += count * cost
        work = known + unknown
        at_a_time = self._busy / elapsed  # workers that are kept busy
        return Left(max(work / at_a_time, longest), known / work if work else 1.0)

    def _seconds_per_guess(self) -> float:
        pairs = [(total / times, self._guess[kind])
                 for kind, (total, times) in self._seen.items() if kind in self._guess]  # fmt: skip
        if not pairs:
            return 0.0
        return math.fsum(cost for cost, _ in pairs) / math.fsum(guessed for _, guessed in pairs)
