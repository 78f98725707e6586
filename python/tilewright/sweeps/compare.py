"""Two results of a sweep side by side: their figures, and where these come from."""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections.abc import Callable, Sequence

from tilewright import _native
from tilewright._errors import InputError, Problem
from tilewright.sweeps.plan import Plan, Point, read_designs
from tilewright.sweeps.quantities import QUANTITIES, TEXTS, Filter, read_filter
from tilewright.sweeps.results import SweepResult, check_quantity, number_of, split_settings
from tilewright.sweeps.spec import Sweep, Work
from tilewright.sweeps.store import Row, Store
from tilewright.sweeps.stored import stored_sweep
from tilewright.sweeps.tree import suggestion

_WHOLE = ("cycles", "MACs")
_FLAGS = ("full", "uneven")
_EQUALS = re.compile(r"([^\s=<>!]+)\s*==?\s*(.*)")
_HEADER = b"SQLite format 3\0"
_SHOWN = {"energy": ("uJ", 1e6), "cycles": ("", 1.0), "edp": ("pJ cycles", 1.0),
          "latency": ("ms", 1e-3), "power": ("mW", 1e-3), "area": ("mm2", 1e6),
          "MACs": ("", 1.0)}  # fmt: skip


def names_a_store(words: Sequence[str]) -> bool:
    """Whether ``tilewright compare`` is about results: its first word is a store."""
    if not words or words[0].startswith("-"):
        return False
    path = pathlib.Path(words[0])
    if not path.is_file():
        return path.suffix == ".db"
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="tilewright compare", allow_abbrev=False,
        description="Put two results of a sweep side by side. A result is a number of the sweep's "
        'table, or conditions that one result meets, such as "PEs.x=8, mapspace=pfm"; "best edp" '
        "before further conditions takes the best that meets them.",
    )  # fmt: skip
    made.add_argument("store", metavar="STORE")
    made.add_argument("a", metavar="A")
    made.add_argument("b", metavar="B")
    made.add_argument("--sweep", metavar="NUMBER",
                      help="of a store with several: as `tilewright results STORE sweeps` lists them")  # fmt: skip
    made.add_argument("--brief", action="store_true", help="only the figures that are stored")
    made.add_argument("--json", action="store_true", help="by layer, level and tensor, in JSON")
    return made


def compare(arguments: argparse.Namespace) -> int:
    """Prints the comparison; gives the exit code."""
    with Store(arguments.store, create=False) as store:
        found = stored_sweep(store, arguments.sweep)
    sides = [pick(found, text) for text in (arguments.a, arguments.b)]
    words = words_of(found.sweep, *sides)
    if arguments.json:
        if isinstance(words, str):
            raise InputError([Problem(words, "leave --json out", "--json")])
        return _native.run_tool([*words, "--json", "--quiet"])
    print(figures([(number, found.rows[number]) for number in sides]), flush=True)
    if arguments.brief:
        return 0
    if isinstance(words, str):
        print(f"\n{words}")
        return 0
    print(flush=True)
    return _native.run_tool([*words, *([] if sys.stderr.isatty() else ["--quiet"])])


# --- which ones --------------------------------------------------------------------


def pick(found: SweepResult, text: str) -> int:
    """The number of the result that is meant; raises :class:`InputError`."""
    if text.strip().isdigit():
        number = int(text)
        if number >= len(found):
            raise InputError([Problem(f"there is no result {number}",
                                      f"numbers go from 0 to {len(found) - 1}", "compare")])  # fmt: skip
        return number
    best, tests = _conditions(found, text)
    good = [number for number, row in enumerate(found.rows) if all(test(row) for test in tests)]
    if best is not None:
        values = [(number_of(found.rows[at], best), at) for at in good]
        known = [(value, at) for value, at in values if value is not None]
        good = [min(known)[1]] if known else []
    if len(good) != 1:
        some = ", ".join(str(number) for number in good[:8])
        hint = f"add conditions, or write one of {some}" if good else "change the conditions"
        raise InputError([Problem(f'"{text}" holds for {len(good)} results', hint, "compare")])
    return good[0]


def _conditions(
    found: SweepResult, text: str
) -> tuple[str | None, list[Callable[[Row], bool]]]:
    best: str | None = None
    tests: list[Callable[[Row], bool]] = []
    for part in (one.strip() for one in text.split(",")):
        if part == "best" or part.startswith("best "):
            best = check_quantity(part[len("best "):] or "edp")
        elif part:
            tests.append(_condition(found, part))
    return best, tests


