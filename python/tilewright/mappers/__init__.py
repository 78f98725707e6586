"""Mappers written in Python, for ``tilewright map`` and ``tilewright arena``.

A mapper has a name, a summary and a method ``search``, which is told a :class:`Task` and gives
the rows of mappings, one after the other (``Evaluator.columns`` names the numbers of a row). The
engine scores them with its exact model, keeps the best and ends the search at its limits. A file
that a user names with ``--mapper-module`` has them in a list ``MAPPERS``::

    import tilewright as tw

    class First:
        name = "first"
        summary = "the first mapping of the space"

        def search(self, task):
            space = tw.space(task.architecture, task.workload, mapspace=task.mapspace)
            yield space[0].to_row()

    MAPPERS = [First()]
"""

from __future__ import annotations

import importlib.util
import pathlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from tilewright import _native
from tilewright._errors import InputError, Problem
from tilewright._values import Architecture, Workload

__all__ = ["Mapper", "Memory", "Row", "Slot", "Task", "Tensor", "load", "rows_of"]

Row: TypeAlias = Sequence[int]


@dataclass(frozen=True)
class Tensor:
    """A tensor; every rank is a sum of dimensions, each with its coefficient."""

    name: str
    output: bool
    ranks: tuple[tuple[tuple[int, int], ...], ...]

    def dims(self) -> frozenset[int]:
        """The dimensions that move it."""
        return frozenset(dim for rank in self.ranks for dim, _ in rank)


@dataclass(frozen=True)
class Slot:
    """Where loops stand: at a memory, or along an axis of a fan-out."""

    name: str
    level: int
    """Of the architecture, from the outermost in."""
    spatial: bool
    size: int
    """Instances along the axis; 0 of a memory."""
    least_used: int
    """Instances of the whole fan-out that must take part."""
    least: tuple[int, ...]
    """By dimension, the least bound that is allowed."""
    most: tuple[int, ...]


@dataclass(frozen=True)
class Memory:
    """What a memory may keep, and how its loops may be ordered."""

    name: str
    level: int
    elements: tuple[int | None, ...]
    """By tensor, how many of its elements fit with no other beside them; None: no limit."""
    own: tuple[bool, ...]
    """By tensor, whether it has a partition of its own."""
    keep_always: int
    """Bits of tensors."""
    keep_allowed: int
    outermost: tuple[int, ...]
    """Dimensions whose loops must stand there, from the outermost in."""
    innermost: tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """What is to be mapped, and within what. Slots and memories stand from the outermost in."""

    architecture: Architecture
    workload: Workload
    dims: tuple[tuple[str, int], ...]
    tensors: tuple[Tensor, ...]
    slots: tuple[Slot, ...]
    memories: tuple[Memory, ...]
    objective: str
    mapspace: str
    seed: int
    seconds: float | None
    """The limit of time, of which a search should spend no more on one step."""

    def row(
        self,
        bounds: Sequence[Sequence[int]],
        orders: Sequence[Sequence[int]],
        keeps: Sequence[int],
    ) -> list[int]:
        """A mapping: bounds by slot and dimension, orders (outermost first) and bits by memory."""
        row = [bound for of_slot in bounds for bound in of_slot]
        row += [dim for order in orders for dim in order]
        return row + list(keeps)


@runtime_checkable
class Mapper(Protocol):
    """What a list of mappers has."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    def search(self, task: Task, /) -> Iterable[Row]:
        """The rows of mappings to try, in order. Each must be allowed; it need not fit."""
        ...


def load(path: str) -> list[Mapper]:
    """The mappers of a file, which is run for it: never one that the user did not name."""
    if not pathlib.Path(path).is_file():
        raise InputError([Problem("there is no such file", "name a file in Python", path)])
    spec = importlib.util.spec_from_file_location("tilewright_mapper_module", path)
    if spec is None or spec.loader is None:
        raise InputError([Problem("it is no file in Python", "its name ends in .py", path)])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Any = getattr(module, "MAPPERS", None)
    if not isinstance(found, list) or not found:
        hint = "write MAPPERS = [...] with objects that have name, summary and search"
        raise InputError([Problem("it has no list of mappers", hint, path)])
    for one in cast("list[object]", found):
        if not isinstance(one, Mapper):
            hint = "give it name, summary and search"
            raise InputError([Problem(f"{one!r} is no mapper", hint, path)])
    return cast("list[Mapper]", found)


def rows_of(mappers: Sequence[Mapper]) -> list[tuple[str, str, object]]:
    """The mappers as the engine takes them."""

    def searching(mapper: Mapper) -> object:
        def search(told: dict[str, Any]) -> Iterable[Row]:
            return mapper.search(_task_of(told))

        return search

    return [(mapper.name, mapper.summary, searching(mapper)) for mapper in mappers]


def _task_of(told: dict[str, Any]) -> Task:
    def tuples(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            return value
        return tuple(tuples(one) for one in cast("Sequence[Any]", value))

    def parts(kind: Any, documents: list[dict[str, Any]]) -> Any:
        return tuple(kind(**{key: tuples(one[key]) for key in one}) for one in documents)

    return Task(
        architecture=Architecture._hold(cast("_native.Architecture", told["architecture"])),
        workload=Workload._hold(cast("_native.Workload", told["workload"])),
        dims=tuples(told["dims"]),
        tensors=parts(Tensor, told["tensors"]),
        slots=parts(Slot, told["slots"]),
        memories=parts(Memory, told["memories"]),
        objective=told["objective"],
        mapspace=told["mapspace"],
        seed=told["seed"],
        seconds=told["seconds"],
    )
