"""Tables of energies and areas that Accelergy wrote (ERT and ART), of all versions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tilewright.importers.report import Report
from tilewright.importers.values import Items, Place, Scalar, Table, Value, number_in

_READ = ("random_read", "read")
_FILL = ("random_fill", "random_write", "fill", "write")
_UPDATE = ("random_update", "random_write", "update", "write")
_COMPUTE = ("mac_random", "mult_random", "mac", "mult", "compute")
_LEAK = ("leak",)
ACTIONS = {"read": _READ, "write": _FILL, "update": _UPDATE, "compute": _COMPUTE, "leak": _LEAK}


@dataclass(frozen=True, slots=True)
class Energy:
    """Picojoules, and the line that says so."""

    pj: float
    place: Place

    @property
    def table(self) -> str:
        """The name of the file."""
        return self.place.file.rsplit("/", 1)[-1]


@dataclass(slots=True)
class EnergyTables:
    """Energies by component and action, areas by component."""

    actions: dict[str, dict[str, Energy]] = field(default_factory=dict[str, "dict[str, Energy]"])
    areas: dict[str, Energy] = field(default_factory=dict[str, Energy])
    used: set[str] = field(default_factory=set[str])
    charged: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def energy(self, component: str, kind: str) -> Energy | None:
        """Of an access; the first name of an action that the table has counts, as in Timeloop."""
        table = self.actions.get(component)
        if table is None:
            return None
        self.used.add(component)
        name = next((name for name in ACTIONS[kind] if name in table), None)
        if name is None:
            return None
        self.charged.add((component, name))
        return table[name]

    def largest(self, component: str) -> Energy | None:
        """Of all actions of a component: what older Timeloop charges for every access."""
        table = self.actions.get(component)
        self.used.add(component)
        return max(table.values(), key=lambda energy: energy.pj) if table else None


    def uncharged(self, component: str) -> dict[str, Energy]:
        """The actions of a component that no access is."""
        table = self.actions[component]
        return {name: table[name] for name in table if (component, name) not in self.charged}


def short_name(path: str) -> str:
    """The name of a component: the last part of its path, without its range."""
    text = re.sub(r"\[[^\]]*\]", "", path)
    return text.rsplit(".", 1)[-1].strip()


def _number(value: Value | None, report: Report) -> Energy | None:
    if not isinstance(value, Scalar) or value.is_null:
        return None
    number = number_in(value.text)
    if number is None or number < 0:
        report.complain(
            f"{value.text} is no energy or area", "write a number from 0 on", value.place
        )
        return None
    return Energy(float(number), value.place)


def _largest(value: Value | None, report: Report) -> Energy | None:
    """The largest number of an action, which may have one for each set of arguments."""
    if isinstance(value, Table):
        return _number(value.get("energy"), report)
    if isinstance(value, Items):
        found = [_largest(entry, report) for entry in value.entries]
        numbers = [energy for energy in found if energy is not None]
        return max(numbers, key=lambda energy: energy.pj, default=None)
    return _number(value, report)


def read_tables(ert: Value | None, art: Value | None, report: Report) -> EnergyTables:
    """What both sections say together."""
    tables = EnergyTables()
    for name, value in _entries(ert):
        actions = tables.actions.setdefault(short_name(name), {})
        for action, energy in _actions(value, report):
            known = actions.get(action)
            if known is None or energy.pj > known.pj:
                actions[action] = energy
    for name, value in _entries(art):
        area = _number(value.get("area") if isinstance(value, Table) else value, report)
        if area is not None:
            tables.areas[short_name(name)] = area
    return tables


def _entries(section: Value | None) -> list[tuple[str, Value]]:
    """The tables of a section by the names of their components."""
    if not isinstance(section, Table):
        return []
    section.get("version")
    tables = section.get("tables")
    if isinstance(tables, Table):  # v0.2
        tables.see_all()
        return list(tables.entries.items())
    found: list[tuple[str, Value]] = []
    for table in tables.entries if isinstance(tables, Items) else []:
        if isinstance(table, Table):
            table.see_all()
            name = table.get("name")
            if isinstance(name, Scalar):
                found.append((name.text, table))
    return found


def _actions(value: Value, report: Report) -> list[tuple[str, Energy]]:
    if not isinstance(value, Table):
        return []
    actions = value.get("actions")
    found: list[tuple[str, Energy]] = []
    if isinstance(actions, Items):
        for action in actions.entries:
            if isinstance(action, Table):
                action.get("arguments")
                energy = _number(action.get("energy"), report)
                name = action.get("name")
                if energy is not None and isinstance(name, Scalar):
                    found.append((name.text, energy))
        return found
    for key, entry in value.entries.items():  # v0.2
        if key not in ("name", "class", "primitive_estimations"):
            energy = _largest(entry, report)
            if energy is not None:
                found.append((key, energy))
    return found
