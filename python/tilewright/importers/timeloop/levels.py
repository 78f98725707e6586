"""The levels as they are written: memories and fan-outs, outermost first, then compute."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import Hardware, Level
from tilewright.importers.timeloop.mapping import LevelMapping, Nest
from tilewright.importers.timeloop.rules import Fanout


@dataclass(slots=True)
class Written:
    """A storage that is written, or the fan-out inside one."""

    storage: Level | None = None
    fanout: Fanout | None = None


def find_fanouts(hardware: Hardware, report: Report) -> dict[str, Fanout]:
    """The fan-outs by the storages above them."""
    fanouts: dict[str, Fanout] = {}
    for level, inner in zip(hardware.levels[:-1], hardware.levels[1:], strict=True):
        if inner.instances == level.instances:
            continue
        if inner.instances % level.instances:
            report.complain(
                f"{inner.instances} instances of {inner.name} cannot be shared out over "
                f"{level.instances} of {level.name}",
                "make one a multiple of the other",
                inner.place,
            )
            continue
        x, y = inner.mesh[0] / level.mesh[0], inner.mesh[1] / level.mesh[1]
        if x != int(x) or y != int(y):
            count = inner.instances // level.instances
            report.approximated(
                f"mesh of {inner.name}",
                inner.place,
                f"it does not divide into that of {level.name}; {count} instances lie along x",
            )
            x, y = count, 1
        name = level.name if level.is_dummy else f"{level.name}_fanout"
        fanouts[level.name] = Fanout(name, int(x), int(y))
        report.exact(f"fan-out {name}", inner.place, f"{int(x)} x {int(y)} instances")
    return fanouts


def fit_nest(nest: Nest, fanouts: dict[str, Fanout], hardware: Hardware, report: Report) -> None:
    """Sees to it that spatial loops lie where there are instances."""
    for level in hardware.storages:
        mapping = nest.levels[level.name]
        if level.is_dummy and (mapping.loops or mapping.keep):
            level.is_dummy = False
            report.approximated(
                f"storage {level.name}", level.place, "the mapping uses it, so it is a memory here"
            )
        if mapping.x or mapping.y:
            _fit(level, mapping, fanouts, report)


def _used(mapping: LevelMapping) -> tuple[int, int]:
    return math.prod(loop.bound for loop in mapping.x), math.prod(loop.bound for loop in mapping.y)


def _fit(level: Level, mapping: LevelMapping, fanouts: dict[str, Fanout], report: Report) -> None:
    fanout = fanouts.get(level.name)
    x, y = _used(mapping)
    place = mapping.places[0]
    if fanout is None:
        report.complain(
            f"there is no fan-out inside {level.name} for its spatial loops",
            "name the storage above the fan-out",
            place,
        )
        return
    if x > fanout.x and y == 1 and x <= fanout.y:
        mapping.x, mapping.y = [], mapping.x
        report.approximated(
            f"spatial loops of {level.name}", place, "they only fit along y, so they lie there"
        )
    elif x > fanout.x or y > fanout.y:
        report.approximated(
            f"fan-out {fanout.name}",
            level.place,
            f"the mapping uses {x} x {y} of its {fanout.x} x {fanout.y} instances; Timeloop limits "
            "all fan-outs together, here this one is made larger",
        )
        fanout.x, fanout.y = max(x, fanout.x), max(y, fanout.y)


def written_levels(hardware: Hardware, fanouts: dict[str, Fanout]) -> list[Written]:
    """Memories and fan-outs in the order of the file."""
    written: list[Written] = []
    for level in hardware.storages:
        if not level.is_dummy:
            written.append(Written(storage=level))
        fanout = fanouts.get(level.name)
        if fanout is not None:
            written.append(Written(fanout=fanout))
    return written


def cluster_share(level: Level, cluster: int, nest: Nest | None, hardware: Hardware) -> float:
    """The instances in use of a cluster that one access of a row serves."""
    if nest is None:
        return float(cluster)
    used = 1
    for outer in hardware.storages:
        if outer is level:
            break
        x, y = _used(nest.levels[outer.name])
        used *= x * y
    return used / min(used, max(1, level.instances // cluster))
