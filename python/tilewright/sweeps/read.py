"""The file that says what a sweep asks for."""

from __future__ import annotations

import itertools
import os
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tilewright import _native
from tilewright._documents import read_document
from tilewright._errors import InputError
from tilewright._values import Architecture, PathLike, read_text
from tilewright.sweeps.quantities import Filter, read_filter
from tilewright.sweeps.sample import MOST_SOBOL_PARAMETERS, read_values
from tilewright.sweeps.spec import Sweep, Work
from tilewright.sweeps.tree import (
    Complaints,
    Node,
    entries_of,
    read_tree,
    scalars_of,
    suggestion,
)

KEYS: Mapping[str, str] = {
    "sweep": "a name",
    "architecture": "one that ships or a file, or a list of them",
    "parameters": "paths as behind --set, each with a value, a list or a range",
    "designs": "instead: a list of designs, each a map of paths and values",
    "networks": "networks that ship or files, each with sizes of its own if it has some",
    "sizes": "sizes of all networks, each with a value, a list or a range",
    "mapspaces": "pfm, pfm-pad, ruby-s, ruby-t, ruby",
    "mappers": "as behind --mapper",
    "objectives": "as behind --objective",
    "each_layer": "true: every layer at its own lowest EDP, as --each-layer",
    "sample": "grid, or {random: 100, seed: 1}, or {sobol: 100}",
    "filters": 'conditions on designs such as "area <= 2 mm2"',
    "constrain": "lines as behind --constrain",
    "options": "further options of map by name, such as time and gap",
}
_MAPSPACES = ("pfm", "pfm-pad", "ruby-s", "ruby-t", "ruby")
_OBJECTIVE = re.compile(r"edp|energy|latency|ed2p|(energy|cycles)(\^[0-4])?(\*(energy|cycles)(\^[0-4])?)?")
_OPTIONS = ("accounting", "bits", "rename", "full", "roles", "uneven", "time", "evaluations",
            "target", "gap", "memory", "seed", "patience", "population", "generations",
            "brood")  # fmt: skip
_FLAGS = ("full", "uneven")
_MOST_DESIGNS = 1_000_000
_MOST_CHECKED = 64  # of longer lists the first and the last value


