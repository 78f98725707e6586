"""Our architecture, workload and mapping as files that timeloop-model takes.

What Timeloop cannot say is refused with the reason: a file that says something else would be
worse than none.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tilewright._errors import InputError, Problem
from tilewright._values import Architecture, Mapping, Workload
from tilewright.importers.writing import list_text

_ROLES = ("input", "weight", "output")
_HEADING = "# Written by `tilewright export timeloop`; report.md says how to compare numbers.\n"


@dataclass(slots=True)
class _Storage:
    """A storage of Timeloop: one of our memories, or one that only carries a fan-out."""

    name: str
    memory: dict[str, Any] | None
    mesh: tuple[int, int]
    fanout: dict[str, Any] | None = None


@dataclass(slots=True)
class _Refusals:
    file: str
    problems: list[Problem] = field(default_factory=list[Problem])

    def add(self, message: str, hint: str = "") -> None:
        self.problems.append(Problem(message, hint, self.file))

    def check(self) -> None:
        if self.problems:
            raise InputError(self.problems)


def export_timeloop(
    arch: Architecture, workload: Workload, mapping: Mapping | None = None
) -> dict[str, str]:
    """The texts of files by their names."""
    return _Export(arch, workload, mapping).files()


class _Export:
    def __init__(self, arch: Architecture, workload: Workload, mapping: Mapping | None) -> None:
        self.arch = arch.summary()
        self.work = workload.summary()
        self.refusals = _Refusals(arch.name)
        self.letters = _letters(workload.dims, self.refusals)
        self.tensors = [tensor["name"] for tensor in self.work["tensors"]]
        self.roles = {tensor["name"]: tensor["role"] for tensor in self.work["tensors"]}
        self.bits = {tensor["name"]: tensor["bits"] for tensor in self.work["tensors"]}
        self.nest = _nest_of(arch, workload, mapping)
        self.check_architecture()
        self.storages = self.storages_of()
        if self.nest is not None:
            self.check_nest(self.nest)
        self.refusals.check()

    def files(self) -> dict[str, str]:
        files = {
            "architecture.yaml": self.architecture_text(),
            "problem.yaml": self.problem_text(),
            "ERT.yaml": self.table_text("ERT"),
            "ART.yaml": self.table_text("ART"),
        }
        if self.nest is not None:
            files["mapping.yaml"] = self.mapping_text(self.nest)
        files = {name: _HEADING + text for name, text in files.items()}
        files["report.md"] = self.report_text(files)
        return files

    # --- what cannot be said --------------------------------------------------------

    def check_architecture(self) -> None:
        if self.arch["flexibility"] is not None:
            self.refusals.add(
                "a flexible architecture cannot be written", "export one setting of it"
            )
        for level in self.arch["levels"]:
            if any(sign in level["name"] for sign in "[].:, "):
                self.refusals.add(f"{level['name']} cannot be a name in Timeloop", "rename it")
            if level["kind"] == "memory":
                self.check_memory(level)
            elif level["kind"] == "fanout":
                self.check_fanout(level)
                self.check_systolic(level)
            elif level["macs"] != 1 or level["cycles"] != 1:
                self.refusals.add(
                    f"{level['name']} does other than one multiply-accumulate a cycle",
                    "Timeloop's multipliers all do that",
                )
        if len(self.tensors) != len(set(self.tensors)):
            self.refusals.add("two tensors have one name", "rename one")

    def check_memory(self, level: dict[str, Any]) -> None:
        name = level["name"]
        if level["partitions"]:
            self.refusals.add(f"{name} has partitions", "Timeloop's tensors share a storage")
        if level["accumulates_in_place"]:
            self.refusals.add(f"{name} accumulates in place", "Timeloop reads partial sums back")
        if level["leakage_pj_per_cycle"] and self.arch["leakage_of"] == "all":
            self.refusals.add(f"idle instances of {name} leak", "in Timeloop they do not")
        if level["energy_of_bits"] and set(self.bits.values()) != {level["word_bits"]}:
            self.refusals.add(
                f"energies of {name} follow the width of elements",
                "Timeloop has one energy of an access; give such energies",
            )
        kept = level["capacity"] is not None and "words" not in level["capacity"]
        if kept and len(set(self.bits.values())) > 1:
            self.refusals.add(
                f"the capacity of {name} is in bytes and tensors have several widths",
                "Timeloop counts words of one width; give the capacity in words",
            )

    def check_fanout(self, level: dict[str, Any]) -> None:
        if level["x"]["size"] * level["y"]["size"] == 1:
            return
        if not level["multicast"] or not level["reduction"]:
            self.refusals.add(
                f"{level['name']} has no multicast or no reduction",
                "Timeloop's fan-outs have both",
            )
        if "halo" in level:
            self.refusals.add(
                f"{level['name']} shares halos", "Timeloop's fan-outs share equal tiles alone"
            )
        if level["word_pj"]:
            self.refusals.add(
                f"words cost energy in {level['name']}", "Timeloop's networks count hops instead"
            )

    def check_systolic(self, level: dict[str, Any]) -> None:
        if level.get("fill", "none") != "none" or level.get("preload", "none") != "none":
            self.refusals.add(
                f"{level['name']} is a systolic array that fills or preloads",
                "Timeloop counts no such cycles; leave out fill and preload",
            )

    def check_nest(self, nest: list[dict[str, Any]]) -> None:
        axes: dict[str, set[str]] = {}
        names = {level["name"] for level in self.arch["levels"]}
        uneven = [part["level"] for part in nest if part["level"] not in names]
        if uneven:
            self.refusals.add(
                f"the mapping is uneven: it has the storage point {uneven[0]}",
                "Timeloop cuts the tiles of a storage at one place; map without --uneven",
            )
            return
        for part in nest:
            for loop in part["loops"]:
                if loop["last"] != loop["bound"]:
                    self.refusals.add(
                        f"the loop over {loop['dim']} of {part['level']} leaves a remainder",
                        "Timeloop only approximates remainders; map with --mapspace pfm",
                    )
                if part["kind"] != "temporal":
                    used = axes.setdefault(part["level"], set())
                    if loop["dim"] in used:
                        self.refusals.add(
                            f"{loop['dim']} lies on both axes of {part['level']}",
                            "Timeloop has one loop of a dimension in a fan-out",
                        )
                    used.add(loop["dim"])

    # --- the parts ----------------------------------------------------------------------

    def storages_of(self) -> list[_Storage]:
        """Storages from the outside in; a fan-out inside another one gets a storage of its own."""
        storages: list[_Storage] = []
        mesh = (1, 1)
        for level in self.arch["levels"]:
            if level["kind"] == "memory":
                storages.append(_Storage(level["name"], level, mesh))
            elif level["kind"] == "fanout" and level["x"]["size"] * level["y"]["size"] > 1:
                if storages[-1].fanout is not None:
                    name = f"inter_{level['name']}_spatial"
                    storages.append(_Storage(name, None, mesh))
                storages[-1].fanout = level
                mesh = (mesh[0] * level["x"]["size"], mesh[1] * level["y"]["size"])
        self.mesh = mesh
        return storages

    def words(self, memory: dict[str, Any]) -> int | None:
        capacity = memory["capacity"]
        if capacity is None:
            return None
        if "words" in capacity:
            return int(capacity["words"])
        bits = int(capacity["bits"]) if "bits" in capacity else 8 * int(capacity["bytes"])
        word = int(memory["word_bits"])
        width = -(-int(max(self.bits.values())) // word) * word
        return bits // width

    def architecture_text(self) -> str:
        lines = [
            "architecture:",
            "  version: '0.4'",
            "  subtree:",
            "  - name: system",
            "    local:",
        ]
        for storage in self.storages:
            lines += self.storage_lines(storage)
        compute = self.arch["levels"][-1]
        attributes = {"datawidth": max(self.bits.values()), **_mesh_attributes(self.mesh)}
        lines += _component(compute["name"], "intmac", attributes)
        lines += self.constraint_lines()
        return "\n".join(lines) + "\n"

    def storage_lines(self, storage: _Storage) -> list[str]:
        memory = storage.memory
        if memory is None:
            attributes: dict[str, Any] = {"depth": 1, "width": 1, "datawidth": 1}
            return _component(
                storage.name, "dummy_storage", {**attributes, **_mesh_attributes(storage.mesh)}
            )
        attributes = {"datawidth": max(self.bits.values()), "block_size": memory["block_words"]}
        words = self.words(memory)
        if words is not None:
            attributes["entries"] = words
        if memory["double_buffered"]:
            attributes["multiple_buffering"] = 2
        for ours, theirs in (("read", "read"), ("write", "write"), ("shared", "shared")):
            bandwidth = memory[f"{ours}_words_per_cycle"]
            if bandwidth is not None:
                attributes[f"{theirs}_bandwidth"] = bandwidth
        kind = "DRAM" if words is None else "SRAM"
        return _component(storage.name, kind, {**attributes, **_mesh_attributes(storage.mesh)})

    def constraint_lines(self) -> list[str]:
        """What the hardware keeps, for timeloop-mapper."""
        lines: list[str] = []
        for storage in self.storages[1:]:
            keep, bypass = self.residence(storage)
            if keep or bypass:
                lines.append(
                    f"  - {{target: {storage.name}, type: bypass, keep: {list_text(keep)}, "
                    f"bypass: {list_text(bypass)}}}"
                )
        return ["architecture_constraints:", "  targets:", *lines] if lines else []

    def residence(self, storage: _Storage) -> tuple[list[str], list[str]]:
        """Tensors that the hardware always keeps and those that it never keeps."""
        memory = storage.memory
        if memory is None:
            return [], list(self.tensors)
        named = [self.named(memory[key] or []) for key in ("keep", "bypass", "free")]
        listed = named[0] | named[1] | named[2]
        rest = set(self.tensors) - listed
        if memory["keep"] is None:
            return _in_order(named[0] | rest, self.tensors), _in_order(named[1], self.tensors)
        return _in_order(named[0], self.tensors), _in_order(named[1] | rest, self.tensors)

    def named(self, names: Iterable[str]) -> set[str]:
        """Tensors by their names or roles."""
        wanted = set(names)
        return {t for t in self.tensors if t in wanted or self.roles[t] in wanted & set(_ROLES)}

    def problem_text(self) -> str:
        factors = sorted(
            {
                t["coefficient"]
                for tensor in self.work["tensors"]
                for r in tensor["ranks"]
                for t in r
            }
            - {1}
        )
        lines = ["problem:", "  version: '0.4'", "  shape:", "    name: exported"]
        lines.append(f"    dimensions: {list_text(self.letters.values())}")
        if factors:
            listed = ", ".join(f"{{name: times{factor}, default: {factor}}}" for factor in factors)
            lines.append(f"    coefficients: [{listed}]")
        lines.append("    data_spaces:")
        for tensor in self.work["tensors"]:
            ranks = ", ".join(f"[{self.rank_text(rank)}]" for rank in tensor["ranks"])
            lines.append(f"    - name: {tensor['name']}")
            lines.append(f"      projection: [{ranks}]")
            if tensor["role"] == "output":
                lines.append("      read_write: true")
        lines.append("  instance:")
        for dim, size in self.work["dims"].items():
            comment = "" if self.letters[dim] == dim else f"  # {dim}"
            lines.append(f"    {self.letters[dim]}: {size}{comment}")
        return "\n".join(lines) + "\n"

    def rank_text(self, rank: list[dict[str, Any]]) -> str:
        terms: list[str] = []
        for term in rank:
            factor = "" if term["coefficient"] == 1 else f", times{term['coefficient']}"
            terms.append(f"[{self.letters[term['dim']]}{factor}]")
        return ", ".join(terms)

    def table_text(self, kind: str) -> str:
        lines = [f"{kind}:", "  version: '0.4'", "  tables:"]
        for level in self.arch["levels"]:
            if level["kind"] == "fanout":
                continue
            lines.append(f"  - name: system.{level['name']}[1..{level['instances']}]")
            if kind == "ART":
                lines.append(f"    area: {level['area_um2']!r}")
                continue
            lines.append("    actions:")
            energies = {"compute": level.get("mac_pj")}
            if level["kind"] == "memory":
                energies = {key: level[f"{key}_pj"] for key in ("read", "write", "update")}
                energies["leak"] = level["leakage_pj_per_cycle"]
            lines += [f"    - {{name: {name}, energy: {pj!r}}}" for name, pj in energies.items()]
        return "\n".join(lines) + "\n"

    def mapping_text(self, nest: list[dict[str, Any]]) -> str:
        by_level: dict[tuple[str, str], dict[str, Any]] = {
            (part["level"], part["kind"]): part for part in nest
        }
        lines = ["mapping:"]
        for storage in self.storages:
            own = by_level.get((storage.name, "temporal"), {"loops": [], "keeps": []})
            keep: list[str] = own["keeps"] if storage.memory is not None else []
            bypass = [tensor for tensor in self.tensors if tensor not in keep]
            lines.append(
                f"- {{target: {storage.name}, type: bypass, keep: {list_text(keep)}, "
                f"bypass: {list_text(bypass)}}}"
            )
            lines.append(self.directive(storage.name, "temporal", own["loops"], None))
            if storage.fanout is not None:
                name = storage.fanout["name"]
                x = by_level.get((name, "spatial_x"), {"loops": []})["loops"]
                y = by_level.get((name, "spatial_y"), {"loops": []})["loops"]
                lines.append(self.directive(storage.name, "spatial", [*y, *x], len(x)))
        return "\n".join(lines) + "\n"

    def directive(
        self, target: str, kind: str, loops: list[dict[str, Any]], split: int | None
    ) -> str:
        """Loops come from the outside in; Timeloop has them from the inside out."""
        inner = [self.letters[loop["dim"]] for loop in reversed(loops)]
        order = inner + [letter for letter in self.letters.values() if letter not in inner]
        bounds = {self.letters[loop["dim"]]: loop["bound"] for loop in loops}
        factors = " ".join(f"{letter}={bounds.get(letter, 1)}" for letter in order)
        text = f'- {{target: {target}, type: {kind}, factors: "{factors}", permutation: "{"".join(order)}"'
        return text + (f", split: {split}}}" if split is not None else "}")

    def report_text(self, files: dict[str, str]) -> str:
        names = " ".join(name for name in files if name != "report.md")
        lines = [
            f"# Export of {self.work['name']} on {self.arch['name']}",
            "",
            f"To check the numbers there: `timeloop-model {names}`.",
            "",
            "Here, `tilewright eval --accounting timeloop` gives what timeloop-model computes, but for "
            "link transfers between neighbours and windows that two loops move in step.",
        ]
        renamed = {dim: letter for dim, letter in self.letters.items() if dim != letter}
        if renamed:
            pairs = ", ".join(f"{dim} is {letter}" for dim, letter in renamed.items())
            lines += ["", f"Timeloop's dimensions are single letters: {pairs}."]
        if self.arch["constraints"] or any(level.get("dims") for level in self.arch["levels"]):
            lines += ["", "Left out: constraints on loops, which timeloop-model does not need."]
        return "\n".join(lines) + "\n"


def _nest_of(
    arch: Architecture, workload: Workload, mapping: Mapping | None
) -> list[dict[str, Any]] | None:
    """The loops of a mapping, as the engine tells them."""
    if mapping is None:
        return None
    from tilewright._ask import evaluate

    document = mapping.to_dict()
    if document.get("padded"):
        hint = "export the padded workload with its mapping"
        raise InputError([Problem("the mapping pads dimensions", hint, "mapping")])
    nest: list[dict[str, Any]] = evaluate(arch, workload, mapping).to_dict()["nest"]
    return nest


def _letters(dims: Iterable[str], refusals: _Refusals) -> dict[str, str]:
    """A letter for each dimension: its own if it is one, else one of its name or a free one."""
    dims = list(dims)
    letters = {dim: dim for dim in dims if len(dim) == 1 and dim.isalpha()}
    for dim in [dim for dim in dims if dim not in letters]:
        wanted = [c for c in dim.upper() + dim.lower() if c in string.ascii_letters]
        free = [c for c in [*wanted, *string.ascii_letters] if c not in letters.values()]
        if not free:
            refusals.add("the workload has more dimensions than there are letters")
            break
        letters[dim] = free[0]
    return {dim: letters[dim] for dim in dims if dim in letters}


def _mesh_attributes(mesh: tuple[int, int]) -> dict[str, Any]:
    return {"instances": mesh[0] * mesh[1], "meshX": mesh[0], "meshY": mesh[1]}


def _component(name: str, kind: str, attributes: dict[str, Any]) -> list[str]:
    count = attributes.pop("instances")
    text = ", ".join(f"{key}: {value!r}" for key, value in attributes.items())
    return [
        f"    - name: {name}[1..{count}]",
        f"      class: {kind}",
        f"      attributes: {{{text}}}",
    ]


def _in_order(names: set[str], order: list[str]) -> list[str]:
    return [name for name in order if name in names]
