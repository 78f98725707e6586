"""The levels of an architecture, outermost first, whatever the dialect it is written in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from tilewright.importers.report import Report
from tilewright.importers.timeloop.expressions import ExpressionError, evaluate
from tilewright.importers.timeloop.scope import Attributes, Variables
from tilewright.importers.values import (
    Items,
    Place,
    Scalar,
    Table,
    Value,
    refuse,
    see_within,
    truth_in,
)

Kind = Literal["storage", "compute", "network", "other"]
_STORAGE = ("dram", "sram", "regfile", "smartbuffer", "storage")
_COMPUTE = ("mac", "compute")
_NETWORK = ("xy_noc", "legacy", "reductiontree", "simplemulticast")
_RANGE = re.compile(r"\[\s*(?P<first>[^\[\]]*?)\s*\.\.\s*(?P<last>[^\[\]]*?)\s*\]")
_TAGS = ("!Component", "!Container", "!Parallel", "!Hierarchical", "!Pipelined", "!Nothing")


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


def read_hardware(section: Value, variables: Variables, report: Report) -> Hardware:
    """The levels of an architecture section."""
    if not isinstance(section, Table):
        raise refuse("an architecture should be a table", place=section.place)
    section.get("version")
    if section.peek("nodes") is not None:
        hardware = _NodeReader(section, variables, report).read()
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


def _text(value: Value | None, default: str = "") -> str:
    return value.text if isinstance(value, Scalar) else default


def _table(value: Value | None, report: Report) -> Table:
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


class _TreeReader:
    """v0.2 and v0.3, and bundles of the front end: subtree within subtree."""

    def __init__(self, section: Table, variables: Variables, report: Report) -> None:
        self.section = section
        self.variables = variables
        self.report = report
        self.levels: list[Level] = []
        self.inside_out = self.is_inside_out(section)

    def is_inside_out(self, tree: Table) -> bool:
        """Whether lists of components start with the innermost one, as in files of 2019.

        Nothing in such a file says so, but more instances can only be further in.
        """
        local = tree.peek("local")
        counts: list[int] = []
        for component in local.entries if isinstance(local, Items) else []:
            if (
                isinstance(component, Table)
                and kind_of(_text(component.peek("class"))) == "storage"
            ):
                name = component.peek("name")
                counts.append(split_name(_text(name), self.variables, component.place)[1])
        if counts != sorted(counts):
            return True
        subtree = tree.peek("subtree")
        trees = subtree.entries[:1] if isinstance(subtree, Items) else []
        return any(isinstance(tree, Table) and self.is_inside_out(tree) for tree in trees)

    def read(self) -> Hardware:
        if self.inside_out:
            what = "order of components"
            self.report.exact(what, self.section.place, "lists start with the innermost one")
        version = _text(self.section.peek("version"), "0.2")
        name = "accelerator"
        trees = self.section.get("subtree")
        if isinstance(trees, Items) and trees.entries and isinstance(trees.entries[0], Table):
            name = split_name(
                _text(trees.entries[0].peek("name"), name), self.variables, trees.place
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
            count *= split_name(_text(name), self.variables, name.place)[1]
        inside = [_table(tree.get("attributes"), self.report), *outer]
        local = tree.get("local")
        components = local.entries if isinstance(local, Items) else []
        for component in reversed(components) if self.inside_out else components:
            if isinstance(component, Table):
                self.component(component, count, inside)
        subtree = tree.get("subtree")
        if isinstance(subtree, Items):
            self.trees(subtree, count, inside)

    def component(self, component: Table, count: int, outer: list[Table]) -> None:
        if not _is_enabled(component):
            self.report.left_out("a component that is not enabled", component.place)
            see_within(component)
            return
        name_value = component.get("name")
        name, copies = split_name(
            _text(name_value, "unnamed"), self.variables, component.place_of("name")
        )
        component_class = _text(component.get("class"))
        kind = kind_of(component_class)
        if not _is_level(kind, name, component, self.report):
            return
        own = _table(component.get("attributes"), self.report)
        attributes = Attributes([own, *outer], self.variables, inherits=False)
        component.get("subclass", "required_actions", "enabled")
        component.see_all()
        level = Level(name, kind, component_class, attributes, component.place)
        level.instances = attributes.whole("instances") or count * copies
        level.mesh = _mesh(level, self.report)
        level.is_dummy = kind == "storage" and is_dummy(name, component_class)
        self.levels.append(level)


def _is_enabled(component: Table) -> bool:
    enabled = component.get("enabled")
    return not isinstance(enabled, Scalar) or truth_in(enabled.text) is not False


def _is_level(kind: Kind, name: str, component: Table, report: Report) -> bool:
    if kind in ("storage", "compute"):
        return True
    see_within(component)
    note = "the energy of networks is not modelled"
    if kind == "other":
        note = "Timeloop does not model this class either"
    report.left_out(
        f"component {name} of class {_text(component.peek('class'))}", component.place, note
    )
    return False


def _mesh(level: Level, report: Report) -> tuple[int, int]:
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


class _NodeReader:
    """v0.4: a list of nodes, each inside all that come before it."""

    def __init__(self, section: Table, variables: Variables, report: Report) -> None:
        self.section = section
        self.variables = variables
        self.report = report
        self.hardware = Hardware("accelerator", section.place, "nodes of version 0.4")
        self.mesh = (1, 1)
        self.outer: list[Table] = []
        self.groups = 0
        self.branch = 0
        self.named = False

    def read(self) -> Hardware:
        nodes = self.section.get("nodes")
        if not isinstance(nodes, Items):
            raise refuse("nodes should be a list", place=self.section.place_of("nodes"))
        self.collect(nodes)
        self.nodes(nodes, None)
        return self.hardware

    def collect(self, nodes: Items) -> None:
        """Lets expressions name other nodes."""
        for node in nodes.entries:
            if isinstance(node, Table):
                name = node.peek("name")
                if isinstance(name, Scalar):
                    self.variables.nodes[name.text] = node
                inside = node.peek("nodes")
                if isinstance(inside, Items):
                    self.collect(inside)

    def nodes(self, nodes: Items, group: int | None) -> None:
        for node in nodes.entries:
            if isinstance(node, Table):
                self.node(node, group)

    def node(self, node: Table, group: int | None) -> None:
        tag = node.tag or ("!Component" if node.peek("class") is not None else "!Container")
        if tag not in _TAGS:
            self.report.complain(
                f"unknown tag {tag}", f"write one of {', '.join(_TAGS)}", node.place
            )
            return
        if not _is_enabled(node):
            self.report.left_out("a node that is not enabled", node.place)
            see_within(node)
            return
        name = _text(node.get("name"), tag[1:])
        sparse = node.get("sparse_optimizations")
        if sparse is not None:
            self.hardware.sparse.append((name, sparse))
        node.get("required_actions")
        if tag in ("!Parallel", "!Hierarchical", "!Pipelined"):
            self.branches(node, tag, group)
        elif tag == "!Nothing":
            self.nothing(node, group)
        else:
            self.thing(node, name, tag, group)

    def branches(self, node: Table, tag: str, group: int | None) -> None:
        inside = node.get("nodes")
        if not isinstance(inside, Items):
            return
        if tag != "!Parallel" or group is not None:
            self.nodes(inside, group)
            return
        self.groups += 1
        for child in inside.entries:
            self.branch += 1
            if isinstance(child, Table):
                self.node(child, self.groups)

    def nothing(self, node: Table, group: int | None) -> None:
        constraints = node.get("constraints")
        if isinstance(constraints, Table) and group is not None:
            self.hardware.nothing.append((group, self.branch, constraints))

    def thing(self, node: Table, name: str, tag: str, group: int | None) -> None:
        own = _table(node.get("attributes"), self.report)
        attributes = Attributes([own, *self.outer], self.variables, inherits=True)
        component_class = _text(node.get("class"))
        if not component_class and node.peek("subclass") is not None:
            component_class = "storage"  # what the front end takes it for
        kind = kind_of(component_class) if tag == "!Component" else "other"
        if tag == "!Component" and not _is_level(kind, name, node, self.report):
            return
        self.spread(node, name, attributes)
        constraints = node.get("constraints")
        if isinstance(constraints, Table):
            self.hardware.node_constraints.append((name, constraints))
        if tag == "!Container":
            self.outer = [own, *self.outer]
            if not self.named:
                self.hardware.name, self.named = name, True
            return
        node.get("subclass")
        level = Level(name, kind, component_class, attributes, node.place, group=group)
        level.mesh, level.instances = self.mesh, self.mesh[0] * self.mesh[1]
        level.branch = self.branch
        self.hardware.levels.append(level)

    def spread(self, node: Table, name: str, attributes: Attributes) -> None:
        """The fan-out of a node, as the storage that the front end puts before it."""
        spatial = node.get("spatial")
        if not isinstance(spatial, Table):
            return
        scope = Attributes([spatial, attributes.own, *self.outer], self.variables, inherits=False)
        x, y = scope.whole("meshX") or 1, scope.whole("meshY") or 1
        if x < 1 or y < 1:
            self.report.complain("a mesh has at least one instance", "write 1", spatial.place)
            return
        if x * y == 1:
            return
        dummy = Level(f"inter_{name}_spatial", "storage", "dummy_storage", attributes, node.place)
        dummy.mesh, dummy.instances, dummy.is_dummy = self.mesh, self.mesh[0] * self.mesh[1], True
        self.hardware.levels.append(dummy)
        self.mesh = (self.mesh[0] * x, self.mesh[1] * y)


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
    name = _text(entry.get("name"), "mac" if kind == "compute" else "storage")
    component_class = _text(entry.get("class", "technology"), "SRAM")
    level = Level(name, kind, component_class, attributes, entry.place)
    level.instances = attributes.whole("instances") or 1
    level.mesh = _mesh(level, report)
    return level
