"""A document with the places of its parts, and complaints about them, all at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tilewright import _native
from tilewright._errors import InputError, Problem


class Node(NamedTuple):
    """A part of a document: ``null``, ``scalar``, ``list`` or ``map``."""

    kind: str
    text: str
    line: int
    column: int
    children: tuple[Node, ...]

    def entries(self) -> Iterator[tuple[Node, Node]]:
        """Keys and values of a map."""
        return zip(self.children[::2], self.children[1::2], strict=True)


def _node(parts: tuple[Any, ...]) -> Node:
    kind, text, line, column, children = parts
    return Node(kind, text, line, column, tuple(_node(child) for child in children))


class Complaints:
    """Collects what is wrong with a document."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, at: Node | None, message: str, hint: str = "") -> None:
        line, column = (at.line, at.column) if at is not None else (0, 0)
        self.problems.append(Problem(message, hint, self.file, line, column))

    def move(self, at: Node, error: InputError) -> None:
        """Complaints of another reader, which are about a part of this document."""
        for problem in error.problems:
            where = f"{problem.file}: " if problem.file and not problem.line else ""
            self.add(at, where + problem.message, problem.hint)

    def raise_if_any(self) -> None:
        if self.problems:
            raise InputError(sorted(self.problems, key=lambda one: (one.line, one.column)))


def read_tree(text: str, file: str, start: str) -> Node:
    """Reads YAML; raises :class:`InputError`."""
    return _node(_native.read_tree(text, file, start))


def suggestion(word: str, known: Iterable[str], what: str) -> str:
    """What was most likely meant, or what there is."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, 1)
    return f"did you mean {near[0]}?" if near else f"{what} are {', '.join(names)}"


def entries_of(node: Node, known: Iterable[str], complaints: Complaints) -> dict[str, Node]:
    """The values of a map by key; unknown keys and those that stand twice are complained about."""
    if node.kind != "map":
        complaints.add(node, "keys and values are needed here", "write key: value")
        return {}
    names = list(known)
    found: dict[str, Node] = {}
    for key, value in node.entries():
        if key.text in found:
            complaints.add(key, f'the key "{key.text}" stands twice', "keep one")
        elif key.text not in names:
            complaints.add(key, f'unknown key "{key.text}"', suggestion(key.text, names, "keys"))
        else:
            found[key.text] = value
    return found


def scalars_of(node: Node, complaints: Complaints, form: str) -> list[Node]:
    """A scalar or a list of scalars."""
    several = node.children if node.kind == "list" else (node,)
    good = [one for one in several if one.kind == "scalar"]
    if len(good) != len(several) or not good:
        complaints.add(node, "a value or a list of values is needed here", f"write {form}")
    return good
