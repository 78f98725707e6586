"""What a sweep asks for."""

from __future__ import annotations

import itertools
import json
import pathlib
from collections.abc import Iterator
from typing import NamedTuple

from tilewright import _native
from tilewright._values import Architecture, Network
from tilewright.sweeps.quantities import Filter
from tilewright.sweeps.sample import at_random, grid, sobol


class Work(NamedTuple):
    """A network with sizes."""

    model: str
    sizes: tuple[tuple[str, str], ...]

    @property
    def label(self) -> str:
        name = pathlib.PurePath(self.model).stem if "/" in self.model else self.model
        return " ".join([name, *(f"{size}={value}" for size, value in self.sizes)])

    def load(self) -> Network:
        return Network.load(self.model, dict(self.sizes))


class Design(NamedTuple):
    """An architecture with settings."""

    number: int
    base: str
    settings: tuple[tuple[str, str], ...]

    @property
    def label(self) -> str:
        return " ".join(f"{path}={value}" for path, value in self.settings)

    def load(self) -> Architecture:
        changes = [f"{path}={value}" for path, value in self.settings]
        return Architecture._hold(_native.Architecture.load(self.base, changes))


class Sweep(NamedTuple):
    """A sweep that was read and found sound."""

    name: str
    architectures: tuple[str, ...]
    parameters: tuple[tuple[str, tuple[str, ...]], ...]
    listed: tuple[tuple[tuple[str, str], ...], ...]
    works: tuple[Work, ...]
    mapspaces: tuple[str, ...]
    mappers: tuple[str, ...]
    objectives: tuple[str, ...]
    each_layer: bool
    sample: tuple[str, int, int]
    """``grid``, ``random`` or ``sobol``; how many designs; the seed."""
    filters: tuple[Filter, ...]
    constrain: tuple[str, ...]
    options: tuple[tuple[str, str], ...]

    @property
    def axes(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What is varied: the parameters, or what listed designs set, and its values."""
        found: dict[str, dict[str, None]] = {}
        for design in self.listed:
            for path, value in design:
                found.setdefault(path, {})[value] = None
        return self.parameters or tuple((path, tuple(values)) for path, values in found.items())

    def designs(self) -> Iterator[Design]:
        """The designs of the sample, before any filter."""
        number = 0
        for base in self.architectures:
            for settings in self.listed or self._chosen():
                yield Design(number, base, settings)
                number += 1

    def _chosen(self) -> Iterator[tuple[tuple[str, str], ...]]:
        sizes = [len(values) for _, values in self.parameters]
        kind, count, seed = self.sample
        if kind == "grid":
            choices = grid(sizes)
        elif kind == "random":
            choices = at_random(sizes, count, seed)
        else:
            choices = sobol(sizes, count)
        for choice in choices:
            yield tuple(
                (path, values[at])
                for (path, values), at in zip(self.parameters, choice, strict=True)
            )

    def questions(self) -> Iterator[tuple[str, str, str]]:
        """Map-space, mapper and objective."""
        return itertools.product(self.mapspaces, self.mappers, self.objectives)

    def texts(self, mapspace: str, mapper: str, objective: str) -> dict[str, str]:
        """Options as the native module takes them."""
        given = {**dict(self.options), "mapspace": mapspace, "mapper": mapper,
                 "objective": objective}  # fmt: skip
        if self.each_layer:
            given["each_layer"] = "true"
        return given

    def document(self) -> str:
        """What is asked, as a text: equal sweeps have equal ones."""
        return json.dumps({**self._asdict(), "filters": [one.text for one in self.filters]})
