"""Accelerators."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from collections.abc import Mapping as MappingABC
from typing import Any

from tilewright import _html, _native
from tilewright._documents import merged, read_document
from tilewright._errors import InputError, Problem
from tilewright._value import Document, PathLike, Value


class Architecture(Value[_native.Architecture]):
    """An accelerator: levels from the outermost memory to the multipliers.

    Made of the name of one that ships, a file, or a dictionary with the keys of such a
    file (``tilewright explain architecture`` lists them):

    >>> import tilewright as tw
    >>> eyeriss = tw.Architecture("eyeriss")
    >>> larger = eyeriss.with_(GlobalBuffer={"capacity": "256 KiB"})
    >>> larger == eyeriss
    False
    >>> larger.levels["GlobalBuffer"]
    'memory'
    """

    __slots__ = ()

    def __init__(self, source: str | Document) -> None:
        """From a name or a file (a text), or from a dictionary."""
        if isinstance(source, str):
            self._handle = _native.Architecture.load(source)
        else:
            self._handle = read_document(
                source, lambda text: _native.Architecture.read(text, "architecture")
            )

    @classmethod
    def load(cls, path: PathLike) -> Architecture:
        """Reads a file, or takes one that ships by its name."""
        return cls._hold(_native.Architecture.load(os.fspath(path)))

    @classmethod
    def from_yaml(cls, text: str, file: str = "architecture") -> Architecture:
        """Reads the text of a file; complaints carry the name of the file."""
        return cls._hold(_native.Architecture.read(text, file))

    @classmethod
    def from_dict(cls, document: Document) -> Architecture:
        """From a dictionary with the keys of a file."""
        return cls(document)

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def levels(self) -> dict[str, str]:
        """What each level is, outermost first: ``memory``, ``fanout`` or ``compute``."""
        return dict(self._handle.levels)

    @property
    def compute_instances(self) -> int:
        """How many multipliers there are."""
        return self._handle.compute_instances

    @property
    def area_um2(self) -> float:
        """Of all levels; 0 if the architecture gives no areas."""
        return self._handle.area_um2

    @property
    def is_flexible(self) -> bool:
        """Whether it can be set up in several ways, layer by layer."""
        return self._handle.is_flexible

    def with_(self, changes: Document | None = None, /, **named: Any) -> Architecture:
        """The architecture with changes to levels or to keys of the file.

        A name of a level takes a dictionary of its keys; None takes a key away.

        >>> import tilewright as tw
        >>> toy = tw.Architecture("toy_linear")
        >>> toy.with_(accounting="timeloop", name="mine").name
        'mine'
        """
        document = self.to_dict()
        for name, change in [*(changes or {}).items(), *named.items()]:
            document = self._changed(document, "architecture" if name == "name" else name, change)
        return Architecture.from_dict(document)

    def _changed(self, document: dict[str, Any], name: str, change: Any) -> dict[str, Any]:
        levels = list(document["levels"])
        for number, level in enumerate(levels):
            if name not in (level.get("memory"), level.get("fanout"), level.get("compute")):
                continue
            if not isinstance(change, MappingABC):
                raise InputError([Problem("a level takes a dictionary of its keys", path=name)])
            levels[number] = merged(level, change)  # pyright: ignore[reportUnknownArgumentType]
            return {**document, "levels": levels}
        if isinstance(change, MappingABC) and name != "flexibility":
            known = ", ".join(self.levels)
            raise InputError([Problem("there is no level of this name", f"the levels are {known}",
                                      path=name)])  # fmt: skip
        return merged(document, {name: change})

    def estimated_by(self, estimator: Callable[[dict[str, Any]], Document]) -> Architecture:
        """The architecture with the numbers of another estimator.

        It is asked about every level that says how it is made (docs/energy.md): it gets the keys
        of the level, and ``technology``, ``voltage`` and ``clock`` of the architecture, and gives
        keys and values such as ``{"read": "3 pJ"}``, and under ``from`` a word for itself. They
        are imported: they take the place of estimates, and numbers that the file gives stay.

        >>> import tilewright as tw
        >>> chip = tw.Architecture({
        ...     "architecture": "chip", "technology": "28 nm",
        ...     "levels": [{"memory": "DRAM", "capacity": "unlimited", "word": "8 bits",
        ...                 "dram": "lpddr4"},
        ...                {"compute": "MAC", "energy": "1 pJ"}]})
        >>> other = chip.estimated_by(lambda level: {"read": "9 pJ/bit"})
        >>> other.summary()["levels"][0]["read_pj"]
        72.0
        """
        document = self.to_dict()
        names = ("technology", "voltage", "clock")
        around: dict[str, Any] = {key: document[key] for key in names if key in document}
        changes: dict[str, Any] = {}
        for level in document["levels"]:
            if not any(key in level for key in ("class", "dram", "mac", "wire")):
                continue
            name = level.get("memory") or level.get("fanout") or level["compute"]
            numbers = {"from": "another estimator", **estimator({**around, **level})}
            changes[name] = {"imported": {**level.get("imported", {}), **numbers}}
        return self.with_(changes)

    def summary(self) -> dict[str, Any]:
        """What ``tilewright arch show --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return Architecture.from_yaml, (self.to_yaml(),)

    def __str__(self) -> str:
        return self._handle.text(0)

    def __repr__(self) -> str:
        return f"<Architecture {self.name}: {', '.join(self.levels)}>"

    def _repr_html_(self) -> str:
        return _html.architecture(self.summary())


def architecture_of(source: Architecture | PathLike | Document) -> Architecture:
    """An architecture, or what one can be made of."""
    if isinstance(source, Architecture):
        return source
    if isinstance(source, MappingABC):
        return Architecture.from_dict(source)
    return Architecture.load(source)


def architecture(name: str) -> Architecture:
    """One of the architectures that ship, or a file."""
    return Architecture(name)


def architectures() -> list[str]:
    """The names of the architectures that ship."""
    return _native.builtin_architectures()
