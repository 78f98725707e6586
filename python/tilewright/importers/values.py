"""Trees of values that know where they stand, for all formats that are read here."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tilewright._errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column of a file, both from 1."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        """What comments and reports say; the column is for complaints."""
        name = self.file.rsplit("/", 1)[-1]
        return f"{name}:{self.line}" if self.line else name


@dataclass(slots=True)
class Scalar:
    """A text. ``plain`` means without quotes, so it may be a number or an expression."""

    text: str
    plain: bool = True
    place: Place = Place()

    @property
    def is_null(self) -> bool:
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(slots=True)
class Items:
    """A list."""

    entries: list[Value] = field(default_factory=list["Value"])
    tag: str = ""
    place: Place = Place()


@dataclass(slots=True)
class Table:
    """Keys and values. Hyphens and underscores in keys mean the same.

    What was read is noted, so that the rest can be named in a report.
    """

    entries: dict[str, Value] = field(default_factory=dict[str, "Value"])
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    tag: str = ""
    place: Place = Place()
    seen: set[str] = field(default_factory=set[str])
    repeated: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])

    def spelling(self, key: str) -> str | None:
        """The key as the file spells it, or None if there is no such key."""
        if key in self.entries:
            return key
        for other in self.entries:
            if other.replace("-", "_") == key:
                return other
        return None

    def peek(self, key: str) -> Value | None:
        """The value of a key; whoever looks does not use it."""
        spelling = self.spelling(key)
        value = None if spelling is None else self.entries[spelling]
        return None if isinstance(value, Scalar) and value.is_null else value

    def get(self, *keys: str) -> Value | None:
        """The value of the first of these keys that the table has."""
        for key in keys:
            spelling = self.spelling(key)
            if spelling is None:
                continue
            self.seen.add(spelling)
            value = self.peek(key)
            if value is not None:
                return value
        return None

    def place_of(self, key: str) -> Place:
        spelling = self.spelling(key)
        return self.place if spelling is None else self.places.get(spelling, self.place)

    def set(self, key: str, value: Value, place: Place) -> None:
        self.entries[key] = value
        self.places[key] = place

    def unread(self) -> Iterator[str]:
        return (key for key in self.entries if key not in self.seen)

    def see_all(self) -> None:
        self.seen.update(self.entries)


Value: TypeAlias = Scalar | Items | Table


def tables_within(value: Value | None, known: set[int] | None = None) -> Iterator[Table]:
    """All tables of a value, each once."""
    known = set[int]() if known is None else known
    if value is None or isinstance(value, Scalar) or id(value) in known:
        return
    known.add(id(value))
    if isinstance(value, Table):
        yield value
    inside = value.entries.values() if isinstance(value, Table) else value.entries
    for entry in inside:
        yield from tables_within(entry, known)


def see_within(value: Value) -> None:
    """Notes all of a value as read, for parts that a report names as a whole."""
    for table in tables_within(value):
        table.see_all()


_WHOLE = re.compile(r"[+-]?[0-9]+(_[0-9]+)*\Z")
_HEX = re.compile(r"0[xX][0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
_TRUE = ("true", "yes", "on", "y")
_FALSE = ("false", "no", "off", "n")


def number_in(text: str) -> int | float | None:
    """The number that a text is, or None."""
    text = text.strip()
    if len(text) > 60:
        return None
    if _WHOLE.match(text):
        return int(text.replace("_", ""))
    if _HEX.match(text):
        return int(text, 16)
    if _FLOAT.match(text):
        return float(text)
    return None


def truth_in(text: str) -> bool | None:
    """The truth value that a text is, or None."""
    word = text.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def refuse(message: str, hint: str = "", place: Place | None = None) -> InputError:
    """A complaint about one place, to be raised."""
    return InputError([problem_at(message, hint, place)])


def problem_at(message: str, hint: str = "", place: Place | None = None) -> Problem:
    place = place or Place()
    return Problem(message, hint, place.file, place.line, place.column)


def words(items: Iterable[str], last: str = "and") -> str:
    """Names as they stand in a sentence."""
    names = list(items)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that somebody may have meant, or None."""
    pool = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower().replace("-", "_"), pool, n=1, cutoff=0.8)
    return pool[found[0]] if found else None
