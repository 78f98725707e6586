"""What constraints say of a place, as it is written in the files of this tool."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilewright.importers.values import Place


@dataclass(slots=True)
class Rules:
    """Rules for one place: a memory, or an axis of a fan-out."""

    place: str
    factors: dict[str, str] = field(default_factory=dict[str, str])
    innermost: list[str] = field(default_factory=list[str])  # from the inside out
    outermost: list[str] = field(default_factory=list[str])
    dims: list[str] | None = None
    keep: list[str] = field(default_factory=list[str])
    bypass: list[str] = field(default_factory=list[str])
    least_use: float | None = None
    sources: list[Place] = field(default_factory=list[Place])


@dataclass(slots=True)
class Fanout:
    """The fan-out inside a storage."""

    name: str
    x: int
    y: int
