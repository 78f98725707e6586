"""What the explorer shows, as a command line and as a program in Python that give the same."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

from tilewright._ask import MapOptions
from tilewright._values import Architecture

_END = "ARCHITECTURE"


class Source(NamedTuple):
    """An architecture that somebody can name: one that ships, or a file."""

    name: str
    value: Architecture


def _name_of(level: dict[str, Any]) -> str:
    return str(level.get("memory") or level.get("fanout") or level.get("compute"))


def _changed_keys(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any] | None:
    """Keys that have another value; None if that cannot be said key by key."""
    if not old.keys() <= new.keys():
        return None
    changed: dict[str, Any] = {}
    for key, value in new.items():
        before = old.get(key)
        if value == before:
            continue
        if isinstance(value, dict) and isinstance(before, dict) and key in ("x", "y"):
            # An axis: its size changes, its dimensions stay.
            if {**before, "size": value.get("size")} != value:  # pyright: ignore[reportUnknownMemberType]
                return None
            changed[key] = value["size"]
        elif isinstance(value, str | int | float):
            changed[key] = value
        else:
            return None
    return changed


def _changes(source: Source, arch: Architecture) -> list[tuple[str, str, Any]] | None:
    """Level, key and value of everything that differs; None if levels come or go."""
    old, new = source.value.to_dict(), arch.to_dict()
    old_levels, new_levels = old.pop("levels"), new.pop("levels")
    if [_name_of(one) for one in old_levels] != [_name_of(one) for one in new_levels]:
        return None
    pairs = [("", old, new), *((_name_of(a), a, b) for a, b in zip(old_levels, new_levels, strict=True))]
    found: list[tuple[str, str, Any]] = []
    for name, before, after in pairs:
        changed = _changed_keys(before, after)
        if changed is None or "architecture" in changed:
            return None
        found += [(name, key, value) for key, value in changed.items()]
    return found


def _option_words(options: MapOptions) -> list[str]:
    """Options that differ from what is taken without them."""
    words: list[str] = []
    if options.get("objective", "edp") != "edp":
        words += ["--objective", str(options.get("objective"))]
    if options.get("mapspace"):
        words += ["--mapspace", str(options.get("mapspace"))]
    words += ["--uneven"] if options.get("uneven") else []
    words += ["--each-layer"] if options.get("each_layer") else []
    for line in options.get("constrain") or ():
        words += ["--constrain", line]
    return words


def as_command(
    source: Source, arch: Architecture, work: dict[str, str], options: MapOptions, *more: str
) -> str:
    """A line for a shell; levels that came or went make it several."""
    changes = _changes(source, arch)
    words = ["tilewright", "map", "--arch", source.name if changes is not None else "-"]
    for level, key, value in changes or ():
        text = str(value).lower() if isinstance(value, bool) else value
        words += ["--set", f"{level}{'.' if level else ''}{key}={text}"]
    for name, value in work.items():
        words += [f"--{name}", value]
    line = shlex.join([*words, *_option_words(options), *more])
    return line if changes is not None else f"{line} <<'{_END}'\n{arch.to_yaml()}{_END}\n"


def _python_architecture(source: Source, arch: Architecture) -> str:
    changes = _changes(source, arch)
    if changes is None:
        text = arch.to_yaml().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        return f'tw.Architecture.from_yaml("""\\\n{text}""")'
    merged: dict[str, Any] = {}
    for level, key, value in changes:
        if not level:
            merged[key] = value
            continue
        axis = key in ("x", "y") and isinstance(_level(source, level).get(key), dict)
        merged.setdefault(level, {})[key] = {"size": value} if axis else value
    begin = f"tw.Architecture({source.name!r})"
    return f"{begin}.with_({merged!r})" if merged else begin


def _level(source: Source, name: str) -> dict[str, Any]:
    levels = source.value.to_dict()["levels"]
    return next(level for level in levels if _name_of(level) == name)


def as_python(source: Source, arch: Architecture, work: dict[str, str], options: MapOptions) -> str:
    """A program that maps the same and prints what it finds."""
    arguments = ["arch", *(repr(work[key]) for key in ("workload",) if key in work)]
    arguments += [f"{key}={work[key]!r}" for key in ("model", "layer") if key in work]
    arguments += [f"{key}={value!r}" for key, value in options.items()
                  if value and (key, value) != ("objective", "edp")]  # fmt: skip
    return (
        "import tilewright as tw\n\n"
        f"arch = {_python_architecture(source, arch)}\n"
        f"best = tw.map({', '.join(arguments)})\n"
        "print(best)\n"
    )
