"""From a model of ONNX to a network, workloads, and a report."""

from __future__ import annotations

import csv
import io
import json
import math
import pathlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tilewright import _native
from tilewright._errors import Problem
from tilewright.importers.onnx.model import Model, read_model
from tilewright.importers.onnx.operators import OPERATORS, Contraction, Node, Unknown
from tilewright.importers.report import Report, report_text
from tilewright.importers.values import Place, refuse

_COLUMNS = (
    "N M C P Q R S stride_h stride_w dilation_h dilation_w groups".split()
)  # of a row, in this order
_BRANCHES = ("If", "Loop", "Scan")


@dataclass(frozen=True, slots=True)
class ImportedNetwork:
    """The texts of files by their names, and what became of the model."""

    files: dict[str, str]
    report: Report


@dataclass(slots=True)
class _Share:
    """What all nodes of an operator do that is no contraction."""

    nodes: int = 0
    operations: int = 0
    bytes: int = 0


@dataclass(slots=True)
class _Work:
    rows: list[Contraction] = field(default_factory=list[Contraction])
    workloads: list[Contraction] = field(default_factory=list[Contraction])
    others: dict[str, _Share] = field(default_factory=dict[str, _Share])
    bytes: int = 0  # of contractions


def import_onnx(path: pathlib.Path, sizes: Mapping[str, int] | None = None) -> ImportedNetwork:
    """Reads a model; gives a network, workloads that no row of it can say, and a report."""
    model = read_model(path, sizes or {})
    report = Report()
    work = _read_nodes(model, report)
    report.raise_problems()
    if not work.rows and not work.workloads:
        raise refuse("the model has no contraction, so there is nothing to map", place=model.place)
    name = _plain(path.stem)
    files: dict[str, str] = {}
    if work.rows:
        files["network.csv"] = _network_text(name, path.name, work.rows)
    for contraction in work.workloads:
        files[f"{contraction.name}.yaml"] = _workload_text(contraction, path.name)
    macs = _counted(files)
    title = f"Import of {path.name}"
    remarks = _remarks(model, work, macs, files)
    files["report.md"] = report_text(report, title, [*remarks, _table(work, macs)])
    return ImportedNetwork(files, report)


def _plain(name: str) -> str:
    """A name that can be a name of a file as well."""
    return re.sub(r"[^A-Za-z0-9_.-]+", ".", name).strip(".") or "node"


def _read_nodes(model: Model, report: Report) -> _Work:
    work = _Work()
    names: set[str] = set()
    for proto in model.nodes:
        node = Node(proto, model, _own_name(proto, names))
        place = Place(f"{model.path.name}, node {node.name}")
        operator = OPERATORS.get(node.op)
        if operator is None:
            _other(node, work, report, place)
            continue
        try:
            found = operator(node)
        except Unknown as error:
            _not_read(node, error, model, report)
            continue
        except (IndexError, TypeError, ValueError, ZeroDivisionError, OverflowError):
            _not_read(node, Unknown("it is not as the standard says"), model, report)
            continue
        _add(found, node, work, report, place)
    return work


def _own_name(proto: Any, names: set[str]) -> str:
    base = _plain(proto.name or (proto.output[0] if proto.output else proto.op_type))
    name, number = base, 2
    while name in names:
        name, number = f"{base}_{number}", number + 1
    names.add(name)
    return name


def _not_read(node: Node, error: Unknown, model: Model, report: Report) -> None:
    symbols = ", ".join(f"--size {name}=1" for name in sorted(model.symbols))
    hint = f"give the sizes of its inputs: {symbols}" if symbols and "shape" in str(error) else ""
    report.problems.append(Problem(f"node {node.name} ({node.op}): {error}", hint, str(model.path)))


def _add(found: list[Contraction], node: Node, work: _Work, report: Report, place: Place) -> None:
    for part in found:
        if any(size < 1 for size in [*part.columns.values(), *part.sizes.values(), part.count]):
            report.left_out(f"{node.op} {part.name}", place, "it is empty")
            continue
        bits = ", ".join(f"{role} {width}" for role, width in part.bits.items())
        note = f"{part.op}; {part.note}" if part.note else part.op
        if part.op == "einsum":
            work.workloads.append(part)
            report.exact(f"{node.op} {part.name}", place, f"in {part.name}.yaml")
        else:
            work.rows.append(part)
            report.exact(f"{node.op} {part.name}", place, f"{note}; bits: {bits or 'unknown'}")
        if part.note.startswith(("pads", "auto_pad")):
            report.approximated(
                f"padding of {part.name}", place, f"{part.note}; the border is read like the rest"
            )
    work.bytes += _bytes_of(node)


