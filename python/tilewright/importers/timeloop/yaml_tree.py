"""YAML as trees of values: with tags, merges of both kinds, and limits for strangers' files.

Names such as N and Y stay texts, and ``1e-9`` is a number: texts are kept as they are, and
whoever reads one says what it should be.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

from tilewright._errors import MissingDependency
from tilewright.importers.values import Items, Place, Scalar, Table, Value, refuse

MOST_BYTES = 16 << 20
_MOST_VALUES = 1_000_000  # with every alias written out
_DEEPEST = 100  # our own limit; no file of these tools comes near it
_INCLUDED = "!tilewright_included"
_STANDARD = "tag:yaml.org,2002:"
_BRACKET = re.compile(r"[\[\]{}]")


def included_mark(number: int) -> str:
    """What stands in the text for a value that a template has included."""
    return f'{_INCLUDED} "{number}"'


def compose(text: str, file: str) -> Any:
    """The graph of nodes of a text, or None if it is empty."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import MarkedYAMLError, YAMLError
    except ImportError:
        raise MissingDependency(
            "the package ruamel.yaml is missing; install it with: pip install 'tilewright[import]'"
        ) from None
    if len(text) > MOST_BYTES:
        raise refuse("the file is larger than 16 MiB", place=Place(file))
    if _brackets(text) > _DEEPEST:
        raise refuse("lists and tables are too deep", place=Place(file))
    loader: Any = YAML(typ="safe", pure=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor that is defined again is legal
            return loader.compose(text)
    except MarkedYAMLError as error:
        marked: Any = error
        mark = marked.problem_mark or marked.context_mark
        where = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
        raise refuse(f"this is not YAML: {marked.problem}", place=where) from None
    except YAMLError as error:
        raise refuse(f"this is not YAML: {str(error).splitlines()[0]}", place=Place(file)) from None
    except RecursionError:
        raise refuse("lists and tables are too deep", place=Place(file)) from None
    except ValueError as error:
        raise refuse(f"this is not YAML: {error}", place=Place(file)) from None


def _brackets(text: str) -> int:
    """How deep brackets are, at a glance: the library takes long to find it out."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


class TreeMaker:
    """Makes values of nodes. A node that is used again gives the same value."""

    def __init__(self, file: str, lines: list[Place] | None, included: list[Value]) -> None:
        self.file = file
        self.lines = lines
        self.included = included
        self.made: dict[int, Value] = {}
        self.sizes: dict[int, int] = {}
        self.open: set[int] = set()

    def place(self, node: Any) -> Place:
        line: int = node.start_mark.line
        column: int = node.start_mark.column
        if self.lines is not None and line < len(self.lines):
            origin = self.lines[line]
            return Place(origin.file, origin.line, column + 1)
        return Place(self.file, line + 1, column + 1)

    def make(self, node: Any, depth: int = 0) -> Value:
        known = self.made.get(id(node))
        if known is not None:
            return known
        if id(node) in self.open:
            raise refuse("this value contains itself", place=self.place(node))
        if depth > _DEEPEST:
            raise refuse("lists and tables are too deep", place=self.place(node))
        self.open.add(id(node))
        value, size = self.made_of(node, depth)
        self.open.discard(id(node))
        if size > _MOST_VALUES:
            raise refuse(
                "with its aliases written out, this has over a million values",
                place=self.place(node),
            )
        self.made[id(node)] = value
        self.sizes[id(value)] = size
        return value

    def made_of(self, node: Any, depth: int) -> tuple[Value, int]:
        place = self.place(node)
        tag = _own_tag(node)
        if node.id == "scalar":
            if tag == _INCLUDED:
                return self.included[int(node.value)], 1
            return Scalar(node.value, node.style is None, place), 1
        if node.id == "sequence":
            parts = [self.make(entry, depth + 1) for entry in node.value]
            return Items(parts, tag, place), 1 + sum(self.size(part) for part in parts)
        return self.table(node, tag, depth)

    def size(self, value: Value) -> int:
        return self.sizes.get(id(value), 1)

    def table(self, node: Any, tag: str, depth: int) -> tuple[Table, int]:
        table = Table(tag=tag, place=self.place(node))
        merges: list[tuple[str, Value]] = []
        size = 1
        for key_node, value_node in node.value:
            if key_node.id != "scalar":
                raise refuse("a list or a table cannot be a key", place=self.place(key_node))
            key = key_node.value
            value = self.make(value_node, depth + 1)
            size += self.size(value)
            if key in ("<<", "<<<") and key_node.style is None:
                merges.append((key, value))
            elif key not in table.entries:  # the first one counts, as in Timeloop
                table.set(key, value, self.place(key_node))
            else:
                table.repeated.append((key, self.place(key_node)))
        for key, value in merges:
            self.merge(table, key, value)
        return table, size

    def merge(self, table: Table, key: str, value: Value) -> None:
        sources = value.entries if isinstance(value, Items) else [value]
        for source in sources:
            if not isinstance(source, Table):
                raise refuse(f"{key} takes a table, or a list of tables", place=value.place)
            if key == "<<":
                _fill(table, source)
            else:
                merged = deep_merge(table, source)
                table.entries, table.places = merged.entries, merged.places


def _own_tag(node: Any) -> str:
    """The tag of a node; those of YAML itself count as none."""
    tag = str(node.tag or "")
    if not tag.startswith(_STANDARD):
        return tag
    if tag.removeprefix(_STANDARD).startswith("python"):
        place = Place("", node.start_mark.line + 1, node.start_mark.column + 1)
        raise refuse("objects of Python are not read", "write plain values", place)
    return ""


def _fill(table: Table, source: Table) -> None:
    """Takes over keys that the table does not have."""
    for key, value in source.entries.items():
        if table.spelling(key.replace("-", "_")) is None:
            table.set(key, value, source.places.get(key, source.place))


def deep_merge(table: Table, source: Table) -> Table:
    """A table with the keys of both; tables within are merged, lists are joined."""
    merged = Table(dict(table.entries), dict(table.places), table.tag, table.place)
    for key, value in source.entries.items():
        mine = table.spelling(key.replace("-", "_"))
        if mine is None:
            merged.set(key, value, source.places.get(key, source.place))
            continue
        old = table.entries[mine]
        if isinstance(old, Table) and isinstance(value, Table):
            merged.entries[mine] = deep_merge(old, value)
        elif isinstance(old, Items) and isinstance(value, Items) and old.tag != "!nomerge":
            merged.entries[mine] = Items([*old.entries, *value.entries], old.tag, old.place)
    return merged


def read_yaml(
    text: str, file: str, lines: list[Place] | None = None, included: list[Value] | None = None
) -> Value | None:
    """The value of a text. ``lines`` says where each of its lines was written."""
    node = compose(text, file)
    return None if node is None else TreeMaker(file, lines, included or []).make(node)
