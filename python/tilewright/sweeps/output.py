"""What the commands of sweeps print and write."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from collections.abc import Callable, Sequence

from tilewright._errors import InputError, Problem
from tilewright.sweeps import results
from tilewright.sweeps.store import Row

_FORMATS = ("table", "csv", "jsonl", "json", "parquet")


class Line:
    """One line that is written over, a few times a second; in a log, a line each minute."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._start, self._between = ("\r\x1b[K", 0.2) if sys.stderr.isatty() else ("", 60.0)
        self._last = time.monotonic() - (0.0 if self._between > 1 else self._between)

    def write(self, text: str) -> None:
        if self._quiet or time.monotonic() - self._last < self._between:
            return
        self._last = time.monotonic()
        print(f"{self._start}{text}", end="" if self._start else "\n", file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """On a line of its own, which stays."""
        if not self._quiet:
            print(f"{self._start}{text}", file=sys.stderr, flush=True)

    def end(self) -> None:
        if not self._quiet and self._start:
            print(self._start, end="", file=sys.stderr)


def duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=_FORMATS, default="table")
    parser.add_argument("--out", metavar="FILE", help="a file in place of standard output")


def print_rows(
    rows: Sequence[Row], arguments: argparse.Namespace, numbers: Sequence[int] | None = None
) -> None:
    if arguments.format == "parquet":
        if not arguments.out:
            raise InputError([Problem("Parquet goes into a file", "add --out FILE", "--format")])
        results.write_parquet(rows, arguments.out)
        return
    makers: dict[str, Callable[[Sequence[Row]], str]] = {
        "table": lambda some: results.table_text(some, numbers) + "\n", "csv": results.csv_text,
        "jsonl": results.json_lines,
        "json": lambda some: json.dumps([results.flat(row) for row in some], indent=1) + "\n",
    }  # fmt: skip
    write(makers[arguments.format](rows), arguments.out)


def write(text: str, path: str | None) -> None:
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        pathlib.Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError([Problem(f"cannot be written: {error.strerror}", file=path)]) from None