def _bytes_of(node: Node) -> int:
    """What the node reads and writes once."""
    total = 0
    for name in [*node.inputs, *node.outputs]:
        shape = node.model.shapes.get(name)
        if shape is not None:
            total += math.prod(shape) * node.model.bits.get(name, 0) // 8
    return total


def _other(node: Node, work: _Work, report: Report, place: Place) -> None:
    share = work.others.setdefault(node.op, _Share())
    share.nodes += 1
    share.bytes += _bytes_of(node)
    shapes = [node.model.shapes.get(name) for name in node.outputs]
    share.operations += sum(math.prod(shape) for shape in shapes if shape is not None)
    if node.op in _BRANCHES:
        inside = list(_contractions_in(node.proto))
        text = f"contractions inside it are not read: {', '.join(inside)}"
        report.left_out(
            f"{node.op} {node.name}", place, text if inside else "no contraction is inside it"
        )
        if inside:
            report.warn(f"{node.op} {node.name} is not read", "what it computes is missing", place)


def _contractions_in(proto: Any) -> Iterator[str]:
    """The contractions in the graphs that a node has, and in theirs."""
    for attribute in proto.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            for inner in graph.node:
                if inner.op_type in OPERATORS:
                    yield f"{inner.op_type} {inner.name or ' '.join(inner.output)}"
                yield from _contractions_in(inner)


# --- files --------------------------------------------------------------------------


def _network_text(name: str, file: str, rows: list[Contraction]) -> str:
    stream = io.StringIO()
    stream.write(f"# Imported from {file} by `tilewright import onnx`; report.md has the rest.\n")
    stream.write(f"# source: {file}\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["model", "layer", "op", *_COLUMNS, "transposed", "count", "source", "note"])
    for row in rows:
        numbers = [row.columns.get(key, 1) for key in _COLUMNS]
        if row.op == "dwconv":
            numbers[-1] = row.columns["C"]
        bits = " ".join(f"{role}={width}" for role, width in row.bits.items())
        note = "; ".join(part for part in (row.note, f"bits {bits}" if bits else "") if part)
        truth = "true" if row.transposed else "false"
        writer.writerow([name, row.name, row.op, *numbers, truth, row.count, file, note])
    return stream.getvalue()


def _workload_text(part: Contraction, file: str) -> str:
    sizes = ", ".join(f"{dim}: {size}" for dim, size in part.sizes.items())
    return (
        f"# Imported from {file} by `tilewright import onnx`.\n"
        f"workload: {json.dumps(part.name)}\neinsum: {json.dumps(part.einsum)}\n"
        f"sizes: {{{sizes}}}\n"
    )


def _counted(files: Mapping[str, str]) -> int:
    """Multiply-accumulates, by the engine; it refuses what it would not read."""
    total = 0
    for name, text in files.items():
        if name.endswith(".csv"):
            total += _native.Network.read(text, name, []).macs
        else:
            total += _native.Workload.read(text, name).macs
    return total


def _remarks(model: Model, work: _Work, macs: int, files: Mapping[str, str]) -> list[str]:
    remarks = [
        f"{macs:,} multiply-accumulates in {len(work.rows) + len(work.workloads)} contractions; "
        f"{model.parameters:,} parameters."
    ]
    if "network.csv" in files:
        remarks.append("To map it: `tilewright map --arch eyeriss --model network.csv`.")
    widths = sorted({width for row in work.rows for width in row.bits.values()})
    if widths:
        text = ", ".join(str(width) for width in widths)
        remarks.append(
            f"Elements have {text} bits. Rows of a network do not say that; give `--bits` where "
            "capacities are in bytes."
        )
    return remarks


def _table(work: _Work, macs: int) -> str:
    """What is no contraction, with its share."""
    operations = 2 * macs + sum(share.operations for share in work.others.values())
    size = work.bytes + sum(share.bytes for share in work.others.values())
    lines = [
        "Operations are two for each multiply-accumulate and one for each element that another "
        "node gives; bytes are read or written once by every node.\n",
        "| operator | nodes | operations | share | bytes | share |",
        "|---|---|---|---|---|---|",
        _table_line(
            "contractions",
            len(work.rows) + len(work.workloads),
            2 * macs,
            work.bytes,
            operations,
            size,
        ),
    ]
    for name, share in sorted(work.others.items(), key=lambda entry: -entry[1].bytes):
        lines.append(
            _table_line(name, share.nodes, share.operations, share.bytes, operations, size)
        )
    return "\n".join(lines)


def _table_line(
    name: str, nodes: int, operations: int, size: int, all_of: int, all_bytes: int
) -> str:
    shares = operations / max(1, all_of), size / max(1, all_bytes)
    return f"| {name} | {nodes} | {operations:,} | {shares[0]:.2%} | {size:,} | {shares[1]:.2%} |"
