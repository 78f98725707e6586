"""From the sections of Timeloop's files to the files of this tool."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tilewright import _native
from tilewright._errors import InputError
from tilewright.importers.report import Report, report_text
from tilewright.importers.timeloop.components import Hardware
from tilewright.importers.timeloop.constraints import Constraints
from tilewright.importers.timeloop.hardware import read_hardware
from tilewright.importers.timeloop.leftovers import DENSE, name_leftovers
from tilewright.importers.timeloop.levels import (
    cluster_share,
    find_fanouts,
    fit_nest,
    written_levels,
)
from tilewright.importers.timeloop.mapper import mapper_lines
from tilewright.importers.timeloop.mapping import Nest, read_mapping
from tilewright.importers.timeloop.problem import Workload, read_problem
from tilewright.importers.timeloop.rules import Fanout, Rules
from tilewright.importers.timeloop.scope import Variables
from tilewright.importers.timeloop.specification import Specification, gather
from tilewright.importers.timeloop.storage import (
    Memory,
    Number,
    compute_energy,
    decimal,
    number_lines,
    read_memory,
)
from tilewright.importers.timeloop.tables import EnergyTables, read_tables
from tilewright.importers.timeloop.windows import note_windows
from tilewright.importers.values import Items, Place, Table, refuse, see_within
from tilewright.importers.writing import heading, line, list_text, map_text, name_text

_COMMAND = "import timeloop"
_UNUSED = "an input of Accelergy at most; no component takes a number from it"
_ORDER = (
    "capacity block read write update read_bandwidth write_bandwidth bandwidth leakage area".split()
)


@dataclass(frozen=True, slots=True)
class Imported:
    """The texts of files by their names, and what became of the input."""

    files: dict[str, str]
    report: Report


@dataclass(slots=True)
class _Parts:
    """What the sections mean, as far as they are there."""

    hardware: Hardware | None = None
    fanouts: dict[str, Fanout] = field(default_factory=dict[str, Fanout])
    memories: dict[str, Memory] = field(default_factory=dict[str, Memory])
    compute: dict[str, Number] = field(default_factory=dict[str, Number])
    workload: Workload | None = None
    nest: Nest | None = None
    rules: dict[str, Rules] = field(default_factory=dict[str, Rules])
    template: str = ""
    roles: dict[str, str] = field(default_factory=dict[str, str])


def import_timeloop(
    paths: Sequence[pathlib.Path],
    defines: Mapping[str, Any] | None = None,
    folders: Sequence[pathlib.Path] = (),
    charge: str = "each",
    first_sums: str = "skipped",
) -> Imported:
    """Reads files of Timeloop; gives the texts of files of this tool and a report."""
    specification = gather(paths, defines or {}, folders)
    variables = Variables(specification.table("variables"), specification.sections, defines)
    names = [path.name for path in paths]
    converter = _Converter(specification, variables, names, charge == "largest")
    converter.reads_first_sums = first_sums == "read"
    return converter.convert()


class _Converter:
    def __init__(
        self, specification: Specification, variables: Variables, names: list[str], largest: bool
    ) -> None:
        self.specification = specification
        self.variables = variables
        self.names = names
        self.largest = largest
        self.reads_first_sums = False
        self.report = Report()
        self.parts = _Parts()
        self.files: dict[str, str] = {}

    def convert(self) -> Imported:
        sections = self.specification.sections
        problem = sections.get("problem")
        if isinstance(problem, Items):
            self.convert_cascade(problem)
        elif problem is not None:
            shape = self.specification.table("shape")
            self.parts.workload = read_problem(problem, self.variables, self.report, shape)
            self.report.raise_problems()
            self.parts.roles = self.write_workload(self.parts.workload, "workload.yaml")
        if "architecture" in sections:
            self.convert_hardware(
                read_tables(sections.get("ERT"), sections.get("ART"), self.report)
            )
        name_leftovers(self.specification, self.report)
        lines = mapper_lines(sections.get("mapper"), self.parts.template, self.report)
        if lines:
            self.files["mapper.yaml"] = self.text(lines)
        self.report.raise_problems()
        self.check()
        title = f"Import of {', '.join(self.names)}"
        self.files["report.md"] = report_text(self.report, title, self.remarks())
        return Imported(self.files, self.report)

    def text(self, lines: list[str]) -> str:
        return "\n".join([*heading(_COMMAND, self.names), *lines]) + "\n"

    def convert_cascade(self, layers: Items) -> None:
        """Fused layers: a workload for each; what one hands to the next is not said here."""
        place = self.specification.places["problem"]
        for number, layer in enumerate(layers.entries, start=1):
            workload = read_problem(layer, self.variables, self.report)
            self.report.raise_problems()
            name = f"workload_{number}_{re.sub(r'[^A-Za-z0-9_]', '_', workload.name)}.yaml"
            self.write_workload(workload, name)
        note = "it is a cascade of layers; each is a workload of its own here"
        self.report.left_out("fusion of the layers", place, note)
        self.report.warn("the problem is a cascade of layers", "each has a file of its own", place)

    # --- the parts ----------------------------------------------------------------

    def convert_hardware(self, tables: EnergyTables) -> None:
        parts, sections = self.parts, self.specification.sections
        hardware = read_hardware(sections["architecture"], self.variables, self.report)
        parts.hardware = hardware
        parts.fanouts = find_fanouts(hardware, self.report)
        self.report.raise_problems()
        constraints = self.read_constraints(hardware)
        self.read_nest(hardware, constraints)
        for level in hardware.storages:
            if not level.is_dummy:
                memory = read_memory(level, tables, self.report, self.largest)
                parts.memories[level.name] = memory
                self.charge_cluster(memory, hardware)
        parts.compute = compute_energy(hardware.compute, tables, self.report, self.largest)
        self.name_tables(tables, {*parts.memories, hardware.compute.name})
        for name, sparse in hardware.sparse:
            self.report.left_out(f"sparse optimizations of {name}", sparse.place, DENSE)
            self.report.leave_out_all(sparse, f"sparse optimizations of {name}", DENSE)
            see_within(sparse)
        self.report.rest(sections["architecture"], "architecture", _UNUSED)
        self.write_architecture(hardware)
        if parts.rules:
            self.write_constraints()
        if parts.nest is not None:
            self.write_mapping(hardware, parts.nest)

    def read_constraints(self, hardware: Hardware) -> Constraints:
        constraints = Constraints(
            hardware,
            self.parts.fanouts,
            self.parts.workload,
            self.parts.roles,
            self.variables,
            self.report,
        )
        for name, table in hardware.node_constraints:
            constraints.read_node(name, table)
        for name, section in self.specification.constraints:
            constraints.read_section(name, section)
        mapspace = self.specification.sections.get("mapspace")
        if mapspace is not None:
            constraints.read_section("mapspace", mapspace)
        constraints.read_parallel()
        constraints.settle_residence()
        self.report.raise_problems()
        self.parts.rules = constraints.rules
        self.parts.template = constraints.template
        return constraints

    def read_nest(self, hardware: Hardware, constraints: Constraints) -> None:
        section = self.specification.sections.get("mapping")
        if section is None or (isinstance(section, Items) and not section.entries):
            return
        workload = self.parts.workload
        if isinstance(section, Table):
            self.report.left_out("mapping", section.place, "mappings of fused layers are not read")
            return
        if workload is None:
            self.report.left_out("mapping", section.place, "it means nothing without its problem")
            return
        nest = read_mapping(section, hardware, workload, self.variables, self.report)
        self.report.raise_problems()
        _reside_by_rule(nest, constraints, self.report)
        fit_nest(nest, self.parts.fanouts, hardware, self.report)
        note_windows(nest, hardware, workload, self.report)
        self.parts.nest = nest

    def charge_cluster(self, memory: Memory, hardware: Hardware) -> None:
        """Energies of a row that several instances share are shared out."""
        if memory.cluster == 1:
            return
        share = cluster_share(memory.level, memory.cluster, self.parts.nest, hardware)
        for key in ("read", "write", "update"):
            number = memory.numbers[key]
            pj = float(number.text.split()[0]) / share
            source = f"1/{decimal(share)} {number.source}"
            memory.numbers[key] = Number(f"{decimal(pj)} pJ", source, number.table)
        what, place = f"cluster_size of {memory.level.name}", memory.level.place
        text = f"the energy of a row is divided by {decimal(share)}, the instances that share it"
        if self.parts.nest is not None:
            self.report.exact(what, place, f"{text} in this mapping")
        else:
            self.report.approximated(what, place, f"{text} if all are in use")

    def name_tables(self, tables: EnergyTables, levels: set[str]) -> None:
        for name in [name for name in tables.areas if name not in levels]:
            area = tables.areas[name]
            what = f"area of {name} = {decimal(area.pj)}"
            self.report.left_out(what, area.place, "no memory and no multiplier has this name")
        for name, actions in tables.actions.items():
            place = next((energy.place for energy in actions.values()), Place())
            if name not in tables.used:
                note = "it is no storage and no multiplier; networks are not modelled"
                self.report.left_out(f"energies of {name}", place, note)
            elif not self.largest:
                for action, energy in tables.uncharged(name).items():
                    what = f"energy of {action} of {name} = {decimal(energy.pj)}"
                    self.report.left_out(what, energy.place, "no access of dense data charges it")

    # --- the files ----------------------------------------------------------------

    def write_workload(self, workload: Workload, file: str) -> dict[str, str]:
        """Writes a workload; gives the roles of its tensors."""
        sizes = [
            line(f"  {name_text(dim)}: {size}", str(workload.sources[dim]))
            for dim, size in workload.dims.items()
        ]
        lines = [
            f"workload: {json.dumps(workload.name)}",
            line(f"einsum: {json.dumps(workload.einsum)}", str(workload.place)),
            "sizes:",
            *sizes,
        ]
        for tensor in workload.tensors:
            self.report.exact(f"tensor {tensor.name}", tensor.place)
        handle = _native.Workload.read(self.text(lines), file)
        tensors = json.loads(handle.json())["tensors"]
        roles: dict[str, str] = {tensor["name"]: tensor["role"] for tensor in tensors}
        inputs = {name: role for name, role in roles.items() if role != "output"}
        lines.append(line(f"roles: {map_text(inputs)}", "by the rule of docs/semantics.md"))
        self.files[file] = self.text(lines)
        return roles

    def write_architecture(self, hardware: Hardware) -> None:
        lines = [
            f"architecture: {name_text(hardware.name)}",
            f"source: {json.dumps('Timeloop, ' + hardware.dialect + ': ' + ', '.join(self.names))}",
            line("accounting: timeloop", "counts as timeloop-model does"),
            *(["first_sums: read"] if self.reads_first_sums else []),
            "levels:",
        ]
        for number, written in enumerate(written_levels(hardware, self.parts.fanouts)):
            if written.storage is not None:
                lines += self.memory_lines(self.parts.memories[written.storage.name], number == 0)
            elif written.fanout is not None:
                lines += _fanout_lines(written.fanout)
        compute = hardware.compute
        lines.append(line(f"  - compute: {name_text(compute.name)}", str(compute.place)))
        lines += number_lines(self.parts.compute)
        self.files["architecture.yaml"] = self.text(lines)

    def memory_lines(self, memory: Memory, outermost: bool) -> list[str]:
        level = memory.level
        source = f"{level.component_class}, {memory.word_bits}-bit words; {level.place}"
        lines = [line(f"  - memory: {name_text(level.name)}", source)]
        if memory.block > 1:
            memory.numbers["block"] = Number(
                f"{memory.block} words", "width / datawidth, block_size"
            )
        lines += number_lines({key: memory.numbers[key] for key in _ORDER if key in memory.numbers})
        nest = self.parts.nest
        if not outermost or (nest is not None and nest.levels[level.name].bypass):
            lines.append("    free: [input, weight, output]")
        return lines

    def write_constraints(self) -> None:
        lines = ["constraints:"]
        for rules in self.parts.rules.values():
            lines += _rule_lines(rules)
        if len(lines) > 1:
            self.files["constraints.yaml"] = self.text(lines)

    def write_mapping(self, hardware: Hardware, nest: Nest) -> None:
        lines = [f"mapping: {name_text('imported')}", "levels:"]
        for number, written in enumerate(written_levels(hardware, self.parts.fanouts)):
            if written.storage is not None:
                lines += _nest_lines(nest, written.storage.name, number == 0)
            elif written.fanout is not None:
                owner = next(k for k, f in self.parts.fanouts.items() if f is written.fanout)
                lines += _space_lines(nest, owner, written.fanout)
        self.files["mapping.yaml"] = self.text(lines)

    # --- the end --------------------------------------------------------------------

    def check(self) -> None:
        """Every file must be one that this tool reads."""
        if "architecture.yaml" not in self.files:
            return
        try:
            arch = _native.Architecture.read(self.files["architecture.yaml"], "architecture.yaml")
            if "constraints.yaml" in self.files:
                _native.Constraints.read(self.files["constraints.yaml"], "constraints.yaml", arch)
            if "mapping.yaml" in self.files:
                work = _native.Workload.read(self.files["workload.yaml"], "workload.yaml")
                _native.Mapping.read(self.files["mapping.yaml"], "mapping.yaml", arch, work)
        except InputError as error:
            first = error.problems[0]
            raise refuse(
                f"what was made of the files cannot be used: {first.message} ({first.file})",
                first.hint,
                Place(self.names[0]),
            ) from None

    def remarks(self) -> list[str]:
        there = [name for name in self.files if name != "report.md"]
        remarks = [f"Written: {', '.join(there)}. Numbers are counted as timeloop-model counts."]
        if self.largest:
            remarks.append(
                "Every access is charged the largest energy of its component, as older Timeloop did."
            )
        if self.reads_first_sums:
            remarks.append(
                "The first reads and fills of outputs are counted, as older Timeloop did."
            )
        else:
            remarks.append(
                "The first reads and fills of outputs are not counted, as in Timeloop of today. Older "
                "results, and those with `rmw_first_update`, count them: `--first-sums read` does so."
            )
        base = "-a architecture.yaml -w workload.yaml"
        if "mapping.yaml" in self.files:
            remarks.append(f"To evaluate the mapping: `tilewright eval {base} -m mapping.yaml`.")
        if "architecture.yaml" in self.files and "workload.yaml" in self.files:
            rules = " --constraints constraints.yaml" if "constraints.yaml" in self.files else ""
            remarks.append(f"To find the best mapping: `tilewright map {base}{rules}`.")
        return remarks


def _reside_by_rule(nest: Nest, constraints: Constraints, report: Report) -> None:
    """Where the mapping says nothing of a tensor, a constraint of the hardware may."""
    for name, (keep, bypass) in constraints.residence.items():
        level = nest.levels[name]
        if level.bypass or not bypass:
            continue
        moved = [tensor for tensor in level.keep if tensor in bypass and tensor not in keep]
        if moved and len(moved) < len(level.keep) + 1:
            level.keep = [tensor for tensor in level.keep if tensor not in moved]
            level.bypass = moved
            report.exact(
                f"bypass of {' and '.join(moved)} at {name}", nest.place, "by a constraint"
            )


def _fanout_lines(fanout: Fanout) -> list[str]:
    lines = [f"  - fanout: {name_text(fanout.name)}"]
    if fanout.x > 1 or fanout.y == 1:
        lines.append(f"    x: {fanout.x}")
    if fanout.y > 1:
        lines.append(f"    y: {fanout.y}")
    return lines


def _sources(places: Iterable[Place]) -> str:
    """Where something comes from, each line once."""
    return ", ".join(dict.fromkeys(str(place) for place in places))


def _rule_lines(rules: Rules) -> list[str]:
    sources = _sources(rules.sources)
    lines = [line(f"  - level: {name_text(rules.place)}", sources)]
    if rules.factors:
        lines.append(f"    factors: {map_text(rules.factors)}")
    order: list[str] = []
    if rules.outermost:
        order.append(f"outermost: {list_text(reversed(rules.outermost))}")
    if rules.innermost:
        order.append(f"innermost: {list_text(reversed(rules.innermost))}")
    if order:
        lines.append(f"    order: {{{', '.join(order)}}}")
    if rules.dims is not None:
        lines.append(f"    dims: {list_text(rules.dims)}")
    for key, roles in (("keep", rules.keep), ("bypass", rules.bypass)):
        if roles:
            lines.append(f"    {key}: {list_text(roles)}")
    if rules.least_use is not None:
        lines.append(f"    least_use: {decimal(rules.least_use)}")
    return lines if len(lines) > 1 else []


def _nest_lines(nest: Nest, name: str, outermost: bool) -> list[str]:
    level = nest.levels[name]
    source = _sources(level.places)
    loops = f"[{', '.join(str(loop) for loop in level.loops)}]"
    lines = [line(f"  {name_text(name)}:", source), f"    loops: {loops}"]
    if not outermost or level.bypass:
        lines.append(f"    keep: {list_text(level.keep)}")
        lines.append(f"    bypass: {list_text(level.bypass)}")
    return lines


def _space_lines(nest: Nest, owner: str, fanout: Fanout) -> list[str]:
    level = nest.levels[owner]
    axes = [(axis, loops) for axis, loops in (("x", level.x), ("y", level.y)) if loops]
    if not axes:
        return []
    lines = [line(f"  {name_text(fanout.name)}:", _sources(level.places))]
    return lines + [
        f"    {axis}: [{', '.join(str(loop) for loop in loops)}]" for axis, loops in axes
    ]
