"""Data frames of results, with whichever library is installed."""

from __future__ import annotations

import importlib
from typing import Any

from tilewright._errors import MissingDependency

_LIBRARIES = ("pandas", "polars")


def frame(columns: dict[str, list[Any]], kind: str | None) -> Any:
    """The columns as a data frame of pandas or polars."""
    if kind is not None and kind not in _LIBRARIES:
        raise ValueError(f"kind is pandas or polars, not {kind!r}")
    columns = {name: _of_one_type(values) for name, values in columns.items()}
    for library in (kind,) if kind else _LIBRARIES:
        try:
            return importlib.import_module(library).DataFrame(columns)
        except ImportError:
            continue
    raise MissingDependency(f"data frames need {kind or 'pandas or polars'}: pip install "
                            f"{kind or 'pandas'}")  # fmt: skip


def _of_one_type(values: list[Any]) -> list[Any]:
    """Polars takes no column of whole numbers and others."""
    if not any(isinstance(value, float) for value in values):
        return values
    return [float(value) if type(value) is int else value for value in values]


def traffic_rows(evaluation: dict[str, Any]) -> dict[str, list[Any]]:
    """A row for each memory and tensor of an evaluation."""
    rows: list[dict[str, Any]] = []
    for memory in evaluation["memories"]:
        for held in memory["tensors"]:
            rows.append({
                "level": memory["level"], "tensor": held["tensor"],
                "tile_words": held["tile_words"], **held["total"],
                "read_pj": held["energy_pj"]["read"], "fill_pj": held["energy_pj"]["fill"],
                "update_pj": held["energy_pj"]["update"], "energy_pj": held["energy_pj"]["sum"],
            })  # fmt: skip
    names = list(rows[0]) if rows else []
    return {name: [row[name] for row in rows] for name in names}