class _Reader:
    """Reads one document."""

    def __init__(self, root: Node, complaints: Complaints, folder: pathlib.Path) -> None:
        self.complaints = complaints
        self.folder = folder
        self.entries = entries_of(root, KEYS, complaints)
        self.root = root

    def text(self, key: str, otherwise: str) -> str:
        node = self.entries.get(key)
        if node is None:
            return otherwise
        if node.kind != "scalar":
            self.complaints.add(node, "a single value is needed here", f"write {key}: {otherwise}")
            return otherwise
        return node.text

    def words(self, key: str, known: Sequence[str], otherwise: Sequence[str]) -> tuple[str, ...]:
        node = self.entries.get(key)
        if node is None:
            return tuple(otherwise)
        form = ", ".join(otherwise or known[:1]) or '"Array.x: M <= 4"'
        found = scalars_of(node, self.complaints, f"[{form}]")
        for one in found:
            if known and one.text not in known:
                hint = suggestion(one.text, known, "there")
                self.complaints.add(one, f'"{one.text}" is none of {key}', hint)
        return tuple(one.text for one in found)

    def placed(self, name: str) -> str:
        """A file beside that of the sweep, or a name."""
        beside = self.folder / name
        return str(beside) if beside.is_file() else name

    def values(self, node: Node) -> tuple[str, ...]:
        """A value, a list or a range."""
        if node.kind == "map":
            return (_flow(node),)
        several = node.children if node.kind == "list" else (node,)
        found: list[str] = []
        for one in several:
            try:
                found += read_values(one.text) if one.kind == "scalar" else [_flow(one)]
            except InputError as error:
                self.complaints.move(one, InputError(p._replace(file="") for p in error.problems))
        if not several:
            self.complaints.add(node, "the list is empty", "write at least one value")
        return tuple(dict.fromkeys(found))

    def sizes(self, node: Node | None) -> list[tuple[str, tuple[str, ...]]]:
        if node is None:
            return []
        if node.kind != "map":
            self.complaints.add(node, "sizes have names", "write {tokens: [1, 1024]}")
            return []
        return [(key.text, self.values(value)) for key, value in node.entries()]

    # --- designs ---------------------------------------------------------------

    def architectures(self) -> tuple[str, ...]:
        node = self.entries.get("architecture")
        if node is None:
            self.complaints.add(None, "there is no architecture", 'add "architecture: eyeriss"')
            return ()
        names: list[str] = []
        for one in scalars_of(node, self.complaints, "eyeriss"):
            try:
                Architecture.load(self.placed(one.text))
                names.append(self.placed(one.text))
            except InputError as error:
                self.complaints.move(one, error)
        return tuple(names)

    def check(
        self, bases: Sequence[str], setting: tuple[str, str], at: Node,
        companions: Sequence[tuple[tuple[str, str], ...]],
    ) -> None:  # fmt: skip
        """Whether a value can be set on every architecture, alone or beside other values. What is
        wrong only with some of them is found later, and makes a result of its own."""
        for base in bases:
            problem = _refusal(base, [setting])
            if problem is not None and all(
                _refusal(base, [setting, *others]) is not None for others in companions
            ):
                self.complaints.move(at, problem)

    def parameters(self, bases: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        node = self.entries.get("parameters")
        if node is None:
            return ()
        if node.kind != "map":
            self.complaints.add(node, "parameters have paths", "write {SACols.x: 8..32}")
            return ()
        found: dict[str, tuple[str, ...]] = {}
        for key, value in node.entries():
            if key.text in found:
                self.complaints.add(key, f'the key "{key.text}" stands twice', "keep one")
            found[key.text] = self.values(value)
        tried = {path: values if len(values) <= _MOST_CHECKED else values[:1] + values[-1:]
                 for path, values in found.items()}  # fmt: skip
        for key, value in node.entries():
            others = [((path, one),) for path, values in tried.items() if path != key.text
                      for one in values]  # fmt: skip
            for one in tried[key.text]:
                self.check(bases, (key.text, one), value, others)
        return tuple(found.items())

    def listed(self, bases: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], ...]:
        node = self.entries.get("designs")
        if node is None:
            return ()
        if "parameters" in self.entries:
            self.complaints.add(node, "designs and parameters exclude each other", "keep one")
        if node.kind != "list" or any(one.kind != "map" for one in node.children):
            self.complaints.add(node, "designs are a list", "write [{SACols.x: 8}, {SACols.x: 16}]")
            return ()
        designs: list[tuple[tuple[str, str], ...]] = []
        for one in node.children:
            settings = tuple((key.text, _flow(value)) for key, value in one.entries())
            for (_, value), setting in zip(one.entries(), settings, strict=True):
                others = tuple(other for other in settings if other != setting)
                self.check(bases, setting, value, [others])
            designs.append(settings)
        return tuple(designs)

    def sample(self, parameters: int) -> tuple[str, int, int]:
        node = self.entries.get("sample")
        if node is None or (node.kind == "scalar" and node.text == "grid"):
            return "grid", 0, 0
        hint = "write grid, {random: 100, seed: 1} or {sobol: 100}"
        if node.kind != "map":
            self.complaints.add(node, "this is no sample", hint)
            return "grid", 0, 0
        given = entries_of(node, ("random", "sobol", "seed"), self.complaints)
        kinds = [kind for kind in ("random", "sobol") if kind in given]
        numbers = {name: value.text for name, value in given.items()}
        if len(kinds) != 1 or not all(text.isdigit() for text in numbers.values()):
            self.complaints.add(node, "this is no sample", hint)
            return "grid", 0, 0
        if kinds[0] == "sobol" and parameters > MOST_SOBOL_PARAMETERS:
            self.complaints.add(node, f"a sequence of Sobol has at most {MOST_SOBOL_PARAMETERS} "
                                "parameters here", "write {random: ...}")  # fmt: skip
        return kinds[0], int(numbers[kinds[0]]), int(numbers.get("seed", "1"))

    # --- work --------------------------------------------------------------------

    def works(self) -> tuple[Work, ...]:
        node = self.entries.get("networks")
        if node is None:
            self.complaints.add(None, "there are no networks", 'add "networks: [resnet50]"')
            return ()
        shared = self.sizes(self.entries.get("sizes"))
        found: list[Work] = []
        for one in node.children if node.kind == "list" else (node,):
            model, own = one, list[tuple[str, tuple[str, ...]]]()
            if one.kind == "map":
                given = entries_of(one, ("model", "sizes"), self.complaints)
                if "model" not in given:
                    self.complaints.add(one, "this network has no model", "add model: NAME")
                    continue
                model, own = given["model"], self.sizes(given.get("sizes"))
            found += self.sized(model, [*shared, *own])
        return tuple(dict.fromkeys(found))

    def sized(self, model: Node, sizes: list[tuple[str, tuple[str, ...]]]) -> Iterator[Work]:
        names = [name for name, _ in sizes]
        for values in itertools.product(*(values for _, values in sizes)):
            work = Work(self.placed(model.text), tuple(zip(names, values, strict=True)))
            try:
                work.load()
            except InputError as error:
                self.complaints.move(model, error)
                return
            yield work

    # --- questions ---------------------------------------------------------------

    def filters(self) -> tuple[Filter, ...]:
        node = self.entries.get("filters")
        found: list[Filter] = []
        for one in scalars_of(node, self.complaints, '"area <= 2 mm2"') if node else []:
            try:
                found.append(read_filter(one.text, ""))
            except InputError as error:
                self.complaints.move(one, error)
                continue
            if not found[-1].of_design:
                self.complaints.add(one, f"{found[-1].name} is not known before mapping",
                                    "filter by area or MACs, or filter the results")  # fmt: skip
        return tuple(found)

    def objectives(self) -> tuple[str, ...]:
        found = self.words("objectives", (), ("edp",))
        for one in found:
            if not _OBJECTIVE.fullmatch(one):
                hint = "write edp, energy, latency, ed2p or a product such as energy^2*cycles"
                self.complaints.add(self.entries["objectives"], f'"{one}" is no objective', hint)
        return found

    def options(self) -> tuple[tuple[str, str], ...]:
        node = self.entries.get("options")
        if node is None:
            return ()
        given = entries_of(node, _OPTIONS, self.complaints)
        for name in _FLAGS:
            if name in given and given[name].text not in ("true", "false"):
                self.complaints.add(given[name], f'"{given[name].text}" is neither true nor false')
        return tuple(sorted((name, value.text) for name, value in given.items()
                            if name not in _FLAGS or value.text == "true"))  # fmt: skip

    def flag(self, key: str) -> bool:
        text = self.text(key, "false")
        if text not in ("true", "false"):
            self.complaints.add(self.entries[key], f'"{text}" is neither true nor false')
        return text == "true"

    def read(self) -> Sweep:
        bases = self.architectures()
        parameters = self.parameters(bases)
        mappers = [str(row[0]) for row in _native.mapper_table()]
        sweep = Sweep(
            self.text("sweep", "sweep"), bases, parameters, self.listed(bases), self.works(),
            self.words("mapspaces", _MAPSPACES, ("pfm",)),
            self.words("mappers", mappers, ("optimal",)), self.objectives(),
            self.flag("each_layer"), self.sample(len(parameters)), self.filters(),
            self.words("constrain", (), ()), self.options(),
        )  # fmt: skip
        self.check_number(sweep)
        return sweep

    def check_number(self, sweep: Sweep) -> None:
        number = 1
        for _, values in sweep.parameters:
            number *= len(values)
        if sweep.sample[0] != "grid":
            number = min(number, sweep.sample[1])
        if number > _MOST_DESIGNS:
            self.complaints.add(self.entries.get("parameters"), f"there are {number} designs, more "
                                f"than {_MOST_DESIGNS}", "take a sample: {random: 1000}")  # fmt: skip


