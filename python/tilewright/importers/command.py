"""``tilewright import``: files of other tools, from the command line."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Callable, Sequence

from typing import Any

from tilewright._errors import Error, InputError
from tilewright.importers.report import Report
from tilewright.importers.values import number_in, refuse

_BAD_INPUT = 2


def main(words: Sequence[str]) -> int:
    """Runs the command with these words; gives its exit code."""
    arguments = _parser().parse_args(words)
    return exit_code_of(lambda: _import(arguments))


def _import(arguments: argparse.Namespace) -> None:
    report: Report = arguments.run(arguments)
    for warning in report.warnings:
        print(f"warning: {warning}", file=sys.stderr)


def exit_code_of(work: Callable[[], None]) -> int:
    """Does the work of a command; complaints go to standard error."""
    try:
        work()
    except InputError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return _BAD_INPUT
    except Error as error:
        print(error, file=sys.stderr)
        return _BAD_INPUT
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright import", description="Read files of other tools.", allow_abbrev=False
    )
    tools = parser.add_subparsers(metavar="TOOL", required=True)
    _add_timeloop(tools)
    _add_onnx(tools)
    _add_plain(tools, "zigzag", "plain accelerators and workloads of ZigZag", run=_import_zigzag)
    accelforge = _add_plain(
        tools,
        "accelforge",
        "plain architectures and workloads of AccelForge",
        run=_import_accelforge,
    )
    _add_define(accelforge)
    return parser


def add_out(command: argparse.ArgumentParser) -> None:
    """The folder that a command writes to."""
    command.add_argument(
        "-o",
        "--out",
        metavar="DIR",
        type=pathlib.Path,
        required=True,
        help="where files are written",
    )


def _add_define(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--define",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a variable of the templates",
    )


def _add_timeloop(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    timeloop = tools.add_parser(
        "timeloop",
        help="files of Timeloop and Accelergy, of all versions",
        description="Read files of Timeloop and Accelergy: architecture, problem, mapping, "
        "constraints, mapper, ERT, ART. Write files of Tilewright and a report.",
        allow_abbrev=False,
    )
    timeloop.add_argument("files", nargs="+", metavar="FILE", type=pathlib.Path)
    add_out(timeloop)
    _add_define(timeloop)
    timeloop.add_argument(
        "--folder",
        metavar="DIR",
        action="append",
        default=[],
        type=pathlib.Path,
        help="a further folder that templates may read",
    )
    timeloop.add_argument(
        "--charge",
        choices=("each", "largest"),
        default="each",
        help="largest: charge every access the largest energy of its component, as older "
        "versions of Timeloop did",
    )
    timeloop.add_argument(
        "--first-sums",
        choices=("skipped", "read"),
        default="skipped",
        help="read: count the first reads and fills of outputs, as older versions of Timeloop did",
    )
    timeloop.set_defaults(run=_import_timeloop)


def _add_onnx(tools: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    onnx = tools.add_parser(
        "onnx",
        help="a network in ONNX",
        description="Read a network in ONNX. Write network.yaml for `tilewright map --model`, "
        "and a report.",
        allow_abbrev=False,
    )
    onnx.add_argument("file", metavar="MODEL", type=pathlib.Path)
    add_out(onnx)
    onnx.add_argument(
        "--size",
        metavar="NAME=NUMBER",
        action="append",
        default=[],
        help="a size that the model leaves open, such as batch=1",
    )
    onnx.set_defaults(run=_import_onnx)


def _add_plain(
    tools: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    what: str,
    run: Callable[[argparse.Namespace], Report],
) -> argparse.ArgumentParser:
    """A tool of which plain cases are read."""
    tool = tools.add_parser(
        name,
        help=what,
        description=f"Read {what}. Write files of Tilewright and a report.",
        allow_abbrev=False,
    )
    tool.add_argument("files", nargs="+", metavar="FILE", type=pathlib.Path)
    add_out(tool)
    tool.add_argument(
        "--bits", type=int, default=8, help="the width of a word, for bandwidths (default: 8)"
    )
    tool.set_defaults(run=run)
    return tool


def definitions(words: Sequence[str]) -> dict[str, Any]:
    """Names and values of ``NAME=VALUE``; numbers are numbers."""
    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise refuse(f"--define {word} defines nothing", "write --define NAME=VALUE")
        number = number_in(value)
        found[name] = value if number is None else number
    return found


def _import_timeloop(arguments: argparse.Namespace) -> Report:
    from tilewright.importers.timeloop.convert import import_timeloop

    imported = import_timeloop(
        arguments.files,
        definitions(arguments.define),
        arguments.folder,
        arguments.charge,
        arguments.first_sums,
    )
    write(arguments.out, imported.files)
    return imported.report


def _import_onnx(arguments: argparse.Namespace) -> Report:
    from tilewright.importers.onnx.convert import import_onnx

    imported = import_onnx(arguments.file, sizes_of(arguments.size))
    write(arguments.out, imported.files)
    return imported.report


def _import_zigzag(arguments: argparse.Namespace) -> Report:
    from tilewright.importers.zigzag.convert import import_zigzag

    imported = import_zigzag(arguments.files, width_of(arguments))
    write(arguments.out, imported.files)
    return imported.report


def _import_accelforge(arguments: argparse.Namespace) -> Report:
    from tilewright.importers.accelforge.convert import import_accelforge

    imported = import_accelforge(
        arguments.files, definitions(arguments.define), width_of(arguments)
    )
    write(arguments.out, imported.files)
    return imported.report


def width_of(arguments: argparse.Namespace) -> int:
    """The width of a word."""
    bits = int(arguments.bits)
    if bits < 1:
        raise refuse("--bits should be 1 or more", "write --bits 8")
    return bits


def sizes_of(words: Sequence[str]) -> dict[str, int]:
    """Names and numbers of ``NAME=NUMBER``."""
    found: dict[str, int] = {}
    for word in words:
        name, _, value = word.rpartition("=")
        if not name or not value.isdigit() or int(value) < 1:
            raise refuse(f"--size {word} gives no size", "write --size batch=1")
        found[name] = int(value)
    return found


def write(folder: pathlib.Path, files: dict[str, str]) -> None:
    """Writes files into a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise refuse(f"{folder} cannot be written: {error.strerror}") from None
    for name in files:
        print(folder / name)
