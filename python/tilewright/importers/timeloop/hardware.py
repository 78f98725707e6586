"""The levels of an architecture, outermost first, whatever the dialect it is written in."""

from __future__ import annotations

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import (
    Hardware,
    Kind,
    Level,
    is_dummy,
    is_enabled,
    is_level,
    kind_of,
    mesh_of,
    path_length,
    split_name,
    table_of,
    text_of,
)
from tilewright.importers.timeloop.nodes import NodeReader
from tilewright.importers.timeloop.scope import Attributes, Variables
from tilewright.importers.values import Items, Table, Value, refuse, see_within


def read_hardware(section: Value, variables: Variables, report: Report) -> Hardware:
    """The levels of an architecture section."""
    if not isinstance(section, Table):
        raise refuse("an architecture should be a table", place=section.place)
    section.get("version")
    if section.peek("nodes") is not None:
        hardware = NodeReader(section, variables, report).read()
    elif section.peek("subtree") is not None or section.peek("local") is not None:
        hardware = _TreeReader(section, variables, report).read()
    elif section.peek("storage") is not None:
        hardware = _read_flat(section, variables, report)
    else:
        raise refuse(
            "this architecture has neither nodes, nor subtree, nor storage",
            "write the list of nodes of v0.4, the tree of v0.3, or arithmetic and storage",
            section.place,
        )
    _settle(hardware, report)
    return hardware


def _settle(hardware: Hardware, report: Report) -> None:
    computes = [level for level in hardware.levels if level.kind == "compute"]
    storages = hardware.storages
    if len(computes) != 1 or not storages:
        found = f"{len(storages)} storages and {len(computes)} compute levels"
        raise refuse(
            f"the architecture has {found}; it should have a storage or more and one compute level",
            "Timeloop knows them by their class: DRAM, SRAM, regfile, storage; mac, compute",
            hardware.place,
        )
    if hardware.levels[-1] is not computes[0]:  # Timeloop finds it wherever it stands
        report.exact(f"compute level {computes[0].name}", computes[0].place, "it is innermost")
    hardware.levels = [*storages, computes[0]]
    names: dict[str, Level] = {}
    for level in storages[1:]:
        if _holds_nothing(level):
            level.is_dummy = True
            see_within(level.attributes.own)
            report.exact(f"storage {level.name}", level.place, "it holds nothing; it is left out")
    for level in hardware.levels:
        if level.name in names:
            report.complain(f"there are two levels {level.name}", "rename one", level.place)
        names[level.name] = level


def _holds_nothing(level: Level) -> bool:
    """Whether a storage has no room, so that it only says where loops may stand."""
    sizes = ("entries", "depth", "memory_depth", "data_storage_depth", "sizeKB")
    return not level.is_dummy and any(level.attributes.number(key) == 0 for key in sizes)


