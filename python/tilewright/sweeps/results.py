"""What came of a sweep: fronts, the best designs, what matters, and files of all that."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tilewright import _frames
from tilewright._errors import InputError, MissingDependency, Problem
from tilewright.sweeps.quantities import QUANTITIES
from tilewright.sweeps.spec import Sweep
from tilewright.sweeps.store import Row
from tilewright.sweeps.tree import suggestion

_SCHEMA = "tilewright.sweep.v1"


def number_of(row: Row, name: str) -> float | None:
    """A quantity of a result in its base unit; None if it has none."""
    if name == "area":
        return row.area_um2
    if name == "MACs":
        return float(row.macs)
    if row.energy_pj is None or row.cycles is None:
        return None
    if name == "energy":
        return row.energy_pj
    if name == "cycles":
        return float(row.cycles)
    if name == "edp":
        return row.energy_pj * row.cycles
    if row.clock_hz is None:
        return None
    seconds = row.cycles / row.clock_hz
    return seconds if name == "latency" else row.energy_pj * 1e-12 / seconds


def check_quantity(name: str) -> str:
    """The quantity of this name in any case; raises :class:`InputError`."""
    for known in QUANTITIES:
        if known.lower() == name.lower():
            return known
    hint = suggestion(name, QUANTITIES, "quantities")
    raise InputError([Problem(f'"{name}" is no quantity', hint, "quantity")])


def flat(row: Row) -> dict[str, Any]:
    """A result as columns; what it is made of comes before what it costs."""
    settings = dict(word.split("=", 1) for word in split_settings(row.design))
    return {
        "architecture": row.architecture, **settings, "work": row.work, "mapspace": row.mapspace,
        "mapper": row.mapper, "objective": row.objective, "status": row.status,
        "energy_pj": row.energy_pj, "cycles": row.cycles, "edp": number_of(row, "edp"),
        "latency_s": number_of(row, "latency"), "power_w": number_of(row, "power"),
        "area_um2": row.area_um2, "MACs": row.macs, "value": row.value, "bound": row.bound,
        "proven": row.proven, "reason": row.reason,
    }  # fmt: skip


def documents_of(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Results as docs/json.schema.json describes them."""
    front = {id(row) for row in fronts(rows, ("energy", "cycles"))}
    return [{**flat(row), "settings": dict(word.split("=", 1) for word in split_settings(row.design)),
             "on_front": id(row) in front} for row in rows]  # fmt: skip


def split_settings(design: str) -> list[str]:
    """The settings of a design; values may have blanks, paths have none."""
    words: list[str] = []
    for word in design.split(" ") if design else []:
        if "=" in word or not words:
            words.append(word)
        else:
            words[-1] += " " + word
    return words


# --- files -------------------------------------------------------------------------


