"""``tilewright report``: results as a page, from the command line."""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Sequence

from tilewright._report import KINDS, page_of, read_documents, write_whole
from tilewright.importers.command import exit_code_of


def main(words: Sequence[str]) -> int:
    """Runs the command with these words; gives its exit code."""
    arguments = _parser().parse_args(words)
    return exit_code_of(lambda: _report(arguments))


def _report(arguments: argparse.Namespace) -> None:
    documents = read_documents(arguments.results)
    write_whole(arguments.out, page_of(documents, arguments.title).encode())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright report",
        description="Write results as one page that needs nothing beside it. Several results are "
        "shown side by side, with what makes the difference.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "results",
        nargs="+",
        metavar="RESULT",
        type=pathlib.Path,
        help=f"a file that one of {KINDS} printed with --json",
    )
    parser.add_argument(
        "-o", "--out", metavar="FILE", type=pathlib.Path, required=True, help="the page"
    )
    parser.add_argument("--title", default="", help="a heading of your own")
    return parser