class _TreeReader:
    """v0.2 and v0.3, and bundles of the front end: subtree within subtree."""

    def __init__(self, section: Table, variables: Variables, report: Report) -> None:
        self.section = section
        self.variables = variables
        self.report = report
        self.levels: list[Level] = []
        self.sort_paths(section)
        self.inside_out = self.is_inside_out(section)

    def sort_paths(self, section: Table) -> None:
        """Brings components with paths for names, as Accelergy lists them, from the outside in."""
        local = section.peek("local")
        if section.peek("subtree") is not None or not isinstance(local, Items):
            return
        if not all(path_length(component) for component in local.entries):
            return
        local.entries.sort(key=path_length)
        what, note = "order of components", "by the lengths of their paths, then as listed"
        self.report.approximated(what, local.place, note)

    def is_inside_out(self, tree: Table) -> bool:
        """Whether lists of components start with the innermost one, as in files of 2019.

        Nothing in such a file says so, but more instances can only be further in.
        """
        local = tree.peek("local")
        counts: list[int] = []
        for component in local.entries if isinstance(local, Items) else []:
            if (
                isinstance(component, Table)
                and kind_of(text_of(component.peek("class"))) == "storage"
            ):
                name = component.peek("name")
                counts.append(split_name(text_of(name), self.variables, component.place)[1])
        if counts != sorted(counts):
            return True
        subtree = tree.peek("subtree")
        trees = subtree.entries[:1] if isinstance(subtree, Items) else []
        return any(isinstance(tree, Table) and self.is_inside_out(tree) for tree in trees)

    def read(self) -> Hardware:
        if self.inside_out:
            what = "order of components"
            self.report.exact(what, self.section.place, "lists start with the innermost one")
        version = text_of(self.section.peek("version"), "0.2")
        name = "accelerator"
        trees = self.section.get("subtree")
        if isinstance(trees, Items) and trees.entries and isinstance(trees.entries[0], Table):
            name = split_name(
                text_of(trees.entries[0].peek("name"), name), self.variables, trees.place
            )[0]
            self.trees(trees, 1, [])
        else:
            self.tree(self.section, 1, [])
        return Hardware(name, self.section.place, f"tree of version {version}", self.levels)

    def trees(self, trees: Items, count: int, outer: list[Table]) -> None:
        for tree in trees.entries[1:]:
            self.report.left_out("a further subtree", tree.place, "Timeloop takes one, the first")
            see_within(tree)
        for tree in trees.entries[:1]:
            if isinstance(tree, Table):
                self.tree(tree, count, outer)

    def tree(self, tree: Table, count: int, outer: list[Table]) -> None:
        name = tree.get("name")
        if name is not None:
            count *= split_name(text_of(name), self.variables, name.place)[1]
        inside = [table_of(tree.get("attributes"), self.report), *outer]
        local = tree.get("local")
        components = local.entries if isinstance(local, Items) else []
        for component in reversed(components) if self.inside_out else components:
            if isinstance(component, Table):
                self.component(component, count, inside)
        subtree = tree.get("subtree")
        if isinstance(subtree, Items):
            self.trees(subtree, count, inside)

    def component(self, component: Table, count: int, outer: list[Table]) -> None:
        if not is_enabled(component):
            self.report.left_out("a component that is not enabled", component.place)
            see_within(component)
            return
        name_value = component.get("name")
        name, copies = split_name(
            text_of(name_value, "unnamed"), self.variables, component.place_of("name")
        )
        component_class = text_of(component.get("class"))
        kind = kind_of(component_class)
        if not is_level(kind, name, component, self.report):
            return
        own = table_of(component.get("attributes"), self.report)
        attributes = Attributes([own, *outer], self.variables, inherits=False)
        component.get("subclass", "required_actions", "enabled")
        component.see_all()
        level = Level(name, kind, component_class, attributes, component.place)
        level.instances = attributes.whole("instances") or count * copies
        level.mesh = mesh_of(level, self.report)
        level.is_dummy = kind == "storage" and is_dummy(name, component_class)
        self.levels.append(level)


def _read_flat(section: Table, variables: Variables, report: Report) -> Hardware:
    """The oldest form: arithmetic, and storages from the inside out."""
    hardware = Hardware("accelerator", section.place, "flat")
    storage = section.get("storage")
    for entry in reversed(storage.entries if isinstance(storage, Items) else []):
        if isinstance(entry, Table):
            hardware.levels.append(_flat_level(entry, "storage", variables, report))
    arithmetic = section.get("arithmetic")
    if isinstance(arithmetic, Table):
        hardware.levels.append(_flat_level(arithmetic, "compute", variables, report))
    return hardware


def _flat_level(entry: Table, kind: Kind, variables: Variables, report: Report) -> Level:
    attributes = Attributes([entry], variables, inherits=False)
    name = text_of(entry.get("name"), "mac" if kind == "compute" else "storage")
    component_class = text_of(entry.get("class", "technology"), "SRAM")
    level = Level(name, kind, component_class, attributes, entry.place)
    level.instances = attributes.whole("instances") or 1
    level.mesh = mesh_of(level, report)
    return level
