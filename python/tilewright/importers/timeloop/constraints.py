"""Constraints of all forms: of the architecture, of the map-space, inside nodes."""

from __future__ import annotations

from collections.abc import Iterable

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import Hardware, Level
from tilewright.importers.timeloop.loops import (
    Factor,
    Targets,
    read_factors,
    read_names,
    read_order,
    read_split,
)
from tilewright.importers.timeloop.mapping import SWITCHES as _SWITCHES
from tilewright.importers.timeloop.problem import Workload
from tilewright.importers.timeloop.rules import Fanout, Rules, keep_all, settle
from tilewright.importers.timeloop.scope import Variables
from tilewright.importers.values import Items, Place, Scalar, Table, Value, nearest, number_in

_BYPASS = ("dataspace", "datatype", "bypass", "bypassing")
_USE = ("utilization", "parallelism")
_KEYS = "target type factors permutation split keep bypass min factors_only keep_only bypass_only"


def _is_given(value: Value) -> bool:
    return isinstance(value, Scalar) or bool(value.entries)


def _unshared(entry: Table) -> Table:
    """A copy of a constraint, since aliases may use it for several levels."""
    copy = Table(dict(entry.entries), dict(entry.places), entry.tag, entry.place)
    for key in ("type", "target", "name"):
        copy.get(key)
    entry.see_all()
    return copy