def _condition(found: SweepResult, part: str) -> Callable[[Row], bool]:
    paths = {word.split("=", 1)[0] for row in found.rows for word in split_settings(row.design)}
    parts = _EQUALS.fullmatch(part)
    if parts and parts[1] in paths:
        wanted = f"{parts[1]}={parts[2]}"
        return lambda row: wanted in split_settings(row.design)
    if parts and parts[1] not in (*QUANTITIES, *TEXTS):
        known = [*paths, *QUANTITIES, *TEXTS]
        raise InputError([Problem(f'"{parts[1]}" is no parameter of this sweep',
                                  suggestion(parts[1], known, "there"), "compare")])  # fmt: skip
    if parts:
        part = f"{parts[1]} == {parts[2]}"
    condition = read_filter(part, "compare")
    return lambda row: _holds(condition, row)


def _holds(condition: Filter, row: Row) -> bool:
    if condition.name in QUANTITIES:
        value = number_of(row, condition.name)
        return value is not None and condition.holds({condition.name: value})
    same = getattr(row, condition.name) == condition.value
    return bool(same if condition.relation == "==" else not same)


# --- what is printed --------------------------------------------------------------------


def figures(sides: Sequence[tuple[int, Row]]) -> str:
    """The stored numbers of two results, and their ratios."""
    lines: list[str] = []
    for letter, (number, row) in zip("AB", sides, strict=True):
        parts = [f"{number}", row.design or row.architecture, row.work, row.mapspace, row.mapper,
                 row.objective]  # fmt: skip
        lines.append(f"{letter}: {', '.join(parts)}" + (f" ({row.reason})" if row.reason else ""))
    cells = [["", "A", "B", "B / A"]]
    for name, (unit, scale) in _SHOWN.items():
        values = [number_of(row, name) for _, row in sides]
        if not any(values):  # unknown, or areas that nobody gave
            continue
        ratio = f"{values[1] / values[0]:.4g}" if values[0] and values[1] else ""
        form = "{:,.0f}" if name in _WHOLE else "{:.6g}"
        shown = ["" if value is None else form.format(value / scale) for value in values]
        cells.append([f"{name} {unit}".strip(), *shown, ratio])
    widths = [max(len(line[at]) for line in cells) for at in range(4)]
    lines += ["  ".join([line[0].ljust(widths[0]),
                         *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
                         ]).rstrip() for line in cells]  # fmt: skip
    return "\n".join(lines)


def words_of(sweep: Sweep, a: int, b: int) -> list[str] | str:
    """The command that maps both again and shows them by layer, level and tensor; or why there is
    none."""
    points = Plan(sweep, read_designs(sweep)).points
    sides = [points[a], points[b]]
    good = [one for one in sides if isinstance(one, Point)]
    if len(good) < len(sides):
        return "a design that is no architecture cannot be shown by layer"
    if good[0].task.label != good[1].task.label:
        return "the networks differ, so there are no layers to be put side by side"
    work = next(one for one in sweep.works if one.label == good[0].task.label)
    words = ["tilewright", "compare", *(one.task.machine.design.base for one in good)]
    for letter, one in zip("ab", good, strict=True):
        for path, value in one.task.machine.design.settings:
            words += [f"--set-{letter}", f"{path}={value}"]
        for name in ("mapspace", "mapper", "objective"):
            if good[0].task.texts[name] != good[1].task.texts[name]:
                words += [f"--{name}-{letter}", one.task.texts[name]]
    return [*words, *_shared_words(sweep, work, good)]


def _shared_words(sweep: Sweep, work: Work, sides: Sequence[Point]) -> list[str]:
    words = ["--model", work.model]
    for name, value in work.sizes:
        words += ["--size", f"{name}={value}"]
    for name in ("mapspace", "mapper", "objective"):
        if sides[0].task.texts[name] == sides[1].task.texts[name]:
            words += [f"--{name}", sides[0].task.texts[name]]
    if sweep.each_layer:
        words.append("--each-layer")
    for line in sweep.constrain:
        words += ["--constrain", line]
    for name, value in sweep.options:
        if name not in _FLAGS:
            words += [f"--{name}", value]
        elif value == "true":
            words.append(f"--{name}")
    return words
