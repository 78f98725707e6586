"""An architecture of AccelForge as levels.

AccelForge counts energies in joules for so many bits, and throughputs in actions per second. A
cycle here is the time that the multipliers take for one action.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from tilewright.importers.accelforge.sets import ROLES, tensor_set
from tilewright.importers.report import Report
from tilewright.importers.timeloop.expressions import ExpressionError, evaluate
from tilewright.importers.timeloop.storage import decimal
from tilewright.importers.values import Items, Place, Scalar, Table, Value, refuse
from tilewright.importers.writing import line, list_text, name_text

_PICO = 1e12


class _Names:
    """What names mean in numbers: nothing but the number of tensors and their width."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def find(self, name: str) -> Any:
        if name == "All":
            return list(ROLES)
        if name in ROLES:
            from tilewright.importers.timeloop.expressions import Members

            return Members({"bits_per_value": self.bits})
        raise KeyError(name)


@dataclass(slots=True)
class _Chip:
    bits: int
    cycle: float
    report: Report
    kept: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    lines: list[str] = field(default_factory=list[str])
    memories: int = 0

    def number(self, value: Value | None, default: float) -> float:
        if value is None:
            return default
        if not isinstance(value, Scalar):
            raise refuse("a number is expected here", "write a number", value.place)
        try:
            number = evaluate(value.text, _Names(self.bits))
        except ExpressionError as error:
            raise refuse(str(error), "write a number", value.place) from None
        if not isinstance(number, int | float) or math.isnan(number) or number < 0:
            raise refuse(f"{value.text!r} is no number from 0 on", "write a number", value.place)
        return float(number)


def _rounded(number: float) -> str:
    """Without the last digits, which changes of units have spoilt."""
    return decimal(float(f"{number:.12g}"))


def _text(value: Value | None, default: str = "") -> str:
    return value.text if isinstance(value, Scalar) else default


def _tables(value: Value | None) -> list[Table]:
    entries = value.entries if isinstance(value, Items) else [value]
    return [entry for entry in entries if isinstance(entry, Table)]


def architecture_lines(arch: Table, name: str, bits: int, report: Report) -> list[str]:
    """The lines of an architecture file."""
    nodes = [node for node in _flat(arch.get("nodes")) if _enabled(node, bits)]
    computes = [node for node in nodes if node.tag == "!Compute"]
    if len(computes) != 1 or nodes[-1] is not computes[0] or nodes[0].tag != "!Memory":
        raise refuse(
            "the architecture should start with a memory and end with its only compute node",
            "name one compute node, as the last",
            arch.place,
        )
    chip = _Chip(bits, 1.0, report)
    rate = chip.number(_action(computes[0], "compute").get("throughput"), 1.0)
    chip.cycle = 1 / rate if 0 < rate < math.inf else 1.0
    chip.lines = [
        f"architecture: {name_text(name)}",
        f"source: {json.dumps('AccelForge: ' + str(arch.place))}",
        line("levels:", f"a cycle is {chip.cycle:g} s, the time of one multiply-accumulate"),
    ]
    for node in nodes:
        _add(chip, node)
    report.rest(arch, "arch", "it has no counterpart here")
    return chip.lines


def _flat(value: Value | None) -> list[Table]:
    """Nodes in order; those in nested lists are inside what comes before."""
    found: list[Table] = []
    for node in _tables(value):
        if node.tag in ("!Hierarchical", "!Fork", "!Array"):
            found += _flat(node.get("nodes"))
        else:
            found.append(node)
    return found


def _enabled(node: Table, bits: int) -> bool:
    """Whether a node takes part in a product of two operands."""
    enabled = node.get("enabled")
    if not isinstance(enabled, Scalar):
        return True
    try:
        return bool(evaluate(enabled.text, _Names(bits)))
    except ExpressionError:
        return True


def _action(node: Table, name: str) -> Table:
    for action in _tables(node.get("actions")):
        if _text(action.get("name")) == name:
            action.see_all()
            return action
    return Table(place=node.place)


def _add(chip: _Chip, node: Table) -> None:
    name = _text(node.get("name"), "node")
    _add_fanouts(chip, node, name)
    if node.tag == "!Memory":
        _add_memory(chip, node, name)
    elif node.tag == "!Compute":
        _add_compute(chip, node, name)
    elif node.tag != "!Container":
        chip.report.left_out(f"{node.tag} {name}", node.place, "it has no counterpart here")
        node.see_all()
    for key in list(node.unread()):
        place = node.places.get(key, node.place)
        chip.report.left_out(f"{key} of {name}", place, "it has no counterpart here")
    node.see_all()


def _add_fanouts(chip: _Chip, node: Table, name: str) -> None:
    axes: list[tuple[str, int]] = []
    spatial = _tables(node.get("spatial"))
    apart = all(_text(axis.peek("may_reuse")) == "Nothing" for axis in spatial)
    for axis in spatial:
        label = _text(axis.get("name"), f"axis{len(axes) + 1}")
        size = chip.number(axis.get("fanout"), 1)
        if size < 1 or size != int(size):
            raise refuse("a fanout is a whole number from 1 on", "write 16", axis.place)
        axes.append((label, int(size)))
        if apart:
            axis.get("may_reuse")
            chip.report.exact(f"may_reuse of {label} at {name}", axis.place)
        for key in list(axis.unread()):
            what = f"{key} of {label} at {name}"
            if key in ("reuse", "may_reuse", "min_usage"):
                chip.report.approximated(what, axis.place, "any dimension may be unrolled here")
            else:
                chip.report.left_out(what, axis.place)
        axis.see_all()
    for at in range(0, len(axes), 2):
        pair = axes[at : at + 2]
        chip.lines.append(f"  - fanout: {name_text(name + '_' + '_'.join(n for n, _ in pair))}")
        for axis_name, (label, size) in zip("xy", pair, strict=False):
            chip.lines.append(line(f"    {axis_name}: {size}", f"{label}; {node.place}"))
        if apart:
            chip.lines += ["    multicast: false", "    reduction: false"]
        chip.report.exact(f"fan-out of {name}", node.place)


