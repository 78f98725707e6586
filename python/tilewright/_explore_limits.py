"""What limits a design: how much the objective changes with each number of the architecture.

Nothing is guessed: every number is made a tenth larger and a tenth smaller, or takes the next value
that it can have, and the workload is mapped again. The elasticity is the logarithm of the ratio
of the objectives by that of the numbers: -0.5 means that 1 % more gives 0.5 % less.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

_STEP = 0.1
_NUMBER = re.compile(r"([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+|/[0-9]+)?)\s*([A-Za-z].*)?")
# Sizes are whole numbers of these.
_WHOLE = {"word": ("words", 1), "words": ("words", 1), "bit": ("bits", 1), "bits": ("bits", 1),
          "B": ("B", 1), "KiB": ("B", 1 << 10), "MiB": ("B", 1 << 20), "GiB": ("B", 1 << 30)}  # fmt: skip
_COUNTS = ("x", "y", "banks", "ports", "macs", "cycles")
# Widths are powers of two on most chips: a tenth more of one means nothing.
_LEFT_OUT = ("word", "width", "block")

Json = dict[str, Any]


class Trial(NamedTuple):
    """A number of the architecture, and the values that are tried in its place."""

    document: Json
    level: int
    keys: tuple[str, ...]
    values: tuple[tuple[str | int, float], ...]
    """Each with its ratio to the value of now."""

    def changed(self, value: str | int) -> Json:
        """The architecture with another value."""
        document = copy.deepcopy(self.document)
        place = document["levels"][self.level]
        for key in self.keys[:-1]:
            place = place[key]
        place[self.keys[-1]] = value
        return document

    def now(self) -> Any:
        """The value that the architecture has."""
        place: Any = self.document["levels"][self.level]
        for key in self.keys:
            place = place[key]
        return place

    def tried(self, before: float, value_of: Callable[[Json], float | None]) -> Json:
        """What the objective becomes; None where nothing can be mapped."""
        field = ".".join(self.keys)
        rows: list[Json] = []
        for value, ratio in self.values:
            found = value_of(self.changed(value))
            # Where energies are 0, so may be the objective.
            slope = math.log(found / before) / math.log(ratio) if found and before > 0 else None
            rows.append({"to": str(value), "ratio": ratio, "value": found, "elasticity": slope})
        level = self.document["levels"][self.level]
        name = level.get("memory") or level.get("fanout") or level.get("compute")
        return {"path": f"levels[{self.level}].{field}", "level": name, "field": field,
                "from": str(self.now()), "value": before, "tried": rows}  # fmt: skip


def trials(document: Json) -> Iterator[Trial]:
    """One for each number of each level."""
    for number, level in enumerate(document["levels"]):
        for key, value in level.items():
            if key in ("memory", "fanout", "compute", *_LEFT_OUT):
                continue
            axis = isinstance(value, dict) and key in ("x", "y")
            keys = (key, "size") if axis else (key,)
            values = _neighbours(key, value["size"] if axis else value)
            if values:
                yield Trial(document, number, keys, values)


def _neighbours(key: str, value: Any) -> tuple[tuple[str | int, float], ...]:
    """A tenth more and a tenth less, or the next that can be; nothing for what is no number."""
    found = _NUMBER.fullmatch(str(value)) if isinstance(value, str | int | float) else None
    number = float(Fraction(found[1])) if found is not None else 0.0
    if found is None or isinstance(value, bool) or number <= 0:
        return ()
    unit = found[2] or ""
    if unit == "" and key in _COUNTS:
        return tuple((count, count / number) for count in _whole_neighbours(round(number)))
    if unit in _WHOLE and key == "capacity":
        name, size = _WHOLE[unit]
        counts = _whole_neighbours(round(number * size))
        return tuple((f"{count} {name}", count / (number * size)) for count in counts)
    if unit == "":
        return ()
    return tuple((f"{number * ratio:.6g} {unit}", ratio) for ratio in (1 + _STEP, 1 - _STEP))


def _whole_neighbours(number: int) -> list[int]:
    more, less = max(number + 1, round(number * (1 + _STEP))), min(number - 1, round(number * (1 - _STEP)))
    return [more, less] if less > 0 else [more]
