"""Files of libconfig (.cfg), which older Timeloop reads: the same keys in other brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tilewright.importers.values import Items, Place, Scalar, Table, Value, refuse

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+|\#[^\n]*|//[^\n]*|/\*.*?\*/|\n)
      | (?P<text>"(?:[^"\\]|\\.)*")
      | (?P<word>[A-Za-z*][A-Za-z0-9_*\-]*)
      | (?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)L{0,2})
      | (?P<sign>[={}()\[\];,:@])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", '"': '"', "\\": "\\"}
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    place: Place


def _tokens(text: str, file: str) -> list[_Token]:
    tokens: list[_Token] = []
    at, line, start = 0, 1, 0
    while at < len(text):
        place = Place(file, line, at - start + 1)
        match = _TOKEN.match(text, at)
        if match is None:
            raise refuse(f"this is not libconfig: {text[at]!r}", place=place)
        kind, found = str(match.lastgroup), match.group()
        if kind != "space":
            tokens.append(_Token(kind, found, place))
        line += found.count("\n")
        if "\n" in found:
            start = at + found.rfind("\n") + 1
        at = match.end()
    tokens.append(_Token("end", "", Place(file, line, at - start + 1)))
    return tokens


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.next
        self.at += 1
        return token

    def skip(self, signs: str) -> None:
        while self.next.kind == "sign" and self.next.text in signs:
            self.at += 1

    def settings(self, closing: str, place: Place) -> Table:
        """Settings up to a bracket, or to the end of the file."""
        table = Table(place=place)
        self.skip(";,")
        while self.next.text != closing or self.next.kind == "text":
            name = self.take()
            if name.kind == "sign" and name.text == "@":
                raise refuse("@include is not supported", "give all files by name", name.place)
            if name.kind not in ("word", "text"):
                hint = f"write {closing!r}" if name.kind == "end" else "write: name = value;"
                raise refuse("a name is expected here", hint, name.place)
            sign = self.take()
            if sign.text not in ("=", ":"):
                raise refuse(f"{name.text} has no value", "write: name = value;", sign.place)
            key = _unquoted(name.text)
            if key not in table.entries:
                table.set(key, self.value(), name.place)
            else:
                table.repeated.append((key, name.place))
                self.value()
            self.skip(";,")
        self.at += 1
        return table

    def value(self) -> Value:
        token = self.take()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise refuse("lists and groups are too deep", place=token.place)
        value = self.value_of(token)
        self.depth -= 1
        return value

    def value_of(self, token: _Token) -> Value:
        if token.kind == "text":
            text = _unquoted(token.text)
            while self.next.kind == "text":  # texts beside each other are one
                text += _unquoted(self.take().text)
            return Scalar(text, _is_variable(text), token.place)
        if token.kind == "number":
            return Scalar(token.text.rstrip("L"), True, token.place)
        if token.kind == "word":
            return Scalar(token.text, True, token.place)
        if token.text == "{":
            return self.settings("}", token.place)
        if token.text in ("(", "["):
            return self.items(")" if token.text == "(" else "]", token.place)
        raise refuse("a value is expected here", place=token.place)

    def items(self, closing: str, place: Place) -> Items:
        items = Items(place=place)
        self.skip(",")
        while self.next.text != closing or self.next.kind == "text":
            items.entries.append(self.value())
            self.skip(",")
        self.at += 1
        return items


def _is_variable(text: str) -> bool:
    """Texts always have quotes here, so quotes do not make a text of an expression."""
    return text != ""


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text[1:-1], flags=re.S)


def read_libconfig(text: str, file: str) -> Table:
    """The table of a file."""
    parser = _Parser(_tokens(text, file))
    return parser.settings("", Place(file, 1, 1))
