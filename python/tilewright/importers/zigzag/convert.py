"""From files of ZigZag to files of this tool."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from dataclasses import dataclass

from tilewright import _native
from tilewright.importers.report import Report, report_text
from tilewright.importers.timeloop.templates import read_text
from tilewright.importers.timeloop.yaml_tree import read_yaml
from tilewright.importers.values import Items, Place, Table, refuse
from tilewright.importers.writing import heading
from tilewright.importers.zigzag.hardware import accelerator_lines
from tilewright.importers.zigzag.layers import read_layer

_COMMAND = "import zigzag"


@dataclass(frozen=True, slots=True)
class Imported:
    """The texts of files by their names, and what became of the input."""

    files: dict[str, str]
    report: Report


def import_zigzag(paths: Sequence[pathlib.Path], bits: int = 8) -> Imported:
    """Reads accelerators and workloads; ``bits`` is the width of a word."""
    report = Report()
    files: dict[str, str] = {}
    for path in paths:
        root = read_yaml(read_text(path), str(path))
        start = "\n".join(heading(_COMMAND, [path.name])) + "\n"
        if isinstance(root, Table) and root.peek("memories") is not None:
            text = start + "\n".join(accelerator_lines(root, bits, report)) + "\n"
            _native.Architecture.read(text, "architecture.yaml")
            _put(files, "architecture.yaml", text, path)
        elif isinstance(root, Items):
            _add_list(root, path, start, files, report)
        else:
            raise refuse(
                "this is neither an accelerator nor a workload of ZigZag",
                "an accelerator has memories, a workload is a list of layers",
                Place(str(path)),
            )
    report.raise_problems()
    names = [path.name for path in paths]
    remarks = [
        f"Written: {', '.join(files) or 'nothing'}. Sizes are exact; costs are counted by this tool's "
        "rules (docs/semantics.md), which are not ZigZag's."
    ]
    files["report.md"] = report_text(report, f"Import of {', '.join(names)}", remarks)
    return Imported(files, report)


def _add_list(
    root: Items, path: pathlib.Path, start: str, files: dict[str, str], report: Report
) -> None:
    for number, entry in enumerate(root.entries):
        if not isinstance(entry, Table):
            raise refuse("a layer should be a table", place=entry.place)
        if entry.peek("equation") is None:
            report.left_out("mapping", entry.place, "mappings of ZigZag are not read")
            continue
        layer = read_layer(entry, number, report)
        if layer is not None:
            _native.Workload.read(start + layer.text, f"{layer.name}.yaml")
            _put(files, f"{layer.name}.yaml", start + layer.text, path)


def _put(files: dict[str, str], name: str, text: str, path: pathlib.Path) -> None:
    if name in files:
        raise refuse(f"{name} would be written twice", "import the files apart", Place(str(path)))
    files[name] = text
