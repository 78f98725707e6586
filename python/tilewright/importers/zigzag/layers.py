"""Layers of ZigZag as workloads: an equation, relations between dimensions, sizes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tilewright.importers.report import Report
from tilewright.importers.values import Items, Scalar, Table, Value, number_in, refuse

_EQUATION = re.compile(
    r"O(?P<O>(?:\[\w+\])+)\s*\+?\s*=\s*(?P<a>\w)(?P<A>(?:\[\w+\])+)\s*\*\s*(?P<b>\w)(?P<B>(?:\[\w+\])+)\s*\Z"
)
_RELATION = re.compile(r"(\w+)\s*=\s*(?:(\w+)\s*\*\s*)?(\w+)\s*\+\s*(?:(\w+)\s*\*\s*)?(\w+)\s*\Z")


@dataclass(frozen=True, slots=True)
class Layer:
    """The text of a workload file and its name."""

    name: str
    text: str


def _text(value: Value | None) -> str:
    return value.text.strip() if isinstance(value, Scalar) else ""


def _texts(value: Value | None) -> list[str]:
    return [_text(entry) for entry in value.entries] if isinstance(value, Items) else []


def read_layer(table: Table, number: int, report: Report) -> Layer | None:
    """A layer, or None if it is no contraction."""
    name = _text(table.get("name")) or f"layer{_text(table.get('id')) or number}"
    name = re.sub(r"[^A-Za-z0-9_.-]+", ".", name)
    operator = _text(table.get("operator_type"))
    equation = _text(table.get("equation"))
    match = _EQUATION.match(equation)
    if match is None:
        report.left_out(f"{operator} {name}", table.place, "it is no product of two operands")
        table.see_all()
        return None
    relations = _relations(table)
    sizes = _sizes(table)
    tensors = {
        letter: _indices(match[key], relations)
        for letter, key in (("O", "O"), (match["a"], "A"), (match["b"], "B"))
    }
    used = set(re.findall(r"[A-Za-z]\w*", " ".join(tensors.values())))
    for dim in sorted(used - set(sizes)):
        raise refuse(f"{name} gives no size of {dim.upper()}", "add it to loop_dims", table.place)
    sizes = {dim: size for dim, size in sizes.items() if dim in used}
    operands = [f"{letter}[{text}]" for letter, text in tensors.items() if letter != "O"]
    lines = [
        f"workload: {json.dumps(name)}",
        f'einsum: "O[{tensors["O"]}] += {" * ".join(operands)}"',
        f"sizes: {{{', '.join(f'{dim}: {size}' for dim, size in sizes.items())}}}",
        *_bits(table, list(tensors)),
    ]
    report.exact(f"{operator} {name}", table.place)
    if table.get("padding") is not None:
        report.approximated(f"padding of {name}", table.place, "the border is read like the rest")
    for key in ("operand_source", "pr_loop_dims", "pr_loop_sizes"):
        if table.get(key) is not None:
            report.left_out(f"{key} of {name}", table.place_of(key), "workloads stand alone here")
    report.rest(table, name, "it has no counterpart here")
    return Layer(name, "\n".join(lines) + "\n")


def _relations(table: Table) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in _texts(table.get("dimension_relations")):
        match = _RELATION.match(text)
        if match is None:
            raise refuse(
                f"{text!r} is no relation",
                "write ix=1*ox+1*fx",
                table.place_of("dimension_relations"),
            )
        left, a, first, b, second = match.groups()
        parts = [
            name if factor in (None, "1") else f"{factor}*{name}"
            for factor, name in ((a, first), (b, second))
        ]
        found[left.lower()] = " + ".join(parts).lower()
    return found


def _sizes(table: Table) -> dict[str, int]:
    dims = [text.lower() for text in _texts(table.get("loop_dims"))]
    sizes = [number_in(text) for text in _texts(table.get("loop_sizes"))]
    if len(dims) != len(sizes) or not all(isinstance(size, int) and size > 0 for size in sizes):
        raise refuse("loop_dims and loop_sizes do not belong together", place=table.place)
    return {dim: int(size or 1) for dim, size in zip(dims, sizes, strict=True)}


def _indices(text: str, relations: dict[str, str]) -> str:
    names = [str(name).lower() for name in re.findall(r"\[(\w+)\]", text)]
    return ", ".join(relations[name] if name in relations else name for name in names)


def _bits(table: Table, tensors: list[str]) -> list[str]:
    precision = table.get("operand_precision")
    if not isinstance(precision, Table):
        return []
    widths = {name: _text(precision.get(name)) for name in tensors}
    precision.see_all()
    known = {name: width for name, width in widths.items() if width.isdigit() and int(width) > 0}
    return [f"bits: {{{', '.join(f'{n}: {w}' for n, w in known.items())}}}"] if known else []
