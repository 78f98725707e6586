"""What designs and results are measured by, and filters such as ``area <= 2 mm2``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tilewright._errors import InputError, Problem
from tilewright.sweeps.tree import suggestion

_ENERGY = {"fJ": 1e-3, "pJ": 1.0, "nJ": 1e3, "uJ": 1e6, "mJ": 1e9, "J": 1e12}
_TIME = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_AREA = {"um2": 1.0, "mm2": 1e6}
_POWER = {"uW": 1e-6, "mW": 1e-3, "W": 1.0}


class Quantity(NamedTuple):
    """A number of a result: its expression in the store, its units and whether a design alone
    has it."""

    sql: str
    units: Mapping[str, float]
    unit: str = ""
    of_design: bool = False


QUANTITIES: Mapping[str, Quantity] = {
    "energy": Quantity("energy_pj", _ENERGY, "pJ"),
    "cycles": Quantity("cycles", {}),
    "latency": Quantity("1.0 * cycles / clock_hz", _TIME, "s"),
    "edp": Quantity("energy_pj * cycles", {}, "pJ cycles"),
    "power": Quantity("energy_pj * 1e-12 * clock_hz / cycles", _POWER, "W"),
    "area": Quantity("area_um2", _AREA, "um2", of_design=True),
    "MACs": Quantity("macs", {}, of_design=True),
}
# Texts of a result, for filters such as "network == resnet50".
TEXTS = ("architecture", "design", "work", "kind", "mapspace", "mapper", "objective", "status")

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_FORM = re.compile(r"\s*(\w+)\s*(<=|>=|==|!=|<|>)\s*(.*?)\s*")
_NUMBER = re.compile(r"([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z]\w*)?")


class Filter(NamedTuple):
    """A condition on one quantity or text."""

    name: str
    relation: str
    value: float | str
    text: str

    @property
    def of_design(self) -> bool:
        """Whether a design can be judged before anything is mapped."""
        return self.name in QUANTITIES and QUANTITIES[self.name].of_design

    def holds(self, numbers: Mapping[str, float]) -> bool:
        """Of a design, whose numbers are in um2 and MACs."""
        assert not isinstance(self.value, str)
        return _OPERATORS[self.relation](numbers[self.name], self.value)

    def sql(self) -> tuple[str, float | str]:
        """A condition for the store, and its parameter."""
        known = QUANTITIES.get(self.name)
        expression = known.sql if known else self.name
        return f"({expression}) {self.relation} ?", self.value


def read_filter(text: str, file: str = "filter") -> Filter:
    """Reads a condition; raises :class:`InputError`.

    >>> read_filter("area <= 2 mm2").value
    2000000.0
    """

    def refuse(message: str, hint: str) -> InputError:
        return InputError([Problem(message, hint, file)])

    parts = _FORM.fullmatch(text)
    if parts is None:
        raise refuse(f'"{text}" is no condition', 'write one such as "area <= 2 mm2"')
    name, relation, value = parts.groups()
    name = next((one for one in QUANTITIES if one.lower() == name.lower()), name)
    if name in TEXTS:
        if relation not in ("==", "!="):
            raise refuse(f"{name} is a text, which is not ordered", f"write {name} == ...")
        return Filter(name, relation, value, text)
    if name not in QUANTITIES:
        known = [*QUANTITIES, *TEXTS]
        raise refuse(f'"{name}" is no quantity', suggestion(name, known, "quantities"))
    number = _NUMBER.fullmatch(value)
    units = QUANTITIES[name].units
    if number is None:
        raise refuse(f'"{value}" is no number', f"write one such as {name} {relation} 2")
    unit = number[2] or ""
    if units and unit not in units:
        form = ", ".join(units)
        raise refuse(f'"{value}" has no unit of {name}', f"units are {form}")
    if not units and unit:
        raise refuse(f"{name} is a number without a unit", f"leave out {unit}")
    return Filter(name, relation, float(number[1]) * units.get(unit, 1.0), text)
