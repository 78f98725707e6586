"""Components of an architecture, and what all dialects have in common about them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from tilewright.importers.report import Report
from tilewright.importers.timeloop.expressions import ExpressionError, evaluate
from tilewright.importers.timeloop.scope import Attributes, Variables
from tilewright.importers.values import Place, Scalar, Table, Value, refuse, see_within, truth_in

Kind = Literal["storage", "compute", "network", "other"]
_STORAGE = ("dram", "sram", "regfile", "smartbuffer", "storage")
_COMPUTE = ("mac", "compute")
_NETWORK = ("xy_noc", "legacy", "reductiontree", "simplemulticast")
_RANGE = re.compile(r"\[\s*(?P<first>[^\[\]]*?)\s*\.\.\s*(?P<last>[^\[\]]*?)\s*\]")


@dataclass(slots=True)
class Level:
    """A storage or the multipliers, with how many of them there are."""

    name: str
    kind: Kind
    component_class: str
    attributes: Attributes
    place: Place
    instances: int = 1
    mesh: tuple[int, int] = (1, 1)
    constraints: Table | None = None
    is_dummy: bool = False
    group: int | None = None  # of storages that stand side by side
    branch: int = 0  # of that group


@dataclass(slots=True)
class Hardware:
    """All levels of an architecture; the last one computes."""

    name: str
    place: Place
    dialect: str
    levels: list[Level] = field(default_factory=list[Level])
    node_constraints: list[tuple[str, Table]] = field(default_factory=list[tuple[str, Table]])
    nothing: list[tuple[int, int, Table]] = field(default_factory=list[tuple[int, int, Table]])
    sparse: list[tuple[str, Value]] = field(default_factory=list[tuple[str, Value]])

    @property
    def storages(self) -> list[Level]:
        return [level for level in self.levels if level.kind == "storage"]

    @property
    def compute(self) -> Level:
        return self.levels[-1]


def kind_of(component_class: str) -> Kind:
    """What a class is, by parts of its name as Timeloop finds it."""
    name = component_class.lower()
    if any(part in name for part in _STORAGE):
        return "storage"
    if any(part in name for part in _COMPUTE):
        return "compute"
    return "network" if any(part in name for part in _NETWORK) else "other"


def is_dummy(name: str, component_class: str) -> bool:
    """Whether a storage only stands for a fan-out, as the front end writes it."""
    return "dummy" in component_class.lower() and name.startswith("inter_")


def text_of(value: Value | None, default: str = "") -> str:
    return value.text if isinstance(value, Scalar) else default


def table_of(value: Value | None, report: Report) -> Table:
    if value is None:
        return Table()
    if not isinstance(value, Table):
        report.complain("a table is expected here", "write keys and values", value.place)
        return Table(place=value.place)
    return value


def split_name(text: str, variables: Variables, place: Place) -> tuple[str, int]:
    """A name without its ranges, and the number that they count; of a path, the last part."""
    count = 1
    for match in _RANGE.finditer(text):
        try:
            first = evaluate(match["first"], variables)
            last = evaluate(match["last"], variables)
        except ExpressionError as error:
            raise refuse(str(error), place=place) from None
        if not isinstance(first, int) or not isinstance(last, int) or not first <= last:
            raise refuse(f"the range of {text} is no range", "write [0..15]", place)
        count *= last - first + 1
    return _RANGE.sub("", text).rsplit(".", 1)[-1].strip(), count


def path_length(component: Value) -> int:
    """How many parts a name such as chip.PE[0..7].buffer has."""
    name = component.peek("name") if isinstance(component, Table) else None
    return _RANGE.sub("", text_of(name)).count(".")


def is_enabled(component: Table) -> bool:
    enabled = component.get("enabled")
    return not isinstance(enabled, Scalar) or truth_in(enabled.text) is not False


def is_level(kind: Kind, name: str, component: Table, report: Report) -> bool:
    if kind in ("storage", "compute"):
        return True
    see_within(component)
    note = "the energy of networks is not modelled"
    if kind == "other":
        note = "Timeloop does not model this class either"
    report.left_out(
        f"component {name} of class {text_of(component.peek('class'))}", component.place, note
    )
    return False


def mesh_of(level: Level, report: Report) -> tuple[int, int]:
    """How instances lie in x and y; without a word, all of them along x."""
    x = level.attributes.whole("meshX")
    y = level.attributes.whole("meshY")
    count = level.instances
    if x is None:
        x = count // y if y else count
    if y is None:
        y = count // x if x else count
    if x < 1 or y < 1 or x * y != count:
        report.complain(
            f"{level.name} has {count} instances, but meshX and meshY give {x} x {y}",
            "make the product equal",
            level.attributes.own.place_of("meshX"),
        )
        return count, 1
    return x, y