class Constraints:
    """Reads constraints; gives rules by place."""

    def __init__(
        self,
        hardware: Hardware,
        fanouts: dict[str, Fanout],
        workload: Workload | None,
        roles: dict[str, str],
        variables: Variables,
        report: Report,
    ) -> None:
        self.hardware = hardware
        self.fanouts = fanouts
        self.workload = workload
        self.roles = roles
        self.variables = variables
        self.report = report
        self.targets = Targets(hardware, report)
        self.rules: dict[str, Rules] = {}
        self.residence: dict[str, tuple[list[str], list[str]]] = {}
        self.template = ""

    # --- sections ---------------------------------------------------------------

    def read_section(self, name: str, section: Value) -> None:
        """A list of constraints, or a table with one."""
        if isinstance(section, Items):
            self.read_list(section)
            return
        if not isinstance(section, Table):
            return
        section.get("version")
        template = section.get("template")
        if isinstance(template, Scalar):
            self.template = template.text
        targets = section.get("targets", "constraints")
        if isinstance(targets, Scalar):  # the name of another list
            targets = section.get(f"constraints_{targets.text}")
        if isinstance(targets, Items):
            self.read_list(targets)
        elif targets is None and section.peek("target") is not None:
            self.read_list(Items([section], place=section.place))
        self.report.rest(section, name, "it says nothing that Timeloop uses")

    def read_list(self, entries: Items) -> None:
        for entry in entries.entries:
            if isinstance(entry, Table):
                self.read_entry(entry)

    def read_entry(self, entry: Table) -> None:
        kind_value = entry.get("type")
        kind = kind_value.text.replace("-", "_") if isinstance(kind_value, Scalar) else ""
        if kind == "" and entry.peek("constraints") is not None:
            self.read_nested(entry)
            return
        level = self.targets.level(entry, kind == "spatial")
        if level is not None:
            self.apply(kind, level, entry)

    def read_nested(self, entry: Table) -> None:
        """A target with all its constraints: a table by type, or a list as in files of 2019."""
        nested = entry.get("constraints")
        if isinstance(nested, Table):
            level = self.targets.level(entry, False)
            if level is not None:
                self.read_node(level.name, nested)
            return
        for inside in nested.entries if isinstance(nested, Items) else []:
            if isinstance(inside, Table):
                attributes = inside.get("attributes")
                merged = Table(dict(inside.entries), dict(inside.places), place=inside.place)
                merged.entries.pop("attributes", None)
                if isinstance(attributes, Table):
                    merged.entries.update(attributes.entries)
                    merged.places.update(attributes.places)
                    attributes.see_all()
                target = entry.get("target", "name")
                if target is not None:
                    merged.set("target", target, target.place)
                inside.see_all()
                self.read_entry(merged)

    def read_node(self, name: str, table: Table) -> None:
        """The form inside a node: a table for each type."""
        for key in list(table.entries):
            inside = table.get(key)
            kind = key.replace("-", "_")
            if not isinstance(inside, Table):
                continue
            storages = {level.name: level for level in self.targets.storages}
            if kind == "spatial":
                level = storages.get(f"inter_{name}_spatial")
                if level is None:
                    self.report.exact(
                        f"spatial constraint of {name}", inside.place, "it has no fan-out"
                    )
                    inside.see_all()
                    continue
            else:
                level = storages.get(name)
            if level is None:
                self.report.left_out(
                    f"{kind} constraint of {name}", inside.place, "it is no storage"
                )
                inside.see_all()
                continue
            self.apply(kind, level, inside)

    def read_parallel(self) -> None:
        """Of storages side by side, one keeps a tensor and the others let it pass."""
        kept: dict[int, list[tuple[str, int, list[str]]]] = {}
        for level in self.targets.storages:
            if level.group is not None and not level.is_dummy:
                names = self.residence.get(level.name, ([], []))[0]
                kept.setdefault(level.group, []).append((level.name, level.branch, names))
        for group, branch, table in self.hardware.nothing:
            space = table.get("dataspace")
            if isinstance(space, Table):
                names = read_names(space.get("keep", "keep_only"), self.tensors)
                kept.setdefault(group, []).append(("", branch, names))
        for members in kept.values():
            for name, own, _ in members:
                others = [t for _, branch, names in members if branch != own for t in names]
                if name and others:
                    self.reside(name, [], others, Place())

    # --- single constraints -----------------------------------------------------

    @property
    def dims(self) -> list[str]:
        return list(self.workload.dims) if self.workload else []

    @property
    def tensors(self) -> list[str]:
        return [tensor.name for tensor in self.workload.tensors] if self.workload else []

    def apply(self, kind: str, level: Level, entry: Table) -> None:
        before = len(self.report.lines)
        entry = _unshared(entry)
        if kind in _BYPASS:
            self.apply_residence(level, entry)
        elif kind == "temporal":
            self.apply_temporal(level, entry)
        elif kind == "spatial":
            self.apply_spatial(level, entry)
        elif kind in _USE:
            self.apply_use(level, entry)
        else:
            note = "sparse data is not modelled" if kind == "max_overbooked_proportion" else ""
            if not note:
                meant = nearest(kind, ("temporal", "spatial", "dataspace", "utilization"))
                self.report.complain(
                    f"{kind!r} is no type of a constraint",
                    f"did you mean {meant}?" if meant else "write temporal, spatial or dataspace",
                    entry.place_of("type"),
                )
            self.report.left_out(f"{kind} of {level.name}", entry.place, note)
            entry.see_all()
            return
        self.name_the_rest(level, entry)
        if len(self.report.lines) == before:
            self.report.exact(f"{kind} constraint of {level.name}", entry.place)

    def name_the_rest(self, level: Level, entry: Table) -> None:
        for key in list(entry.unread()):
            place = entry.places.get(key, entry.place)
            if key.replace("-", "_") in _SWITCHES:
                if _is_given(entry.entries[key]):
                    self.report.approximated(
                        f"{key} of {level.name}",
                        place,
                        "reuse cannot be switched off; counts may differ",
                    )
                continue
            meant = nearest(key, _KEYS.split())
            if meant:
                self.report.warn(f"unknown key {key!r}", f"did you mean {meant!r}?", place)
            self.report.left_out(
                f"{key} of a constraint of {level.name}", place, "it cannot be asked for here"
            )
        entry.see_all()

    def rules_at(self, place: str, source: Place) -> Rules:
        rules = self.rules.setdefault(place, Rules(place))
        if source.file and source not in rules.sources:
            rules.sources.append(source)
        return rules

    def factors(self, entry: Table) -> tuple[list[Factor], bool]:
        """Factors, and whether every other dimension has the factor 1."""
        only = entry.get("factors_only")
        listed = read_factors(entry.get("factors"), self.variables, self.report)
        if only is not None:
            listed += read_factors(only, self.variables, self.report)
        for key in ("no_iteration_over_dataspaces",):
            for tensor in self.named_tensors(read_names(entry.get(key), self.tensors)):
                listed += [Factor(dim, "=", 1, None, entry.place) for dim in sorted(tensor)]
        return [factor for factor in listed if self.has_dim(factor)], only is not None

    def named_tensors(self, names: Iterable[str]) -> list[set[str]]:
        tensors = self.workload.tensors if self.workload else []
        return [tensor.dims for tensor in tensors if tensor.name in names]

    def has_dim(self, factor: Factor) -> bool:
        if not self.workload or factor.dim in self.workload.dims:
            return True
        self.report.left_out(
            f"factor of {factor.dim}", factor.place, "the problem has no such dimension"
        )
        return False

    def bound(self, factor: Factor) -> str | None:
        """The bound as it is written here; None if it says nothing."""
        size = self.workload.dims[factor.dim] if self.workload else None
        if factor.size == 0:
            return "all"
        if factor.size < 0:
            return None
        if size is not None and factor.size > size:
            self.report.left_out(
                f"factor of {factor.dim}", factor.place, "it exceeds the size; Timeloop ignores it"
            )
            return None
        return str(factor.size) if factor.relation == "=" else f"{factor.relation} {factor.size}"

    def apply_temporal(self, level: Level, entry: Table) -> None:
        if level.is_dummy:  # its loops are all 1
            entry.see_all()
            return
        rules = self.rules_at(level.name, entry.place)
        factors, only = self.factors(entry)
        for factor in factors:
            self.set_factor(rules, factor)
        if only:
            self.set_dims(rules, [factor.dim for factor in factors])
        innermost, outermost = read_order(entry.get("permutation"), self.dims, self.report)
        rules.innermost = rules.innermost or self.known(innermost, entry)
        rules.outermost = rules.outermost or self.known(outermost, entry)

    def known(self, dims: list[str], entry: Table) -> list[str]:
        for dim in dims:
            if self.workload and dim not in self.workload.dims:
                self.report.left_out(
                    f"{dim} in a permutation",
                    entry.place_of("permutation"),
                    "the problem has no such dimension",
                )
        return [dim for dim in dims if not self.workload or dim in self.workload.dims]

    def set_factor(self, rules: Rules, factor: Factor) -> None:
        bound = self.bound(factor)
        if bound is not None:
            rules.factors.setdefault(factor.dim, bound)

    def set_dims(self, rules: Rules, dims: list[str]) -> None:
        wanted = list(dict.fromkeys(dims))
        old = rules.dims
        rules.dims = wanted if old is None else [dim for dim in old if dim in wanted]

    def apply_spatial(self, level: Level, entry: Table) -> None:
        fanout = self.fanouts.get(level.name)
        factors, only = self.factors(entry)
        innermost, outermost = read_order(entry.get("permutation"), self.dims, self.report)
        at = self.split(fanout, entry.get("split"))
        if fanout is None:
            entry.see_all()
            self.report.exact(
                f"spatial constraint of {level.name}", entry.place, "it has no fan-out"
            )
            return
        order = [dim for dim in [*innermost, *outermost] if not self.dims or dim in self.dims]
        complete = len(order) >= len(self.dims) > 0
        axes = self.axes(fanout, order, at, complete, entry)
        for factor in factors:
            self.set_spatial_factor(fanout, axes, factor)
        for axis, dims in axes.items():
            rules = self.rules_at(f"{fanout.name}.{axis}", entry.place)
            if dims is not None:
                self.set_dims(rules, dims)
            if only:
                self.set_dims(rules, [factor.dim for factor in factors])

    def split(self, fanout: Fanout | None, value: Value | None) -> int | None:
        if fanout is None:
            return None
        if self.workload is None and isinstance(value, Scalar) and not value.text.isdigit():
            note = "it needs the problem, which is not given"
            self.report.left_out(f"split of {fanout.name}", value.place, note)
            return None
        return read_split(value, self.variables)

    def axes(
        self, fanout: Fanout, order: list[str], split: int | None, complete: bool, entry: Table
    ) -> dict[str, list[str] | None]:
        """The axes of a fan-out, each with the dimensions that may lie on it (None: all)."""
        axes: dict[str, list[str] | None] = {}
        if fanout.x > 1:
            axes["x"] = None
        if fanout.y > 1:
            axes["y"] = None
        if split is None:
            return axes
        if split > len(order) and not complete and self.dims:
            if split < len(self.dims):
                self.report.approximated(
                    f"split of {fanout.name}",
                    entry.place_of("split"),
                    "it counts dimensions that the permutation leaves free; any may lie on x",
                )
            return {axis: (dims if axis == "x" else self.dims) for axis, dims in axes.items()}
        on_x = order[:split]
        rest = [dim for dim in (self.dims or order) if dim not in on_x]
        return {axis: (on_x if axis == "x" else rest) for axis in axes}

    def set_spatial_factor(
        self, fanout: Fanout, axes: dict[str, list[str] | None], factor: Factor
    ) -> None:
        places = [axis for axis, dims in axes.items() if dims is None or factor.dim in dims]
        bound = self.bound(factor)
        if bound is None:
            return
        if len(places) > 1 and bound != "1":
            self.report.approximated(
                f"factor of {factor.dim} at {fanout.name}",
                factor.place,
                "it may lie on x or y; here it holds for each of them",
            )
            if factor.relation != "<=":
                return
        for axis in places or list(axes)[:1]:
            self.rules_at(f"{fanout.name}.{axis}", factor.place).factors.setdefault(
                factor.dim, bound
            )

    def apply_use(self, level: Level, entry: Table) -> None:
        least = entry.get("min")
        number = number_in(least.text) if isinstance(least, Scalar) else None
        owner = [name for name in self.fanouts if name in {s.name for s in self.targets.storages}]
        if number is None or not owner:
            self.report.left_out(f"least use of {level.name}", entry.place, "there is no fan-out")
            return
        fanout = self.fanouts[owner[-1]]
        rules = self.rules_at(fanout.name, entry.place)
        rules.least_use = min(1.0, float(number))
        self.report.approximated(
            f"least use of {level.name}", entry.place, f"it is asked of the fan-out {fanout.name}"
        )

    # --- what is kept -----------------------------------------------------------

    def apply_residence(self, level: Level, entry: Table) -> None:
        every = self.tensors
        keep = read_names(entry.get("keep"), every)
        bypass = read_names(entry.get("bypass"), every)
        only_keep, only_bypass = entry.get("keep_only"), entry.get("bypass_only")
        if only_keep is not None:
            keep = read_names(only_keep, every)
            bypass = [name for name in every if name not in keep]
        if only_bypass is not None:
            bypass = read_names(only_bypass, every)
            keep = [name for name in every if name not in bypass]
        if not level.is_dummy:
            self.reside(level.name, keep, bypass, entry.place)

    def reside(self, name: str, keep: list[str], bypass: list[str], place: Place) -> None:
        kept, passed = self.residence.setdefault(name, ([], []))
        kept += [tensor for tensor in keep if tensor not in kept]
        passed += [tensor for tensor in bypass if tensor not in passed and tensor not in kept]
        if place.file:
            self.rules_at(name, place)

    def settle_residence(self) -> None:
        outermost = self.targets.storages[0].name if self.targets.storages else ""
        for name, (keep, bypass) in self.residence.items():
            rules = self.rules_at(name, Place())
            settle(rules, keep, bypass, self.roles, self.report)
            if name == outermost:
                keep_all(rules, bypass, self.report)
