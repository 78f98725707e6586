"""``tilewright export``: our values as files of other tools, from the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tilewright._values import Architecture, Mapping, Workload
from tilewright.exporters.timeloop import export_timeloop
from tilewright.importers.command import add_out, exit_code_of, write

def main(words: Sequence[str]) -> int:
    """Runs the command with these words; gives its exit code."""
    arguments = _parser().parse_args(words)
    return exit_code_of(lambda: write(arguments.out, _export(arguments)))


def _export(arguments: argparse.Namespace) -> dict[str, str]:
    arch = Architecture.load(arguments.arch)
    workload = Workload.load(arguments.workload)
    mapping = None
    if arguments.mapping is not None:
        mapping = Mapping.load(arch, workload, arguments.mapping)
    return export_timeloop(arch, workload, mapping)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright export",
        description="Write files of other tools.",
        allow_abbrev=False,
    )
    tools = parser.add_subparsers(metavar="TOOL", required=True)
    timeloop = tools.add_parser(
        "timeloop",
        help="files that timeloop-model takes",
        description="Write an architecture, a workload and a mapping as files of Timeloop, with "
        "tables of energies and areas. What Timeloop cannot say is refused.",
        allow_abbrev=False,
    )
    timeloop.add_argument("-a", "--arch", required=True, help="a built-in architecture or a file")
    timeloop.add_argument(
        "-w", "--workload", required=True, help="a file or a workload on one line"
    )
    timeloop.add_argument("-m", "--mapping", metavar="FILE", help="a mapping file")
    add_out(timeloop)
    return parser
