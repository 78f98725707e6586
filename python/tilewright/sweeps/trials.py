"""Designs of a space without bounds, tried one after the other as Optuna proposes them.

Nothing is proven by it, unless every design is mapped. Proposals come in waves of the same size
with any number of workers, so that the answer depends on the seed alone.
"""

from __future__ import annotations

import importlib
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tilewright._errors import MissingDependency
from tilewright.sweeps.spec import Sweep

_WAVE = 4
_MOST_REPEATS = 20  # proposals of a wave that lead to nothing new before chance takes over
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+")

Places = tuple[int, ...]
"""The place of a design along each parameter; the architecture is the first."""


def try_designs(
    sweep: Sweep, places: Sequence[Places], trials: int, seed: int,
    value_of: Callable[[Sequence[int]], Sequence[float]],
) -> int:  # fmt: skip
    """Asks for the values of at most so many designs, by their numbers in ``places``; gives how
    many. Infinite values are of designs that run nothing."""
    if trials >= len(places):
        for start in range(0, len(places), _WAVE):
            value_of(range(start, min(start + _WAVE, len(places))))
        return len(places)
    proposals = _Proposals(sweep, places, seed)
    left = trials
    while left > 0:
        wave = proposals.wave(min(_WAVE, left))
        proposals.tell(dict(zip(wave, value_of(wave), strict=True)))
        left -= len(wave)
    return trials


class _Proposals:
    """New designs, as Optuna's sampler proposes them."""

    def __init__(self, sweep: Sweep, places: Sequence[Places], seed: int) -> None:
        optuna = _optuna()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._pruned: Any = optuna.trial.TrialState.PRUNED
        self._study: Any = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        self._numbers = {place: number for number, place in enumerate(places)}
        self._axes = list(_axes(sweep))
        self._values: dict[int, float] = {}
        self._open: list[tuple[Any, int]] = []
        self._chance = random.Random(seed)

    def wave(self, count: int) -> list[int]:
        """Designs that were not proposed before."""
        fresh: list[int] = []
        repeats = 0
        while len(fresh) < count and repeats < _MOST_REPEATS:
            trial = self._study.ask()
            number = self._numbers.get(self._place(trial))
            if number is None or math.isinf(self._values.get(number, 0.0)):
                self._study.tell(trial, state=self._pruned)  # a filter holds it back, or worse
                repeats += 1
            elif number in self._values:
                self._study.tell(trial, self._values[number])
                repeats += 1
            else:
                self._open.append((trial, number))
                repeats += number in fresh
                fresh = list(dict.fromkeys([*fresh, number]))
        return fresh or self._by_chance(count)

    def _by_chance(self, count: int) -> list[int]:
        left = [number for number in self._numbers.values() if number not in self._values]
        return self._chance.sample(left, min(count, len(left)))

    def _place(self, trial: Any) -> Places:
        return tuple(
            trial.suggest_int(name, 0, size - 1) if ordered
            else trial.suggest_categorical(name, list(range(size)))
            for name, size, ordered in self._axes
        )  # fmt: skip

    def tell(self, values: dict[int, float]) -> None:
        """What the designs of the wave are worth."""
        self._values.update(values)
        for trial, number in self._open:
            value = self._values[number]
            if math.isinf(value):
                self._study.tell(trial, state=self._pruned)
            else:
                self._study.tell(trial, value)
        self._open = []


def _axes(sweep: Sweep) -> Iterator[tuple[str, int, bool]]:
    """Name and size of every axis, and whether its values are in order."""
    yield "architecture", len(sweep.architectures), False
    for path, values in sweep.parameters:
        found = [_NUMBER.match(value) for value in values]
        numbers = [float(one[0]) for one in found if one]
        units = {_NUMBER.sub("", value, count=1) for value in values}
        ordered = len(numbers) == len(values) and len(units) == 1 and numbers == sorted(numbers)
        yield path, len(values), ordered


def _optuna() -> Any:
    try:
        return importlib.import_module("optuna")
    except ImportError:
        raise MissingDependency(
            "no bound holds for this space, and a search without one needs Optuna: pip install "
            "'tilewright[codesign]'; or map every design: --trials all"
        ) from None
