"""What a reader of a sweep's results should know about its designs."""

from __future__ import annotations

from typing import Any

from tilewright._errors import InputError
from tilewright.sweeps.spec import Design, Sweep


def remarks_on(sweep: Sweep) -> list[str]:
    """Sizes of memories that no energy follows, since the architecture gives it as a number."""
    found: list[str] = []
    for base in sweep.architectures:
        for path, values in sweep.axes:
            memory, _, key = path.partition(".")
            if key != "capacity" or len(values) < 2:
                continue
            first, last = (_level(base, path, value, memory) for value in (values[0], values[-1]))
            if first and last and first["read_pj"] and first["read_pj"] == last["read_pj"]:
                found.append(
                    f"{path}: {base} gives {first['read_pj']:g} pJ for a read of {memory}, which is taken for "
                    "every capacity; with a class in its place, such as sram, it is estimated "
                    "(docs/energy.md)"
                )
    return found


def _level(base: str, path: str, value: str, memory: str) -> dict[str, Any] | None:
    """The memory in the architecture with one setting; None if there is none such."""
    try:
        levels = Design(0, base, ((path, value),)).load().summary()["levels"]
    except InputError:
        return None
    return next((level for level in levels if level["name"] == memory), None)
