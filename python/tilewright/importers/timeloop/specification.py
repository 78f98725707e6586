"""The sections of all given files together, as Timeloop sees them."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tilewright.importers.timeloop.libconfig import read_libconfig
from tilewright.importers.timeloop.templates import Library, Renderer, is_template, read_text
from tilewright.importers.timeloop.yaml_tree import deep_merge, read_yaml
from tilewright.importers.values import Items, Place, Scalar, Table, Value, refuse, tables_within

_ARCHITECTURE = ("architecture", "arch")
_KNOWN = (
    "architecture",
    "arch",
    "problem",
    "shape",
    "mapping",
    "mapper",
    "mapspace",
    "mapspace_constraints",
    "architecture_constraints",
    "arch_constraints",
    "constraints",
    "sparse_optimizations",
    "compound_components",
    "components",
    "ERT",
    "ART",
    "variables",
    "globals",
    "model",
    "layout",
    "ERT_summary",
    "ART_summary",
    "action_counts",
    "energy_estimation",
    "flattened_architecture",
    "primitive_components",
)
# What a section is called when two files have it.
_JOINED = ("ERT", "ART", "variables", "compound_components", "components")


@dataclass(slots=True)
class Specification:
    """Sections by name; constraints of every spelling come in a list of their own."""

    sections: dict[str, Value] = field(default_factory=dict[str, Value])
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    constraints: list[tuple[str, Value]] = field(default_factory=list[tuple[str, Value]])
    others: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])
    ignored: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])
    twice: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])
    repeated: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])

    def table(self, name: str) -> Table | None:
        value = self.sections.get(name)
        return value if isinstance(value, Table) else None


def read_value(text: str, renderer: Renderer) -> Value | None:
    """The value of one file in YAML."""
    filled, lines = renderer.render(text)
    return read_yaml(filled, str(renderer.path), lines, renderer.included)


def read_file(path: pathlib.Path, library: Library, defines: Mapping[str, Any]) -> Value | None:
    """The value of a file in YAML or libconfig."""
    text = read_text(path)
    if path.suffix == ".cfg":
        return read_libconfig(text, str(path))
    return read_value(text, Renderer(library, path, defines))


def looks_like_timeloop(value: Value | None) -> bool:
    """Whether a file has a section of Timeloop."""
    if not isinstance(value, Table):
        return False
    names = {key.replace("-", "_") for key in value.entries}
    if "levels" in names or "workload" in names:
        return False
    return any(name in _KNOWN or "constraints" in name for name in names)


def gather(
    paths: Iterable[pathlib.Path],
    defines: Mapping[str, Any],
    folders: Iterable[pathlib.Path] = (),
) -> Specification:
    """Reads the files. Anchors cross files, as in Timeloop, if they are read in that order."""
    paths = list(paths)
    library = Library(paths, folders)
    specification = Specification()
    plain = [p for p in paths if p.suffix != ".cfg" and not is_template(read_text(p))]
    if _needs_joining(plain):
        values: list[Value | None] = [_read_together(plain)]
        values += [read_file(p, library, defines) for p in paths if p not in plain]
    else:
        values = [read_file(path, library, defines) for path in paths]
    for value in values:
        _add(specification, value)
    _use_flattened(specification)
    if not any((specification.sections, specification.constraints, specification.ignored)):
        raise refuse(
            "there is no section of Timeloop in these files",
            "they should have architecture, problem, mapping or the like",
            Place(str(paths[0])),
        )
    return specification


def is_flattened(section: Value | None) -> bool:
    """Whether an architecture is a list by Accelergy: components by their paths, and no tree."""
    if not isinstance(section, Table) or section.peek("subtree") is not None:
        return False
    local = section.peek("local")
    names = [
        entry.peek("name")
        for entry in (local.entries if isinstance(local, Items) else [])
        if isinstance(entry, Table)
    ]
    return bool(names) and all(isinstance(n, Scalar) and "." in n.text for n in names)


def _use_flattened(specification: Specification) -> None:
    """Such a list stands in for the architecture if there is no other."""
    sections, places = specification.sections, specification.places
    if "architecture" not in sections and is_flattened(sections.get("flattened_architecture")):
        sections["architecture"] = sections.pop("flattened_architecture")
        places["architecture"] = places.pop("flattened_architecture")


def _needs_joining(paths: list[pathlib.Path]) -> bool:
    """Whether a file uses an anchor that another one defines."""
    if len(paths) < 2:
        return False
    from tilewright._errors import InputError

    for path in paths:
        try:
            read_yaml(read_text(path), str(path))
        except InputError as error:
            if "undefined alias" in str(error):
                return True
            raise
    return False


def _read_together(paths: list[pathlib.Path]) -> Value | None:
    text, lines = "", list[Place]()
    for path in paths:
        part = read_text(path)
        part += "" if part.endswith("\n") else "\n"
        text += part
        lines += [Place(str(path), at + 1, 1) for at in range(part.count("\n"))]
    return read_yaml(text, str(paths[0]), lines)


def _add(specification: Specification, value: Value | None) -> None:
    if value is None:
        return
    if isinstance(value, Scalar) and value.text.endswith((".yaml", ".yml")):
        raise refuse(
            "the file holds the path of another one, as links of git do on some systems",
            f"give {value.text} itself",
            value.place,
        )
    if not isinstance(value, Table):
        kind = "a list" if isinstance(value, Items) else "a text"
        raise refuse(
            f"the file is {kind}, and no file of Timeloop",
            "it should have sections such as architecture:",
            value.place,
        )
    for spelling in value.entries:
        _add_section(specification, spelling, value)
    specification.twice += value.repeated
    for entry in value.entries.values():
        specification.repeated += [
            pair for table in tables_within(entry) for pair in table.repeated
        ]


def _add_section(specification: Specification, spelling: str, value: Table) -> None:
    section = value.get(spelling)
    place = value.place_of(spelling)
    name = spelling.replace("-", "_").replace(
        "architecture.constraints", "architecture_constraints"
    )
    if name in _ARCHITECTURE:
        name = "flattened_architecture" if is_flattened(section) else "architecture"
    if name.endswith("_ignore") or name == "dumped_by_timeloop_front_end":
        specification.ignored.append((name, place))
    elif section is None:
        specification.ignored.append((name, place))
    elif "constraints" in name:
        specification.constraints.append((name, section))
    elif name not in _KNOWN and not name.endswith("components"):
        specification.others.append((spelling, place))
    elif name not in specification.sections:
        specification.sections[name] = section
        specification.places[name] = place
    else:
        _join(specification, name, section, place)


def _join(specification: Specification, name: str, section: Value, place: Place) -> None:
    """A section that an earlier file has as well."""
    old = specification.sections[name]
    empty = isinstance(old, Items | Table) and not old.entries
    if empty:  # a bundle of the mapper says "mapping: []"; the mapping is in a file beside it
        specification.sections[name] = section
        specification.places[name] = place
    elif isinstance(section, Items | Table) and not section.entries:
        specification.ignored.append((name, place))
    elif name in _JOINED and isinstance(old, Table) and isinstance(section, Table):
        specification.sections[name] = deep_merge(old, section)
    else:
        specification.twice.append((name, place))
