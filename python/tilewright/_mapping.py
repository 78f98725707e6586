"""Mappings, and what they must keep to."""

from __future__ import annotations

import os
from collections.abc import Mapping as MappingABC
from collections.abc import Sequence
from typing import Any

from tilewright import _html, _native
from tilewright._documents import read_document
from tilewright._architecture import Architecture, architecture_of
from tilewright._value import Document, PathLike, Value, read_text
from tilewright._workload import Workload, workload_of


class Constraints(Value[_native.Constraints]):
    """What mappings must keep to beside what the architecture says.

    >>> import tilewright as tw
    >>> rules = tw.Constraints("eyeriss", ["SARows.y: S = all", "SACols.x: M <= 2"])
    >>> rules.lines
    ('SARows.y: S = all', 'SACols.x: M <= 2')
    """

    __slots__ = ("_arch",)
    _arch: Architecture

    def __init__(
        self, arch: Architecture | str, lines: str | Sequence[str] | Document = ()
    ) -> None:
        """Lines such as ``Rows.y: S = all, M <= 4``, or a dictionary with the keys of a file."""
        self._arch = architecture_of(arch)
        native = self._arch._handle
        if isinstance(lines, MappingABC):
            self._handle = read_document(
                lines, lambda text: _native.Constraints.read(text, "constraints", native)
            )
            return
        several = [lines] if isinstance(lines, str) else list(lines)
        self._handle = _native.Constraints.join(
            [_native.Constraints.read_line(line, "constraint", native) for line in several]
        )

    @classmethod
    def _on(cls, arch: Architecture, handle: _native.Constraints) -> Constraints:
        held = cls.__new__(cls)
        held._arch = arch
        held._handle = handle
        return held

    @classmethod
    def load(cls, arch: Architecture | str, path: PathLike) -> Constraints:
        """Reads a file."""
        of = architecture_of(arch)
        return cls._on(of, _native.Constraints.load(os.fspath(path), of._handle))

    @classmethod
    def from_yaml(
        cls, arch: Architecture | str, text: str, file: str = "constraints"
    ) -> Constraints:
        """Reads the text of a file; complaints carry the name of the file."""
        of = architecture_of(arch)
        return cls._on(of, _native.Constraints.read(text, file, of._handle))

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self._handle.lines)

    def __add__(self, other: Constraints) -> Constraints:
        joined = _native.Constraints.join([self._handle, other._handle])
        return Constraints._on(self._arch, joined)

    def __len__(self) -> int:
        return len(self._handle.lines)

    def __hash__(self) -> int:
        return hash(("Constraints", self.lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return Constraints, (self._arch, self.lines)

    def __repr__(self) -> str:
        return f"Constraints({self._arch.name!r}, {list(self.lines)!r})"


class Mapping(Value[_native.Mapping]):
    """One way to run a workload on an architecture.

    >>> import tilewright as tw
    >>> mapping = tw.Mapping("toy_linear", "O[X] += I[X]; X=100",
    ...                      {"levels": {"DRAM": {"loops": ["X 20"]}, "PEs": {"x": ["X 5"]}}})
    >>> tw.evaluate("toy_linear", "O[X] += I[X]; X=100", mapping).cycles
    20
    """

    __slots__ = ()

    def __init__(
        self, arch: Architecture | str, workload: Workload | str, levels: str | Document
    ) -> None:
        """From the text of a file or a dictionary with its keys."""
        on, of = architecture_of(arch)._handle, workload_of(workload)._handle
        if isinstance(levels, str):
            self._handle = _native.Mapping.read(levels, "mapping", on, of)
        else:
            self._handle = read_document(
                levels, lambda text: _native.Mapping.read(text, "mapping", on, of)
            )

    @classmethod
    def load(cls, arch: Architecture | str, workload: Workload | str, path: PathLike) -> Mapping:
        """Reads a file."""
        on, of = architecture_of(arch)._handle, workload_of(workload)._handle
        return cls._hold(_native.Mapping.read(read_text(path), os.fspath(path), on, of))

    @classmethod
    def from_yaml(
        cls, arch: Architecture | str, workload: Workload | str, text: str
    ) -> Mapping:
        """Reads the text of a file."""
        return cls(arch, workload, text)

    @property
    def architecture(self) -> Architecture:
        """What it runs on; of a flexible one, as it is set up for the mapping."""
        return Architecture._hold(self._handle.architecture)

    @property
    def workload(self) -> Workload:
        """What it runs, before any padding."""
        return Workload._hold(self._handle.workload)

    @property
    def nest(self) -> str:
        """The loop nest, in words."""
        return self._handle.nest()

    def to_row(self) -> list[int]:
        """The mapping as whole numbers; see :class:`Mappings`."""
        return self._handle.row()

    def __hash__(self) -> int:
        return hash(("Mapping", tuple(self._handle.row())))

    def __reduce__(self) -> tuple[Any, ...]:
        return Mapping, (self.architecture, self.workload, self.to_yaml())

    def __str__(self) -> str:
        return self.nest

    def __repr__(self) -> str:
        levels = self.to_dict()["levels"]
        return f"<Mapping of {self.workload.name} on {self.architecture.name}: {levels}>"

    def _repr_html_(self) -> str:
        return _html.nest_text(self.nest)
