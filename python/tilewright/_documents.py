"""Dictionaries as texts that the readers of files take, so that there is one reader."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from collections.abc import Mapping as MappingABC
from typing import Any, SupportsFloat, SupportsIndex, TypeVar

from tilewright import _native
from tilewright._errors import InputError, Problem, placed_in_document

_DEEPEST = 32
_T = TypeVar("_T")


class _Writer:
    """Writes a value with one entry to a line, and notes which entry a line has."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.paths: list[str] = []
        self.problems: list[Problem] = []

    def add(self, text: str, path: str) -> None:
        self.lines.append(text)
        self.paths.append(path)

    def scalar(self, value: object, path: str) -> str | None:
        """The text of a value that is neither a list nor a dictionary, or None."""
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, int | float):
            return repr(value)
        if isinstance(value, SupportsIndex):  # numbers of NumPy
            return str(value.__index__())
        if isinstance(value, SupportsFloat):
            return repr(float(value))
        if not isinstance(value, MappingABC | Sequence):
            self.problems.append(
                Problem(
                    f"a value of type {type(value).__name__} means nothing here",
                    "write a text, a number, a list or a dictionary",
                    path=path,
                )
            )
            return "null"
        return None

    def write(self, value: Any, before: str, path: str, depth: int) -> None:
        """Writes a value behind a key, if there is one."""
        text = self.scalar(value, path)
        if text is None and depth > _DEEPEST:
            self.problems.append(Problem("lists and dictionaries are too deep", path=path))
            text = "null"
        if text is not None:
            self.add(before + text, path)
        elif isinstance(value, MappingABC):
            self.write_dict(value, before, path, depth)  # pyright: ignore[reportUnknownArgumentType]
        else:
            self.write_list(value, before, path, depth)

    def write_dict(self, value: MappingABC[Any, Any], before: str, path: str, depth: int) -> None:
        self.add(before + "{", path)
        for key, entry in value.items():
            inner = f"{path}.{key}" if path else str(key)
            if not isinstance(key, str):
                self.problems.append(
                    Problem(f"the key {key!r} is no text", "write a text", path=path)
                )
                continue
            self.write(entry, json.dumps(key, ensure_ascii=False) + ": ", inner, depth + 1)
            self.lines[-1] += ","
        self.add("}", path)

    def write_list(self, value: Sequence[Any], before: str, path: str, depth: int) -> None:
        self.add(before + "[", path)
        for number, entry in enumerate(value):
            self.write(entry, "", f"{path}[{number}]", depth + 1)
            self.lines[-1] += ","
        self.add("]", path)

    def path_of(self, line: int) -> str:
        return self.paths[line - 1] if 0 < line <= len(self.paths) else ""


def read_document(document: MappingABC[str, Any], read: Callable[[str], _T]) -> _T:
    """What a reader of texts makes of a dictionary; complaints name its keys."""
    if not isinstance(document, MappingABC):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"a dictionary is needed, not {type(document).__name__}")
    writer = _Writer()
    writer.write(document, "", "", 0)
    if writer.problems:
        raise InputError(writer.problems)
    try:
        return read("\n".join(writer.lines) + "\n")
    except InputError as error:
        raise placed_in_document(error, writer.path_of) from None


def parse(text: str) -> dict[str, Any]:
    """A text that the library wrote, as a dictionary."""
    value = _native.parse_yaml(text)
    assert isinstance(value, dict)
    return value  # pyright: ignore[reportUnknownVariableType]


def merged(old: dict[str, Any], changes: MappingABC[str, Any]) -> dict[str, Any]:
    """A dictionary with changes: dictionaries in it are merged, None takes a key away."""
    result = dict(old)
    for key, value in changes.items():
        before = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, MappingABC) and isinstance(before, dict):
            result[key] = merged(before, value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            result[key] = value
    return result
