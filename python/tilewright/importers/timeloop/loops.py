"""Texts of loops: ``K=2 R3``, ``C<=16``, ``PRKC``; lists of tensors; targets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import Hardware, Level
from tilewright.importers.timeloop.expressions import ExpressionError, evaluate
from tilewright.importers.timeloop.scope import Variables
from tilewright.importers.values import Items, Place, Scalar, Table, Value, nearest, refuse

Relation = Literal["=", "<=", ">="]
_WITH_SIGN = re.compile(
    r"\s*,?\s*(?P<dim>[A-Za-z_][A-Za-z0-9_]*)\s*(?P<sign><=|>=|==|=|<|>)\s*(?P<size>-?[A-Za-z0-9_.]+)"
    r"(?:\s*,\s*(?P<last>[0-9]+)(?![A-Za-z0-9_]*\s*[<>=]))?"
)
_COMPACT = re.compile(r"\s*,?\s*(?P<dim>[A-Za-z_]+)\s*(?P<size>[0-9]+)(?:\s*,\s*(?P<last>[0-9]+))?")


@dataclass(frozen=True, slots=True)
class Factor:
    """A bound of a dimension. ``size`` 0 is the whole of what is left, -1 is any."""

    dim: str
    relation: Relation
    size: int
    last: int | None
    place: Place


def _texts(value: Value | None) -> list[tuple[str, Place]]:
    """The texts of a value that may be one text, a list of texts, or a table."""
    if isinstance(value, Scalar):
        return [(value.text, value.place)]
    if isinstance(value, Items):
        return [(e.text, e.place) for e in value.entries if isinstance(e, Scalar)]
    if isinstance(value, Table):
        value.see_all()
        entries = value.entries.items()
        return [(f"{k}={e.text}", e.place) for k, e in entries if isinstance(e, Scalar)]
    return []


def read_factors(value: Value | None, variables: Variables, report: Report) -> list[Factor]:
    """All factors of a directive."""
    factors: list[Factor] = []
    for whole, place in _texts(value):
        text = whole.split("#")[0].rstrip(" ,")
        at = 0
        while at < len(text):
            match = _WITH_SIGN.match(text, at) or _COMPACT.match(text, at)
            if match is None:
                report.complain(f"{text[at:].strip()!r} is no factor", "write K=2", place)
                break
            factors.append(_factor(match, variables, place))
            at = match.end()
    return factors


def _factor(match: re.Match[str], variables: Variables, place: Place) -> Factor:
    groups = match.groupdict()
    sign = groups.get("sign") or "="
    relation: Relation = "<=" if sign[0] == "<" else ">=" if sign[0] == ">" else "="
    try:
        size = evaluate(groups["size"], variables)
    except ExpressionError as error:
        raise refuse(str(error), place=place) from None
    if not isinstance(size, int) or size < -1:
        raise refuse(f"{groups['size']!r} is no bound", "write a whole number", place)
    size += (sign == ">") - (sign == "<")
    last = groups["last"]
    return Factor(groups["dim"], relation, size, int(last) if last else None, place)


def read_order(
    value: Value | None, dims: list[str], report: Report
) -> tuple[list[str], list[str]]:
    """The innermost dimensions from the inside out, and behind a ``_`` the outermost ones."""
    names: list[str] = []
    for text, _ in _texts(value):
        text = text.split("#")[0]
        if text.strip() in dims or text.strip() == "_":
            names.append(text.strip())
        elif "," in text or (" " in text.strip() and any(len(dim) > 1 for dim in dims)):
            names += [part for part in re.split(r"[\s,]+", text) if part]
        else:
            names += [part for part in text if not part.isspace()]
    once = list(dict.fromkeys(names))
    if value is not None and len(once) < len(names):  # two lists were merged
        twice = sorted({name for name in names if names.count(name) > 1})
        note = "the first in a permutation counts"
        report.left_out(f"{' '.join(twice)} again", value.place, note)
    names = once
    if "_" in names:
        at = names.index("_")
        return names[:at], [name for name in names[at + 1 :] if name != "_"]
    return names, []


def read_split(value: Value | None, variables: Variables) -> int | None:
    """How many dimensions of a permutation lie along x; None is all of them."""
    if not isinstance(value, Scalar):
        return None
    try:
        number = evaluate(value.text, variables)
    except ExpressionError as error:
        raise refuse(str(error), place=value.place) from None
    if not isinstance(number, int) or number < 0:
        raise refuse("a split is a whole number from 0 on", "write 1", value.place)
    return number


def read_names(value: Value | None, every: list[str]) -> list[str]:
    """Names of tensors; ``*`` is all of them."""
    names: list[str] = []
    for text, _ in _texts(value):
        found = every if text.strip() == "*" else [text.strip()]
        names += [name for name in found if name and name not in names]
    return names


class Targets:
    """Finds the level that a directive is about."""

    def __init__(self, hardware: Hardware, report: Report) -> None:
        self.hardware = hardware
        self.report = report
        self.storages = hardware.storages

    def level(self, directive: Table, spatial: bool) -> Level | None:
        """The storage that a directive names, or the one above the fan-out that it names."""
        value = directive.get("target", "name")
        if not isinstance(value, Scalar):
            self.report.complain("this names no target", "write target: NAME", directive.place)
            return None
        return self.named(value.text.strip(), spatial, value.place)

    def named(self, name: str, spatial: bool, place: Place) -> Level | None:
        by_name = {level.name: level for level in self.storages}
        if spatial and f"inter_{name}_spatial" in by_name:
            return by_name[f"inter_{name}_spatial"]
        if name in by_name:
            return by_name[name]
        if name.isdigit() and int(name) < len(self.storages):
            return self.storages[-1 - int(name)]
        meant = nearest(name, by_name)
        hint = f"did you mean {meant}?" if meant else f"the storages are {', '.join(by_name)}"
        self.report.complain(f"there is no storage {name}", hint, place)
        return None