def _add_memory(chip: _Chip, node: Table, name: str) -> None:
    size = chip.number(node.get("size"), math.inf)
    lines = [line(f"  - memory: {name_text(name)}", str(node.place))]
    room = "unlimited" if math.isinf(size) else f"{int(size)} bits"
    lines.append(line(f"    capacity: {room}", str(node.place_of("size"))))
    chip.report.exact(f"size of {name}", node.place_of("size"), room)
    lines += _access_lines(chip, node, name)
    _add_leak_and_area(chip, node, lines)
    lines += _tensor_lines(chip, node, name)
    chip.lines += lines
    chip.memories += 1


def _access_lines(chip: _Chip, node: Table, name: str) -> list[str]:
    lines: list[str] = []
    read, write = _action(node, "read"), _action(node, "write")
    width = chip.number(read.get("bits_per_action"), 1)
    block = max(1, int(width) // chip.bits)
    if block > 1:
        lines.append(line(f"    block: {block} words", f"{int(width)} bits per action"))
    per_access = 1.0 if width >= chip.bits else chip.bits / width
    for ours, action in (("read", read), ("write", write)):
        if action.peek("energy") is None:
            note = "a component model would give it; it is 0 here"
            chip.report.approximated(f"{ours} energy of {name}", node.place, note)
        pj = chip.number(action.get("energy"), 0) * _PICO * per_access
        lines.append(line(f"    {ours}: {_rounded(pj)} pJ", f"J per action; {action.place}"))
    separate = "max(" in _text(node.get("total_latency"))
    lines += _bandwidth_lines(chip, (read, write), width, separate, name)
    return lines


def _bandwidth_lines(
    chip: _Chip, actions: tuple[Table, Table], width: float, separate: bool, name: str
) -> list[str]:
    rates = [chip.number(action.get("throughput"), math.inf) for action in actions]
    words = [rate * width * chip.cycle / chip.bits for rate in rates]
    if all(math.isinf(rate) for rate in rates):
        return []
    if not separate and words[0] == words[1]:
        return [line(f"    bandwidth: {_rounded(words[0])} words/cycle", "throughput")]
    if not separate:
        chip.report.approximated(
            f"throughput of {name}",
            actions[0].place,
            "reads and writes have ports of their own here",
        )
    return [
        line(f"    {ours}_bandwidth: {_rounded(count)} words/cycle", "throughput")
        for ours, count in zip(("read", "write"), words, strict=True)
        if not math.isinf(count) and count > 0
    ]


def _add_leak_and_area(chip: _Chip, node: Table, lines: list[str]) -> None:
    leak = chip.number(node.get("leak_power"), 0) * chip.cycle * _PICO
    if leak and node.tag == "!Memory":
        lines.append(line(f"    leakage: {_rounded(leak)} pJ/cycle", "leak_power"))
    area = chip.number(node.get("area"), 0) * _PICO
    if area:
        lines.append(line(f"    area: {_rounded(area)} um2", str(node.place_of("area"))))


def _tensor_lines(chip: _Chip, node: Table, name: str) -> list[str]:
    every = frozenset(ROLES)
    tensors = node.get("tensors")
    table = tensors if isinstance(tensors, Table) else Table(place=node.place)
    known = {"All": every, "Nothing": frozenset[str](), "Intermediates": frozenset[str]()}
    known |= {role: frozenset([role]) for role in ROLES} | chip.kept
    sets: list[frozenset[str]] = []
    for key, default in (("keep", "Nothing"), ("may_keep", "")):
        value = table.get(key)
        place = value.place if value is not None else Place()
        text = _text(value, default)
        sets.append(tensor_set(text, known, place) if text else sets[0])
    keep, may = sets
    chip.kept[name] = keep
    for key in list(table.unread()):
        chip.report.left_out(f"{key} of {name}", table.places.get(key, table.place))
    table.see_all()
    if chip.memories == 0:
        if keep | may != every:
            raise refuse(f"the outermost memory {name} does not hold all tensors", place=node.place)
        return []
    free = [role for role in ROLES if role in may - keep]
    lines = [f"    keep: {list_text(role for role in ROLES if role in keep)}"]
    return [*lines, f"    free: {list_text(free)}"] if free else lines


def _add_compute(chip: _Chip, node: Table, name: str) -> None:
    action = _action(node, "compute")
    if action.peek("energy") is None:
        note = "a component model would give it; it is 0 here"
        chip.report.approximated(f"energy of {name}", node.place, note)
    pj = chip.number(action.get("energy"), 0) * _PICO
    chip.lines.append(line(f"  - compute: {name_text(name)}", str(node.place)))
    chip.lines.append(line(f"    energy: {_rounded(pj)} pJ", f"J per action; {action.place}"))
    _add_leak_and_area(chip, node, chip.lines)
