"""Architectures of v0.4: a list of nodes, each inside all that come before it."""

from __future__ import annotations

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import (
    Hardware,
    Level,
    is_enabled,
    is_level,
    kind_of,
    table_of,
    text_of,
)
from tilewright.importers.timeloop.scope import Attributes, Variables
from tilewright.importers.values import Items, Scalar, Table, refuse, see_within

_TAGS = ("!Component", "!Container", "!Parallel", "!Hierarchical", "!Pipelined", "!Nothing")


class NodeReader:
    """Reads the nodes of an architecture section."""

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
        if not is_enabled(node):
            self.report.left_out("a node that is not enabled", node.place)
            see_within(node)
            return
        name = text_of(node.get("name"), tag[1:])
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
        own = table_of(node.get("attributes"), self.report)
        attributes = Attributes([own, *self.outer], self.variables, inherits=True)
        component_class = text_of(node.get("class"))
        if not component_class and node.peek("subclass") is not None:
            component_class = "storage"  # what the front end takes it for
        kind = kind_of(component_class) if tag == "!Component" else "other"
        if tag == "!Component" and not is_level(kind, name, node, self.report):
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
