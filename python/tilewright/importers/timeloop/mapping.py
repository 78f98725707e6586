"""The mapping section: loops and what is kept, level by level."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import Hardware
from tilewright.importers.timeloop.loops import (
    Factor,
    Targets,
    read_factors,
    read_names,
    read_order,
    read_split,
)
from tilewright.importers.timeloop.problem import Workload
from tilewright.importers.timeloop.scope import Variables
from tilewright.importers.values import Items, Place, Scalar, Table, Value, nearest, refuse

_BYPASS = ("dataspace", "datatype", "bypass", "bypassing")
SWITCHES = (
    "no_reuse no_temporal_reuse rmw_first_update rmw_on_first_writeback no_link_transfer "
    "no_coalesce no_multicast_no_reduction passthrough"
).split()


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop with more than one iteration."""

    dim: str
    bound: int
    last: int | None = None

    def __str__(self) -> str:
        return f"{self.dim} {self.bound}" + (f" last {self.last}" if self.last else "")


@dataclass(slots=True)
class LevelMapping:
    """What a mapping says of a storage and of the fan-out inside it."""

    loops: list[Loop] = field(default_factory=list[Loop])  # outermost first
    x: list[Loop] = field(default_factory=list[Loop])
    y: list[Loop] = field(default_factory=list[Loop])
    keep: list[str] = field(default_factory=list[str])
    bypass: list[str] = field(default_factory=list[str])
    places: list[Place] = field(default_factory=list[Place])


@dataclass(slots=True)
class Nest:
    """A whole mapping, by the names of storages."""

    levels: dict[str, LevelMapping]
    place: Place


