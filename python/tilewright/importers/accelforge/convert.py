"""From files of AccelForge to files of this tool."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright import _native
from tilewright._errors import InputError
from tilewright.importers.accelforge.einsums import Einsum, cascade_text, hand_on, read_einsums
from tilewright.importers.accelforge.hardware import architecture_lines
from tilewright.importers.report import Report, report_text
from tilewright.importers.timeloop.specification import read_file
from tilewright.importers.timeloop.templates import Library
from tilewright.importers.values import Place, Table, refuse
from tilewright.importers.writing import heading

_COMMAND = "import accelforge"


@dataclass(frozen=True, slots=True)
class Imported:
    """The texts of files by their names, and what became of the input."""

    files: dict[str, str]
    report: Report


def import_accelforge(
    paths: Sequence[pathlib.Path], defines: Mapping[str, Any] | None = None, bits: int = 8
) -> Imported:
    """Reads architectures and workloads; ``bits`` is the width of a word."""
    report = Report()
    files: dict[str, str] = {}
    library = Library(paths)
    for path in paths:
        root = read_file(path, library, defines or {})
        start = "\n".join(heading(_COMMAND, [path.name])) + "\n"
        arch = root.get("arch") if isinstance(root, Table) else None
        workload = root.get("workload") if isinstance(root, Table) else None
        if not isinstance(root, Table) or not (
            isinstance(arch, Table) or isinstance(workload, Table)
        ):
            hint = "it should have arch with nodes, or workload with einsums"
            raise refuse("this is no file of AccelForge", hint, Place(str(path)))
        if isinstance(arch, Table):
            lines = architecture_lines(arch, path.stem, bits, report)
            _put(files, "architecture.yaml", start + "\n".join(lines) + "\n", path)
        if isinstance(workload, Table):
            einsums = read_einsums(workload, report)
            for einsum in einsums:
                _put(files, f"{einsum.name}.yaml", start + einsum.text, path)
            if hand_on(einsums):
                _put_cascade(files, start, path, einsums, report)
        report.rest(root, path.stem, "it has no counterpart here")
    report.raise_problems()
    names = ", ".join(path.name for path in paths)
    remarks = [
        f"Written: {', '.join(files) or 'nothing'}. Costs are counted by this tool's rules "
        "(docs/semantics.md), which are not AccelForge's."
    ]
    files["report.md"] = report_text(report, f"Import of {names}", remarks)
    return Imported(files, report)


def _put_cascade(
    files: dict[str, str], start: str, path: pathlib.Path, einsums: list[Einsum], report: Report
) -> None:
    """Takes all einsums together, where that is a cascade that this tool reads."""
    text = cascade_text(path.stem, einsums)
    reason = "sizes of a dimension, or widths, differ from one einsum to another"
    if text is not None:
        try:
            _native.Cascade.read(text, "cascade.yaml", [])
        except InputError as error:
            reason, text = str(error.problems[0]), None
    if text is None:
        report.left_out("the cascade of all einsums", Place(str(path)), reason)
        return
    _put(files, "cascade.yaml", start + text, path)


def _put(files: dict[str, str], name: str, text: str, path: pathlib.Path) -> None:
    """Takes a file that this tool reads."""
    if name in files:
        raise refuse(f"{name} would be written twice", "import the files apart", Place(str(path)))
    if name == "architecture.yaml":
        _native.Architecture.read(text, name)
    elif name != "cascade.yaml":
        _native.Workload.read(text, name)
    files[name] = text
