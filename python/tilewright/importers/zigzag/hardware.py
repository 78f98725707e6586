"""An accelerator of ZigZag as a chain of levels.

ZigZag's memories each serve some dimensions of the array, and are repeated along the others. A
chain of levels can say that if the memories can be ordered so that each one is repeated along
all the dimensions of those outside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tilewright.importers.report import Report
from tilewright.importers.timeloop.storage import decimal
from tilewright.importers.values import Items, Place, Scalar, Table, Value, number_in, refuse
from tilewright.importers.writing import line, list_text, name_text

_ROLES = {"I1": "input", "I2": "weight", "O": "output"}
_NOTES = {
    "latency": "accesses take no time beside their bandwidth here",
    "mem_type": "an input of CACTI",
    "auto_cost_extraction": "an input of CACTI",
    "double_buffering_support": "give double_buffered in the written file if it is wanted",
    "shared_memory_group_id": "no counterpart",
    "min_r_granularity": "accesses are as wide as the port here",
    "min_w_granularity": "accesses are as wide as the port here",
    "systolic_dimensions": "words come from a memory here, not from a neighbour",
}


@dataclass(slots=True)
class _Memory:
    name: str
    table: Table
    roles: list[str]
    repeated: frozenset[str]


def _number(value: Value | None, default: float = 0.0) -> float:
    if not isinstance(value, Scalar):
        return default
    number = number_in(value.text)
    if number is None or number < 0:
        raise refuse(f"{value.text!r} is no number from 0 on", "write a number", value.place)
    return float(number)


def _texts(value: Value | None) -> list[str]:
    entries = value.entries if isinstance(value, Items) else []
    return [entry.text for entry in entries if isinstance(entry, Scalar)]


def accelerator_lines(root: Table, bits: int, report: Report) -> list[str]:
    """The lines of an architecture file."""
    array = root.get("operational_array")
    memories = root.get("memories")
    if not isinstance(array, Table) or not isinstance(memories, Table):
        raise refuse("an accelerator has memories and an operational_array", place=root.place)
    imc = array.get("is_imc")
    if isinstance(imc, Scalar) and imc.text.lower() == "true":
        raise refuse(
            "computing in memory cannot be said here", "import another accelerator", imc.place
        )
    dims = _texts(array.get("dimensions"))
    sizes = [int(_number(size)) for size in _entries(array.get("sizes"))]
    if len(dims) != len(sizes) or not dims or min(sizes) < 1:
        raise refuse("dimensions and sizes do not belong together", place=array.place)
    chain = _chain(_memories(memories, dims), report)
    name = root.get("name")
    text = name.text if isinstance(name, Scalar) and name.text else "accelerator"
    lines = [
        f"architecture: {name_text(text)}",
        f"source: {json.dumps('ZigZag: ' + str(root.place))}",
    ]
    lines.append("levels:")
    spread: set[str] = set()
    for number, memory in enumerate(chain):
        inside = sorted(memory.repeated - spread, key=dims.index)
        lines += _fanout_lines(inside, dict(zip(dims, sizes, strict=True)))
        spread |= memory.repeated
        lines += _memory_lines(memory, bits, number == 0, report)
    rest = [dim for dim in dims if dim not in spread]
    lines += _fanout_lines(rest, dict(zip(dims, sizes, strict=True)))
    lines += _compute_lines(array, report)
    report.rest(root, "accelerator", "it has no counterpart here")
    return lines


def _entries(value: Value | None) -> list[Value]:
    return value.entries if isinstance(value, Items) else []


def _memories(table: Table, dims: list[str]) -> list[_Memory]:
    found: list[_Memory] = []
    for name in table.entries:
        memory = table.get(name)
        if not isinstance(memory, Table):
            continue
        served = _texts(memory.get("served_dimensions"))
        operands = _texts(memory.get("operands"))
        wrong = [text for text in served if text not in dims]
        wrong += [text for text in operands if text not in _ROLES]
        if wrong:
            raise refuse(f"{name} names {wrong[0]}, which is not known", place=memory.place)
        roles = [_ROLES[operand] for operand in operands]
        found.append(_Memory(name, memory, roles, frozenset(set(dims) - set(served))))
    if not found:
        raise refuse("the accelerator has no memory", place=table.place)
    return found


def _chain(memories: list[_Memory], report: Report) -> list[_Memory]:
    """Memories from the outside in. ZigZag lists them from the inside out."""
    chain = sorted(reversed(memories), key=lambda memory: len(memory.repeated))
    for outer, inner in zip(chain, chain[1:], strict=False):
        if not outer.repeated <= inner.repeated:
            report.complain(
                f"{outer.name} and {inner.name} are repeated along different dimensions",
                "a chain of levels cannot say that; leave one of them out",
                inner.table.place,
            )
    report.raise_problems()
    missing = set(_ROLES.values()) - set(chain[0].roles)
    if missing:
        raise refuse(
            f"the outermost memory {chain[0].name} does not hold {' and '.join(sorted(missing))}",
            "it should hold all operands",
            chain[0].table.place,
        )
    return chain


def _fanout_lines(dims: list[str], sizes: dict[str, int]) -> list[str]:
    """Two dimensions make one fan-out, so that sharing works over both at once."""
    lines: list[str] = []
    for at in range(0, len(dims), 2):
        pair = dims[at : at + 2]
        lines.append(f"  - fanout: {'_'.join(pair)}")
        lines += [f"    {axis}: {sizes[dim]}" for axis, dim in zip("xy", pair, strict=False)]
    return lines


def _memory_lines(memory: _Memory, bits: int, outermost: bool, report: Report) -> list[str]:
    table, place = memory.table, memory.table.place
    size = int(_number(table.get("size")))
    ports = [port for port in _entries(table.get("ports")) if isinstance(port, Table)]
    widths = _widths(ports)
    block = max(1, max(widths.values(), default=bits) // bits)
    lines = [line(f"  - memory: {name_text(memory.name)}", str(place))]
    lines.append(line(f"    capacity: {size} bits", str(table.place_of("size"))))
    if block > 1:
        lines.append(line(f"    block: {block} words", f"the widest port, at {bits} bits a word"))
    for ours, theirs in (("read", "r_cost"), ("write", "w_cost")):
        cost = table.get(theirs)
        if cost is None:
            report.approximated(
                f"{theirs} of {memory.name}", place, "CACTI would give it; it is 0 here"
            )
        lines.append(line(f"    {ours}: {decimal(_number(cost))} pJ", str(table.place_of(theirs))))
    for ours, kind in (("read", "read"), ("write", "write"), ("", "read_write")):
        if kind in widths:
            key = f"{ours}_bandwidth" if ours else "bandwidth"
            words = decimal(widths[kind] / bits)
            lines.append(line(f"    {key}: {words} words/cycle", f"{widths[kind]} bits"))
    area = _number(table.get("area"))
    if area:
        report.left_out(f"area of {memory.name}", table.place_of("area"), "it has no unit")
    if not outermost:
        lines.append(f"    keep: {list_text(memory.roles)}")
    report.exact(f"capacity of {memory.name}", table.place_of("size"), f"{size} bits")
    report.approximated(
        f"energies and bandwidths of {memory.name}",
        place,
        f"ports are as many words wide as {bits} bits allow, whatever the operand",
    )
    _name_rest(memory.name, table, report)
    return lines


def _widths(ports: list[Table]) -> dict[str, int]:
    """Bits per cycle of all ports of a kind."""
    widths: dict[str, int] = {}
    for port in ports:
        kind = port.get("type")
        width = port.get("bandwidth_max", "bandwidth", "bandwidth_min")
        port.see_all()
        if isinstance(kind, Scalar) and kind.text in ("read", "write", "read_write"):
            widths[kind.text] = widths.get(kind.text, 0) + int(_number(width))
    return {kind: width for kind, width in widths.items() if width}


def _name_rest(name: str, table: Table, report: Report) -> None:
    for key in list(table.unread()):
        place = table.places.get(key, table.place)
        report.left_out(f"{key} of {name}", place, _NOTES.get(key, "it has no counterpart here"))
    table.see_all()


def _compute_lines(array: Table, report: Report) -> list[str]:
    energy = array.get("unit_energy")
    place = energy.place if energy is not None else Place()
    lines = ["  - compute: multiplier"]
    lines.append(line(f"    energy: {decimal(_number(energy))} pJ", str(place) if energy else ""))
    report.exact("energy of a multiplier", place)
    _name_rest("the array", array, report)
    return lines