def columns_of(rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Columns with a value for each result."""
    records = [flat(row) for row in rows]
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(record))
    fixed = [name for name in flat(_EMPTY)]
    at = 1
    ordered = fixed[:at] + [name for name in names if name not in fixed] + fixed[at:]
    return {name: [record.get(name) for record in records] for name in ordered}


def csv_text(rows: Iterable[Row]) -> str:
    columns = columns_of(rows)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for values in zip(*columns.values(), strict=True):
        writer.writerow(["" if value is None else value for value in values])
    return out.getvalue()


def json_lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(flat(row)) + "\n" for row in rows)


def write_parquet(rows: Iterable[Row], path: str | os.PathLike[str]) -> None:
    """Needs the package pyarrow."""
    try:
        arrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency("Parquet needs pyarrow: pip install pyarrow") from None
    parquet.write_table(arrow.table(columns_of(rows)), os.fspath(path))


def table_text(rows: Sequence[Row], numbers: Sequence[int] | None = None) -> str:
    """For people: energies in uJ, areas in mm2; numbers stand before rows that have some."""
    lines = [["#", "design", "work", "mapspace", "objective", "energy uJ", "cycles",
              "EDP pJ cycles", "area mm2", "MACs", "proven"]]  # fmt: skip
    for at, row in enumerate(rows):
        edp = number_of(row, "edp")
        lines.append([
            "" if numbers is None else str(numbers[at]), row.design or row.architecture, row.work, row.mapspace, row.objective,
            row.status if row.energy_pj is None else f"{row.energy_pj / 1e6:.6g}",
            "" if row.cycles is None else str(row.cycles), "" if edp is None else f"{edp:.6g}",
            f"{row.area_um2 / 1e6:.4g}", str(row.macs), "yes" if row.proven else "no",
        ])  # fmt: skip
    left = 5  # columns of text
    if numbers is None:
        left, lines = 4, [line[1:] for line in lines]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) if at < left else cell.rjust(width)
                  for at, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in lines
    )  # fmt: skip


_EMPTY = Row(b"", 0, "", "", "", "", "", "", "", "", "", None, None, None, None, False, 0, 0, None, "")


# --- analysis ------------------------------------------------------------------------


def pareto(rows: Sequence[Row], quantities: Sequence[str]) -> list[Row]:
    """The results that no other beats in one of two or three quantities without losing another.

    Results without a mapping, or that lack one of the quantities, are left out. Of equal ones the
    first stays.
    """
    names = [check_quantity(name) for name in quantities]
    if not 2 <= len(set(names)) <= 3:
        raise InputError([Problem("a front has two or three quantities", "write energy,area",
                                  "pareto")])  # fmt: skip
    points: list[tuple[tuple[float, ...], int]] = []
    for number, row in enumerate(rows):
        values = [number_of(row, name) for name in names]
        known = tuple(value for value in values if value is not None)
        if row.status == "found" and len(known) == len(values):
            points.append((known, number))
    front: list[tuple[tuple[float, ...], int]] = []
    for point, number in sorted(points):  # who comes later beats nobody before
        if not any(all(a <= b for a, b in zip(best, point, strict=True)) for best, _ in front):
            front.append((point, number))
    return [rows[number] for _, number in front]


def fronts(rows: Sequence[Row], quantities: Sequence[str]) -> list[Row]:
    """The front of each network, one after the other: costs of different ones say nothing of
    designs."""
    works = dict.fromkeys(row.work for row in rows)
    return [one for work in works
            for one in pareto([row for row in rows if row.work == work], quantities)]  # fmt: skip


class Overall(NamedTuple):
    """A design over a set of networks."""

    design: str
    mean: float
    """The weighted geometric mean of the quantity."""
    rows: tuple[Row, ...]


def best_per_work(rows: Sequence[Row], quantity: str) -> dict[str, Row]:
    """The result with the least of a quantity, for each network; the first of equal ones."""
    name = check_quantity(quantity)
    best: dict[str, tuple[float, Row]] = {}
    for row in rows:
        value = number_of(row, name)
        if value is not None and (row.work not in best or value < best[row.work][0]):
            best[row.work] = (value, row)
    return {work: row for work, (_, row) in best.items()}


def best_overall(
    rows: Sequence[Row], quantity: str, weights: Mapping[str, float] | None = None
) -> list[Overall]:
    """Designs that run all networks, the best geometric mean first.

    A design is an architecture with settings, map-space, mapper and objective.
    """
    name = check_quantity(quantity)
    works = list(dict.fromkeys(row.work for row in rows))
    weight = check_weights(weights, works)
    groups: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        same = (row.architecture, row.design, row.mapspace, row.mapper, row.objective)
        groups.setdefault(same, {})[row.work] = row
    found: list[Overall] = []
    for group, by_work in groups.items():
        values = {work: number_of(row, name) for work, row in by_work.items()}
        if any(not values.get(work) for work in works if weight[work] > 0):
            continue
        heavy = {work: values[work] or 0.0 for work in works if weight[work] > 0}
        label = " ".join(part for part in group if part)
        found.append(Overall(label, weighted_mean(heavy, weight), tuple(by_work.values())))
    return sorted(found, key=lambda one: one.mean)


def check_weights(weights: Mapping[str, float] | None, works: Sequence[str]) -> dict[str, float]:
    """The weight of every network, 1 where none is given; raises :class:`InputError`."""
    given = weights or {}
    found = {work: given.get(work, 1.0) for work in works}
    if set(given) - set(works) or not sum(found.values()) > 0 or min(found.values()) < 0:
        raise InputError([Problem("weights are numbers from 0, not all 0, of networks of the sweep",
                                  f"these are {', '.join(works)}", "weights")])  # fmt: skip
    return found


def weighted_mean(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The geometric mean over networks."""
    weighed = [(value, weights[work]) for work, value in values.items() if weights[work] > 0]
    if any(value <= 0 for value, _ in weighed):
        return 0.0
    if len(weighed) == 1:
        return weighed[0][0]  # exactly
    logs = math.fsum(share * math.log(value) for value, share in weighed)
    return math.exp(logs / math.fsum(share for _, share in weighed))


class Sensitivity(NamedTuple):
    """What a parameter matters, all others held."""

    parameter: str
    mean_ratio: float
    """Of the largest to the least value, the geometric mean over all choices of the others."""
    largest_ratio: float
    groups: int


def sensitivity(sweep: Sweep, rows: Sequence[Row], quantity: str) -> list[Sensitivity]:
    """By how much a quantity changes with each parameter, the one that matters most first."""
    name = check_quantity(quantity)
    found: list[Sensitivity] = []
    for path, _ in sweep.axes:
        groups: dict[tuple[str, ...], list[float]] = {}
        for row in rows:
            value = number_of(row, name)
            if not value:
                continue
            others = [word for word in split_settings(row.design) if not word.startswith(path + "=")]
            place = (row.architecture, row.work, row.mapspace, row.mapper, row.objective, *others)
            groups.setdefault(place, []).append(value)
        ratios = [max(values) / min(values) for values in groups.values() if len(values) > 1]
        if ratios:
            mean = math.exp(math.fsum(math.log(ratio) for ratio in ratios) / len(ratios))
            found.append(Sensitivity(path, mean, max(ratios), len(ratios)))
    return sorted(found, key=lambda one: -one.mean_ratio)


class SweepResult:
    """The answers of a sweep, one for each design, network and question, in its order."""

    def __init__(self, sweep: Sweep, rows: Sequence[Row]) -> None:
        self.sweep = sweep
        self.rows: tuple[Row, ...] = tuple(rows)

    def pareto(self, *quantities: str) -> list[Row]:
        """What no other result for the same network beats; energy and cycles by default."""
        return fronts(self.rows, quantities or ("energy", "cycles"))

    def best(self, quantity: str = "edp") -> dict[str, Row]:
        """The best result for each network."""
        return best_per_work(self.rows, quantity)

    def best_overall(
        self, quantity: str = "edp", weights: Mapping[str, float] | None = None
    ) -> list[Overall]:
        """Designs by the geometric mean over all networks, the best first."""
        return best_overall(self.rows, quantity, weights)

    def sensitivity(self, quantity: str = "edp") -> list[Sensitivity]:
        """What each parameter matters."""
        return sensitivity(self.sweep, self.rows, quantity)

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame of pandas or polars."""
        return _frames.frame(columns_of(self.rows), kind)

    def to_csv(self) -> str:
        return csv_text(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The finished sweep as docs/sweeps.md describes it."""
        return {
            "schema": _SCHEMA, "name": self.sweep.name,
            "architectures": list(self.sweep.architectures),
            "parameters": [{"path": path, "values": list(values)}
                           for path, values in self.sweep.axes],
            "works": list(dict.fromkeys(row.work for row in self.rows)),
            "results": documents_of(self.rows),
            "sensitivity": [one._asdict() for one in self.sensitivity("edp")],
            "best": {work: self.rows.index(row) for work, row in self.best("edp").items()},
        }  # fmt: skip

    def numbers(self, rows: Iterable[Row]) -> list[int]:
        """The numbers of rows of this sweep, from 0, as ``tilewright compare`` takes them."""
        at = {id(row): number for number, row in enumerate(self.rows)}
        return [at[id(row)] for row in rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return table_text(self.rows, range(len(self.rows)))

    def __repr__(self) -> str:
        return f"<SweepResult {self.sweep.name}: {len(self.rows)} results>"
