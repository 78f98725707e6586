"""From a model of ONNX to a network and a report."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tilewright import _native
from tilewright._errors import Problem
from tilewright.importers.onnx.kept import kept
from tilewright.importers.onnx.model import Model, read_model
from tilewright.importers.onnx.network import Item, Kept, Mapped, Writer, operators_of
from tilewright.importers.onnx.nodes import Names, Node, Unknown
from tilewright.importers.onnx.operators import OPERATORS
from tilewright.importers.onnx.shares import Shares
from tilewright.importers.report import Report, report_text
from tilewright.importers.values import Place, refuse

_BRANCHES = ("If", "Loop", "Scan")


@dataclass(frozen=True, slots=True)
class ImportedNetwork:
    """The texts of files by their names, and what became of the model."""

    files: dict[str, str]
    report: Report


def import_onnx(path: pathlib.Path, sizes: Mapping[str, int] | None = None) -> ImportedNetwork:
    """Reads a model; gives a network and a report."""
    model = read_model(path, sizes or {}, OPERATORS)
    reader = _Reader(model)
    reader.read()
    reader.report.raise_problems()
    count = sum(isinstance(one, Mapped) for one in operators_of(reader.items))
    if count == 0:
        raise refuse("the model has no contraction, so there is nothing to map", place=model.place)
    text = Writer(model, reader.items).text(_plain(path.stem))
    # The engine counts, and refuses what it would not read.
    macs = _native.Network.read(text, f"{path.name} as network.yaml", []).macs
    table = reader.shares.table(count, macs)
    remarks = [*_remarks(reader, count, macs), table]
    page = report_text(reader.report, f"Import of {path.name}", remarks)
    return ImportedNetwork({"network.yaml": text, "report.md": page}, reader.report)


def _plain(name: str) -> str:
    """A name that can be a name of a file as well."""
    return re.sub(r"[^A-Za-z0-9_.-]+", ".", name).strip(".") or "node"


class _Reader:
    """Goes through the nodes of a model; collects operators and what to say of them."""

    def __init__(self, model: Model) -> None:
        self.items: list[Item] = []
        self.shares = Shares()
        self.report = Report()
        self.constant = 0  # nodes that compute constants
        self.model = model
        self._names = Names()

    def read(self) -> None:
        for proto in self.model.nodes:
            base = proto.name or (proto.output[0] if proto.output else proto.op_type)
            node = Node(proto, self.model, self._names.own(_plain(base)), self._names)
            operator = OPERATORS.get(node.op)
            try:
                found = operator(node) if operator is not None else []
                if found:
                    self._add(found, node)
                else:
                    self._keep(node)
            except Unknown as error:
                self._not_read(node, str(error))
            except (LookupError, TypeError, ValueError, ZeroDivisionError, OverflowError):
                self._not_read(node, "it is not as the standard says")

    def _place(self, node: Node) -> Place:
        return Place(f"{self.model.path.name}, node {node.name}")

    def _not_read(self, node: Node, error: str) -> None:
        symbols = ", ".join(f"--size {name}=1" for name in sorted(self.model.symbols))
        wanted = symbols and "shape" in error
        hint = f"give the sizes of its inputs: {symbols}" if wanted else ""
        message = f"node {node.name} ({node.op}): {error}"
        self.report.problems.append(Problem(message, hint, str(self.model.path)))

    # --- contractions ---------------------------------------------------------------

    def _add(self, found: list[Item], node: Node) -> None:
        place = self._place(node)
        products = [one for one in operators_of(found) if isinstance(one, Mapped)]
        self.shares.add_product(node)
        if any(self._is_empty(one) for one in operators_of(found)):
            self.report.left_out(f"{node.op} {node.name}", place, "it is empty")
            return
        for one in products:
            self._say(one, node, place)
        self.items += found

    def _is_empty(self, one: Mapped | Kept) -> bool:
        """Whether a tensor of an operator has no elements."""
        return any(0 in self.model.shapes.get(name, ()) for name in (*one.reads, one.writes))

    def _say(self, one: Mapped, node: Node, place: Place) -> None:
        known = self.model.bits
        widths = {role: known[name] for role, name in one.uses.items() if known.get(name)}
        bits = ", ".join(f"{role} {width}" for role, width in widths.items()) or "unknown"
        note = f"{one.note}; " if one.note else ""
        self.report.exact(f"{node.op} {one.name}", place, f"{note}bits: {bits}")
        if one.note.startswith(("pads", "auto_pad")):
            text = f"{one.note}; the border is read like the rest"
            self.report.approximated(f"padding of {one.name}", place, text)

    # --- what is no contraction -----------------------------------------------------

    def _keep(self, node: Node) -> None:
        self.shares.add_other(node)
        if node.op in _BRANCHES:
            self._tell_branches(node)
        if all(name in self.model.constants for name in node.outputs if name):
            self.constant += 1
            return
        found = kept(node)
        if not found:
            text = "nothing is known of what it reads or writes, or it is empty"
            self.report.left_out(f"{node.op} {node.name}", self._place(node), text)
        self.items += found

    def _tell_branches(self, node: Node) -> None:
        place = self._place(node)
        inside = list(_contractions_in(node.proto))
        text = f"contractions inside it are not read: {', '.join(inside)}"
        text = text if inside else "no contraction is inside it"
        self.report.left_out(f"what is inside {node.op} {node.name}", place, text)
        if inside:
            message = f"what is inside {node.op} {node.name} is not read"
            self.report.warn(message, "what it computes is missing", place)


def _contractions_in(proto: Any) -> Iterator[str]:
    """The contractions in the graphs that a node has, and in theirs."""
    for attribute in proto.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            for inner in graph.node:
                if inner.op_type in OPERATORS:
                    yield f"{inner.op_type} {inner.name or ' '.join(inner.output)}"
                yield from _contractions_in(inner)


def _remarks(reader: _Reader, count: int, macs: int) -> list[str]:
    operators = list(operators_of(reader.items))
    model = reader.model
    remarks = [
        f"{macs:,} multiply-accumulates in {_counted(count, 'contraction')}; "
        f"{_counted(model.parameters, 'parameter')}; "
        f"{_counted(len(operators) - count, 'other operator')} beside them.",
        "To map it: `tilewright map --arch eyeriss --model network.yaml`.",
    ]
    if reader.constant:
        remarks.append(
            f"Constants, such as sizes of tensors, are computed by "
            f"{_counted(reader.constant, 'node')}; the network does not have them."
        )
    return remarks


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