class _Reader:
    def __init__(
        self, hardware: Hardware, workload: Workload, variables: Variables, report: Report
    ) -> None:
        self.hardware = hardware
        self.workload = workload
        self.variables = variables
        self.report = report
        self.targets = Targets(hardware, report)
        self.levels = {level.name: LevelMapping() for level in hardware.storages}
        self.factors: dict[tuple[str, str], list[Factor]] = {}
        self.orders: dict[tuple[str, str], tuple[list[str], int | None]] = {}

    def read(self, section: Items) -> Nest:
        for directive in section.entries:
            if isinstance(directive, Table):
                self.directive(directive)
        self.report.raise_problems()
        sizes = self.settled()
        for key in [*dict.fromkeys([*self.factors, *self.orders])]:
            self.add_loops(key, sizes)
        for name, level in self.levels.items():
            self.keep_the_rest(name, level)
        return Nest(self.levels, section.place)

    def directive(self, directive: Table) -> None:
        kind_value = directive.get("type")
        kind = kind_value.text.replace("-", "_") if isinstance(kind_value, Scalar) else ""
        if kind not in ("temporal", "spatial", "skew", *_BYPASS):
            hint = nearest(kind, ("temporal", "spatial", "dataspace", "datatype", "bypass"))
            self.report.complain(
                f"{kind!r} is no type of a directive",
                f"did you mean {hint}?" if hint else "write temporal, spatial or dataspace",
                directive.place_of("type"),
            )
            return
        level = self.targets.level(directive, kind == "spatial")
        if level is None:
            return
        if kind == "skew":
            self.report.left_out(f"skew of {level.name}", directive.place, "loops are not skewed")
            directive.see_all()
            return
        self.levels[level.name].places.append(directive.place)
        self.take(directive, level.name, kind)
        self.report.exact(f"{kind} directive of {level.name}", directive.place)
        self.rest(directive, level.name)

    def take(self, directive: Table, name: str, kind: str) -> None:
        if kind in _BYPASS:
            self.tensors(directive, name)
            return
        key = (name, kind)
        found = read_factors(directive.get("factors"), self.variables, self.report)
        self.factors[key] = [factor for factor in found if self.is_dim(factor)]
        order, outermost = read_order(
            directive.get("permutation"), list(self.workload.dims), self.report
        )
        for dim in [dim for dim in [*order, *outermost] if dim not in self.workload.dims]:
            self.unknown_dim(dim, directive.place_of("permutation"))
        split = read_split(directive.get("split"), self.variables)
        self.orders[key] = ([*order, *outermost], split)

    def is_dim(self, factor: Factor) -> bool:
        if factor.relation != "=":
            self.report.complain("a mapping has exact factors", "write K=2", factor.place)
        if factor.dim not in self.workload.dims:
            self.unknown_dim(factor.dim, factor.place)
            return False
        return True

    def unknown_dim(self, dim: str, place: Place) -> None:
        names = ", ".join(self.workload.dims)
        self.report.complain(f"the problem has no dimension {dim}", f"it has {names}", place)

    def tensors(self, directive: Table, name: str) -> None:
        every = [tensor.name for tensor in self.workload.tensors]
        level = self.levels[name]
        for key, target in (("keep", level.keep), ("bypass", level.bypass)):
            for tensor in read_names(directive.get(key), every):
                if tensor not in every:
                    self.report.complain(
                        f"the problem has no tensor {tensor}",
                        f"it has {', '.join(every)}",
                        directive.place_of(key),
                    )
                elif tensor not in target:
                    target.append(tensor)

    def rest(self, directive: Table, name: str) -> None:
        for key in list(directive.unread()):
            place = directive.places.get(key, directive.place)
            spelling = key.replace("-", "_")
            if spelling in SWITCHES:
                self.report.approximated(
                    f"{key} of {name}", place, "reuse cannot be switched off; counts may differ"
                )
            else:
                meant = nearest(
                    key, ("factors", "permutation", "split", "keep", "bypass", "target")
                )
                if meant:
                    self.report.warn(f"unknown key {key!r}", f"did you mean {meant!r}?", place)
                self.report.left_out(f"{key} of {name}", place, "Timeloop does not read it")

    def settled(self) -> dict[tuple[str, str, str], Loop]:
        """All bounds, with 0 as what is left of a dimension; complains if a product is wrong."""
        sizes: dict[tuple[str, str, str], Loop] = {}
        for dim, size in self.workload.dims.items():
            places = [
                (key, factor)
                for key, factors in self.factors.items()
                for factor in factors
                if factor.dim == dim
            ]
            product = math.prod(min(f.size, size) for _, f in places if f.size > 0)
            for (name, kind), factor in places:
                bound = min(factor.size, size)
                if factor.size <= 0:
                    bound = max(1, size // product)
                    product *= bound
                sizes[name, kind, dim] = Loop(dim, bound, factor.last)
            self.check_product(dim, size, places, sizes)
        return sizes

    def check_product(
        self,
        dim: str,
        size: int,
        places: list[tuple[tuple[str, str], Factor]],
        sizes: dict[tuple[str, str, str], Loop],
    ) -> None:
        loops = [sizes[name, kind, dim] for (name, kind), _ in places]
        product = math.prod(loop.bound for loop in loops)
        place = places[0][1].place if places else self.workload.place
        if product == size:
            return
        if any(loop.last for loop in loops):
            self.report.approximated(
                f"remainders of {dim}", place, "Timeloop approximates them; here they are exact"
            )
            return
        self.report.complain(
            f"the factors of {dim} multiply to {product}, not to its size {size}",
            "change a factor of the mapping",
            place,
        )

    def add_loops(self, key: tuple[str, str], sizes: dict[tuple[str, str, str], Loop]) -> None:
        name, kind = key
        order, split = self.orders.get(key, ([], None))
        complete = list(dict.fromkeys([*order, *self.workload.dims]))
        loops = [sizes.get((name, kind, dim), Loop(dim, 1)) for dim in complete]
        level = self.levels[name]
        if kind == "temporal":
            level.loops = [loop for loop in reversed(loops) if loop.bound > 1]
            if len(level.loops) > 1 and any(loop.dim not in order for loop in level.loops):
                self.report.approximated(
                    f"order of the loops of {name}",
                    level.places[0],
                    "the permutation is not complete; dimensions follow in their own order",
                )
            return
        at = len(loops) if split is None else split
        level.x = [loop for loop in reversed(loops[:at]) if loop.bound > 1]
        level.y = [loop for loop in reversed(loops[at:]) if loop.bound > 1]

    def keep_the_rest(self, name: str, level: LevelMapping) -> None:
        """What a mapping does not say is kept; a storage that stands for a fan-out keeps nothing."""
        every = [tensor.name for tensor in self.workload.tensors]
        dummy = any(found.name == name and found.is_dummy for found in self.hardware.storages)
        if dummy and not level.keep:
            level.bypass = every
            return
        level.bypass = [tensor for tensor in level.bypass if tensor not in level.keep]
        level.keep = [tensor for tensor in every if tensor not in level.bypass]


def read_mapping(
    section: Value, hardware: Hardware, workload: Workload, variables: Variables, report: Report
) -> Nest:
    """The loops of a mapping section."""
    if not isinstance(section, Items):
        raise refuse("a mapping should be a list of directives", place=section.place)
    return _Reader(hardware, workload, variables, report).read(section)
