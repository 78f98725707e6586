"""Options of the command line as the native module takes them: texts by name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import SupportsFloat, SupportsIndex, TypeAlias

from tilewright import _native
from tilewright._values import Architecture, Constraints, PathLike

Option: TypeAlias = "str | int | float | bool | None"
Rules: TypeAlias = "PathLike | Constraints | Iterable[PathLike | Constraints] | None"
Lines: TypeAlias = "str | Iterable[str] | None"


def texts(**options: Option) -> dict[str, str]:
    """Those that were given. False and None are not."""
    given: dict[str, str] = {}
    for name, value in options.items():
        if value is None or value is False:
            continue
        if value is True:
            given[name] = "true"
        elif isinstance(value, str):
            given[name] = value
        elif isinstance(value, SupportsIndex):  # numbers of NumPy are, too
            given[name] = str(value.__index__())
        elif isinstance(value, SupportsFloat):  # pyright: ignore[reportUnnecessaryIsInstance]
            given[name] = repr(float(value))
        else:
            raise TypeError(
                f"{name} takes a text or a number, not a value of type {type(value).__name__}"
            )
    return given


def lines_of(constrain: Lines) -> list[str]:
    """What ``--constrain`` was given."""
    if constrain is None:
        return []
    return [constrain] if isinstance(constrain, str) else list(constrain)


def rules_of(constraints: Rules, arch: Architecture) -> _native.Constraints:
    """What ``--constraints`` was given, read for an architecture."""
    if constraints is None:
        several: list[PathLike | Constraints] = []
    elif isinstance(constraints, str | os.PathLike | Constraints):
        several = [constraints]
    else:
        several = list(constraints)
    read = [
        one if isinstance(one, Constraints) else Constraints.load(arch, one) for one in several
    ]
    return _native.Constraints.join([one._handle for one in read])
