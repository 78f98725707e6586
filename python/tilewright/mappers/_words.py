"""The words of a command line that name mappers in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilewright._errors import InputError, Problem
from tilewright.mappers import Mapper, load

_COMMANDS = ("map", "arena")
_OPTION = "--mapper-module"


def names_one(words: Sequence[str]) -> bool:
    """Whether a command names a mapper in Python."""
    if not words or words[0] not in _COMMANDS:
        return False
    return any(word == _OPTION or word.startswith(_OPTION + "=") for word in words) or (
        "cosa" in _named(words)
    )


def taken(words: Sequence[str]) -> tuple[list[str], list[Mapper]]:
    """The words that the tool understands, and the mappers that the others name."""
    rest: list[str] = []
    mappers: list[Mapper] = []
    waiting = iter(words)
    for word in waiting:
        if word == _OPTION:
            mappers += load(_file_after(waiting))
        elif word.startswith(_OPTION + "="):
            mappers += load(word.partition("=")[2])
        else:
            rest.append(word)
    if "cosa" in _named(words):
        from tilewright.mappers.cosa import Cosa

        mappers.append(Cosa())
    return rest, mappers


def _file_after(waiting: Iterator[str]) -> str:
    for word in waiting:
        return word
    raise InputError([Problem("a file is missing", "name a file in Python", _OPTION)])


def _named(words: Sequence[str]) -> list[str]:
    """The names behind ``--mapper`` and ``--mappers``."""
    names: list[str] = []
    for i, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option not in ("--mapper", "--mappers"):
            continue
        following = words[i + 1] if i + 1 < len(words) else ""
        names += (value if equals else following).split(",")
    return names
