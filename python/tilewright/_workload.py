"""Tensor contractions."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping as MappingABC
from typing import Any

from tilewright import _native
from tilewright._documents import merged, read_document
from tilewright._value import Document, PathLike, Value


class Workload(Value[_native.Workload]):
    """A tensor contraction: dimensions, and tensors that are indexed by sums of them.

    Made of a line, a file in YAML or a dictionary with the keys of such a file
    (``tilewright explain workload`` lists them):

    >>> import tilewright as tw
    >>> tw.Workload("gemm: m=64 n=64 k=32")
    Workload('O[M,N] += W[M,K]*I[K,N]; M=64 N=64 K=32')
    >>> conv = tw.Workload({"workload": "conv", "conv2d": {"in_channels": 3,
    ...     "out_channels": 64, "p": 112, "q": 112, "r": 7, "s": 7, "stride": 2}})
    >>> conv.macs
    118013952
    >>> conv.with_(sizes={"M": 32}).dims["M"]
    32
    """

    __slots__ = ()

    def __init__(self, source: str | Document) -> None:
        """From a line or a file (a text), or from a dictionary."""
        if isinstance(source, str):
            self._handle = _native.Workload.load(source)
        else:
            self._handle = read_document(
                source, lambda text: _native.Workload.read(text, "workload")
            )

    @classmethod
    def load(cls, path: PathLike) -> Workload:
        """Reads a file, or a workload on one line."""
        return cls._hold(_native.Workload.load(os.fspath(path)))

    @classmethod
    def from_yaml(cls, text: str, file: str = "workload") -> Workload:
        """Reads the text of a file; complaints carry the name of the file."""
        return cls._hold(_native.Workload.read(text, file))

    @classmethod
    def from_dict(cls, document: Document) -> Workload:
        """From a dictionary with the keys of a file."""
        return cls(document)

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def dims(self) -> dict[str, int]:
        """The size of every dimension, in order."""
        return dict(self._handle.dims)

    @property
    def macs(self) -> int:
        """Multiply-accumulates."""
        return self._handle.macs

    @property
    def einsum(self) -> str:
        """What is computed: ``O[M,N] += W[M,K]*I[K,N]``."""
        return self._handle.einsum

    def with_(self, changes: Document | None = None, /, **named: Any) -> Workload:
        """The workload with other values of some keys; dictionaries are merged."""
        document = merged(merged(self.to_dict(), changes or {}), named)
        return Workload.from_dict(document)

    def summary(self) -> dict[str, Any]:
        """What ``tilewright workload show --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored_workload, (self.to_yaml(), self._handle.roles_by_rule)

    def __str__(self) -> str:
        return self._handle.text()

    def __repr__(self) -> str:
        sizes = " ".join(f"{name}={size}" for name, size in self._handle.dims)
        return f"Workload({f'{self.einsum}; {sizes}'!r})"


def _restored_workload(text: str, roles_by_rule: list[str]) -> Workload:
    """For pickles. Whether a role was given is no part of the value, but of its remarks."""
    handle = _native.Workload.read(text, "workload")
    return Workload._hold(handle.with_roles_by_rule(roles_by_rule))


def workload_of(source: Workload | PathLike | Document) -> Workload:
    """A workload, or what one can be made of."""
    if isinstance(source, Workload):
        return source
    if isinstance(source, MappingABC):
        return Workload.from_dict(source)
    return Workload.load(source)
