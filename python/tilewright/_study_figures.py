"""Figures of sweeps and arenas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright._figures import COLOURS, MARKERS, SERIES, Data, axes_of, plain, unit_for


def sweep(several: Sequence[Data], ax: Any = None) -> Any:
    """Energy against cycles of the designs; of several networks, beside the design of lowest EDP of each."""
    ax = axes_of(ax, 5.4, 3.6)
    found = [(data, work, [row for row in data["results"] if row["work"] == work and row["energy_pj"] is not None])
             for data in several for work in data["works"]]  # fmt: skip
    unit, size = unit_for(max((row["energy_pj"] for _, _, rows in found for row in rows), default=1.0))
    works = list(dict.fromkeys(work for _, work, _ in found))
    beside = len(works) > 1
    for number, (data, work, rows) in enumerate(found):
        best = data["results"][data["best"][work]] if beside else {"cycles": 1, "energy_pj": size}
        name = f"{work}, {data['name']}" if beside and len(several) > 1 else work if beside else data["name"]
        ax.plot([row["cycles"] / best["cycles"] for row in rows],
                [row["energy_pj"] / best["energy_pj"] for row in rows], linestyle="none",
                marker=MARKERS[number % len(MARKERS)], markersize=4.5, alpha=0.75,
                color=SERIES[number % len(SERIES)], label=name)  # fmt: skip
    than = " / those of the lowest EDP" if beside else ""
    ax.set(xlabel=f"cycles{than}", ylabel=f"energy{than.replace('those', 'that')}" if beside else f"energy ({unit})")
    ax.set_title(", ".join(dict.fromkeys(data["name"] for data in several)), fontsize="medium")
    if len(found) > 1:
        ax.legend(frameon=False, fontsize="small")
    plain(ax)
    return ax


def arena(data: Data, ax: Any = None) -> Any:
    """Value over optimum of each mapper, a point for each layer and a line for the mean."""
    mappers = [one["mapper"] for one in data["standings"]]
    ax = axes_of(ax, 6.0, 0.3 * len(mappers) + 1.2)
    for place, standing in enumerate(data["standings"]):
        runs = [run for layer in data["layers"] for run in layer["runs"] if run["mapper"] == standing["mapper"]]
        ratios = [run["ratio"] for run in runs if run["ratio"] is not None]
        ax.plot(ratios, [place] * len(ratios), linestyle="none", marker="o", markersize=4, alpha=0.5,
                color=COLOURS["bar"])  # fmt: skip
        if standing["mean_ratio"] is not None:
            ax.plot(standing["mean_ratio"], place, marker="|", markersize=13, markeredgewidth=2, color="black")
    ax.set_yticks(range(len(mappers)), mappers)
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="value over optimum")
    plain(ax)
    return ax