def _refusal(base: str, settings: Sequence[tuple[str, str]]) -> InputError | None:
    """What is wrong with an architecture that has these values; None if nothing is."""
    try:
        _native.Architecture.load(base, [f"{path}={value}" for path, value in settings])
    except InputError as error:
        return error
    return None


def _flow(node: Node) -> str:
    """A value as it stands behind ``--set``."""
    if node.kind == "list":
        return "[" + ", ".join(_flow(one) for one in node.children) + "]"
    if node.kind == "map":
        return "{" + ", ".join(f"{key.text}: {_flow(v)}" for key, v in node.entries()) + "}"
    return node.text


def read_sweep(text: str, file: str = "sweep", folder: pathlib.Path | None = None) -> Sweep:
    """Reads the text of a file; raises :class:`InputError` with all that is wrong."""
    complaints = Complaints(file)
    root = read_tree(text, file, '"sweep: my_sweep"')
    if root.kind != "map":
        complaints.add(root, "a sweep has keys", 'start with "sweep: my_sweep"')
        complaints.raise_if_any()
    sweep = _Reader(root, complaints, folder or pathlib.Path()).read()
    complaints.raise_if_any()
    return sweep


def load_sweep(path: PathLike) -> Sweep:
    """Reads a file. Architectures and networks may be files beside it."""
    name = os.fspath(path)
    return read_sweep(read_text(name), name, pathlib.Path(name).parent)


def sweep_of(document: Mapping[str, Any]) -> Sweep:
    """Of a dictionary with the keys of a file."""
    return read_document(document, lambda text: read_sweep(text, "sweep"))
