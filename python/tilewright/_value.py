"""What all values share."""

from __future__ import annotations

import os
from collections.abc import Mapping as MappingABC
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

from tilewright import _native
from tilewright._documents import parse
from tilewright._errors import InputError, Problem

PathLike: TypeAlias = "str | os.PathLike[str]"
Document: TypeAlias = MappingABC[str, Any]
Sizes: TypeAlias = MappingABC[str, "int | str"]


class _Handle(Protocol):
    """A value of the library."""

    def yaml(self) -> str: ...

    def equals(self, other: Any, /) -> bool: ...


_H = TypeVar("_H", bound=_Handle)


class Value(Generic[_H]):
    """Never changes; compares, hashes, pickles and is copied by what it says."""

    __slots__ = ("_handle",)
    _handle: _H

    @classmethod
    def _hold(cls, handle: _H) -> Self:
        held = cls.__new__(cls)
        held._handle = handle
        return held

    def to_dict(self) -> dict[str, Any]:
        """The keys of a file, from which an equal value can be made."""
        return parse(self.to_yaml())

    def to_yaml(self) -> str:
        """The text of a file."""
        return self._handle.yaml()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._handle.equals(other._handle)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.to_yaml()))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def read_text(path: PathLike, most: int = 1 << 20) -> str:
    """The text of a file; complaints as of the command line."""
    return _native.read_file(os.fspath(path), most)


def certificate_text(certificate: PathLike | None, how: str) -> tuple[str, str]:
    """A certificate that is a file, a text or that of a result, and its name in complaints."""
    if not certificate:
        raise InputError([Problem("the result has no certificate", how, "certificate")])
    if isinstance(certificate, str) and certificate.lstrip().startswith("{"):
        return certificate, "certificate"
    return read_text(certificate, 1 << 26), os.fspath(certificate)


def size_lines(sizes: Sizes | None) -> list[str]:
    """Sizes of a network or a cascade as they stand behind ``--size``."""
    return [f"{name}={value}" for name, value in (sizes or {}).items()]
