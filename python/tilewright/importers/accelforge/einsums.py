"""Einsums of AccelForge as workloads, one for each, and as the cascade that they are together."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from tilewright.importers.report import Report
from tilewright.importers.timeloop.expressions import ExpressionError, evaluate
from tilewright.importers.timeloop.scope import Variables
from tilewright.importers.values import Items, Place, Scalar, Table, Value, number_in, refuse
from tilewright.importers.writing import name_text

_RANGE = re.compile(r"\s*0\s*<=\s*(\w+)\s*<\s*(\S+)\s*\Z")
_NAMES = re.compile(r"[A-Za-z_]\w*")
_INDEX = re.compile(r"[\w\s+*]+\Z")


@dataclass(frozen=True, slots=True)
class Einsum:
    """The text of a workload file and its name; what a cascade says of it."""

    name: str
    text: str
    contraction: str
    tensors: list[str]  # the output first
    sizes: dict[str, int]
    widths: dict[str, int]


def _text(value: Value | None) -> str:
    return value.text.strip() if isinstance(value, Scalar) else ""


def _tables(value: Value | None) -> list[Table]:
    entries = value.entries if isinstance(value, Items) else []
    return [entry for entry in entries if isinstance(entry, Table)]


def read_einsums(workload: Table, report: Report) -> list[Einsum]:
    """All einsums that are a contraction with one output."""
    sizes, ranks = _ranges(workload), _rank_sizes(workload)
    bits = workload.get("bits_per_value")
    default = _whole(bits.get("All")) if isinstance(bits, Table) else None
    found: list[Einsum] = []
    for number, einsum in enumerate(_tables(workload.get("einsums"))):
        name = _text(einsum.get("name")) or f"einsum{number}"
        made = _einsum(einsum, name, sizes, ranks, default, report)
        if made is not None:
            found.append(made)
    if isinstance(bits, Table):
        report.rest(bits, "bits_per_value", "only All and widths of single tensors are read")
    report.rest(workload, "workload", "workloads stand alone here")
    return found


def hand_on(einsums: list[Einsum]) -> bool:
    """Whether one reads what another one writes."""
    written = {einsum.tensors[0] for einsum in einsums}
    return any(tensor in written for einsum in einsums for tensor in einsum.tensors[1:])


def cascade_text(name: str, einsums: list[Einsum]) -> str | None:
    """The cascade of all einsums; nothing if sizes or widths differ from one to the next."""
    sizes: dict[str, int] = {}
    widths: set[int] = set()
    for einsum in einsums:
        if any(sizes.setdefault(dim, size) != size for dim, size in einsum.sizes.items()):
            return None
        widths.update(einsum.widths.values())
    if len(widths) > 1:
        return None
    lines = [
        f"cascade: {name_text(name)}",
        f"sizes: {{{', '.join(f'{dim}: {size}' for dim, size in sizes.items())}}}",
        *(f"bits: {width}" for width in widths),
        "einsums:",
        *(f'  - {name_text(einsum.name)}: "{einsum.contraction}"' for einsum in einsums),
    ]
    return "\n".join(lines) + "\n"


def _whole(value: Value | None) -> int | None:
    number = number_in(_text(value))
    return number if isinstance(number, int) and number > 0 else None


def _ranges(owner: Table) -> dict[str, int]:
    """Sizes of variables such as ``m: 0 <= m < 128``, of a workload or of one einsum."""
    shape = owner.get("iteration_space_shape")
    if isinstance(shape, Table):
        texts = [(_text(shape.get(key)), shape.place_of(key)) for key in shape.entries]
    else:
        entries = shape.entries if isinstance(shape, Items) else []
        texts = [(_text(entry), entry.place) for entry in entries]
    found: dict[str, int] = {}
    for text, place in texts:
        match = _RANGE.match(text)
        size = number_in(match[2]) if match else None
        if match is None or not isinstance(size, int) or size < 1:
            raise refuse(f"the range {text!r} is not plain", "write 0 <= m < 128", place)
        found[match[1]] = size
    return found


def _rank_sizes(workload: Table) -> dict[str, int]:
    ranks = workload.get("rank_sizes")
    found: dict[str, int] = {}
    if isinstance(ranks, Table):
        for key in ranks.entries:
            size = _computed(ranks, key)
            if size is None:
                raise refuse(
                    f"the size of {key} is no number", "write a number", ranks.place_of(key)
                )
            found[key] = size
    return found


def _computed(ranks: Table, key: str) -> int | None:
    """A size, which may be an expression over other sizes."""
    try:
        size = evaluate(_text(ranks.get(key)), Variables(ranks, {}))
    except ExpressionError:
        return None
    return int(size) if isinstance(size, int | float) and size >= 1 and size == int(size) else None


def _einsum(
    einsum: Table,
    name: str,
    sizes: dict[str, int],
    ranks: dict[str, int],
    bits: int | None,
    report: Report,
) -> Einsum | None:
    accesses = _tables(einsum.get("tensor_accesses"))
    outputs = [access for access in accesses if _text(access.get("output")).lower() == "true"]
    copy = _text(einsum.get("is_copy_operation")).lower() == "true"
    if len(outputs) != 1 or len(accesses) < 2 or copy:
        report.left_out(f"einsum {name}", einsum.place, "it is no contraction with one output")
        einsum.see_all()
        return None
    sizes = {**sizes, **_ranges(einsum)}
    used: dict[str, int] = {}
    roles = _roles(einsum, [_text(access.peek("name")) for access in accesses])
    texts: list[str] = []
    parts: list[str] = []
    widths: dict[str, int] = {}
    for access in [*outputs, *(access for access in accesses if access not in outputs)]:
        tensor = _text(access.get("name")) or "T"
        indices = f"[{', '.join(_indices(access, sizes, ranks, used))}]"
        texts.append(tensor + indices)
        parts.append(f"{tensor}:{roles[tensor]}{indices}" if tensor in roles else tensor + indices)
        width = _whole(access.get("bits_per_value")) or bits
        if width is not None:
            widths[tensor] = width
        access.see_all()
    lines = [
        f"workload: {json.dumps(name)}",
        f'einsum: "{texts[0]} += {" * ".join(texts[1:])}"',
        f"sizes: {{{', '.join(f'{dim}: {size}' for dim, size in used.items())}}}",
    ]
    if widths:
        lines.append(f"bits: {{{', '.join(f'{t}: {w}' for t, w in widths.items())}}}")
    if roles:
        lines.append(f"roles: {{{', '.join(f'{t}: {r}' for t, r in roles.items())}}}")
    report.exact(f"einsum {name}", einsum.place)
    file_name = re.sub(r"[^A-Za-z0-9_.-]+", ".", name)
    contraction = f"{parts[0]} += {' * '.join(parts[1:])}"
    tensors = [text.split("[")[0] for text in texts]
    return Einsum(file_name, "\n".join(lines) + "\n", contraction, tensors, used, widths)


def _roles(einsum: Table, tensors: list[str]) -> dict[str, str]:
    """The roles that an einsum gives to its tensors."""
    renames = einsum.get("renames")
    if not isinstance(renames, Table):
        return {}
    roles = {_text(renames.get(role)): role for role in ("input", "weight")}
    renames.see_all()
    return {tensor: role for tensor, role in roles.items() if tensor in tensors}


def _indices(
    access: Table, sizes: dict[str, int], ranks: dict[str, int], used: dict[str, int]
) -> list[str]:
    """The indices of a tensor; notes the sizes of the variables in them."""
    projection = access.get("projection")
    pairs: list[tuple[str, str, Place]] = []
    if isinstance(projection, Items):
        pairs = [(_text(e).upper(), _text(e), e.place) for e in projection.entries]
    elif isinstance(projection, Table):
        pairs = [(key, _text(projection.get(key)), projection.place) for key in projection.entries]
    indices: list[str] = []
    for rank, index, place in pairs:
        variables = _NAMES.findall(index)
        if not variables or not _INDEX.match(index):
            raise refuse(f"the index {index!r} is not plain", "write p + r or 2*p + r", place)
        for variable in variables:
            size = sizes.get(variable) or (ranks.get(rank) if index == variable else None)
            size = size or ranks.get(variable.upper())
            if size is None:
                raise refuse(f"the size of {variable} is not given", "add it to rank_sizes", place)
            used.setdefault(variable, size)
        indices.append(index)
    return indices
