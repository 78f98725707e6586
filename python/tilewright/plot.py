"""Pictures of results, with matplotlib (``pip install 'tilewright[plot]'``).

Every function draws into ``ax``, or into a new figure, and gives the axes back. Shades and
hatches can be told apart in grey; :func:`save` writes vector formats with real text.

>>> import tilewright as tw
>>> import tilewright.plot as plot
>>> axes = plot.energy(tw.map("eyeriss", "gemm: m=64 n=64 k=64"))
>>> axes.get_ylabel()
'energy (nJ)'
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any

from tilewright import _html
from tilewright._errors import MissingDependency
from tilewright._results import Evaluation, Front, NetworkResult
from tilewright._values import PathLike

__all__ = ["energy", "nest", "pareto", "roofline", "save", "utilisation"]

_HATCHES = ("", "///", "...", "xx", "\\\\\\", "++", "oo", "--")
_MARKERS = "osD^vP*X"
_PAPER = {"pdf.fonttype": 42, "svg.fonttype": "none", "savefig.bbox": "tight"}
_UNITS = (("J", 1e12), ("mJ", 1e9), ("uJ", 1e6), ("nJ", 1e3), ("pJ", 1.0))


def _pyplot() -> Any:
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise MissingDependency("pictures need matplotlib: pip install matplotlib") from None


def _axes(ax: Any, width: float, height: float) -> Any:
    if ax is not None:
        return ax
    _, made = _pyplot().subplots(figsize=(width, height), layout="constrained")
    return made


def _plain(ax: Any) -> None:
    """Without the two lines that say nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def _unit_for(picojoules: float) -> tuple[str, float]:
    return next(((unit, size) for unit, size in _UNITS if picojoules >= size), _UNITS[-1])


def _name(data: dict[str, Any]) -> str:
    return f"{data['workload']['name']} on {data['architecture']}"


def energy(result: Evaluation, ax: Any = None) -> Any:
    """Bars of energy by level, with a part for each tensor."""
    data = result._dict
    levels = _html.energy_parts(data)
    unit, size = _unit_for(max(sum(value for _, value in parts) for _, parts in levels))
    ax = _axes(ax, 5.5, 3.2)
    below = [0.0] * len(levels)
    names = [level for level, _ in levels]
    for number, (part, _) in enumerate(levels[0][1]):
        heights = [parts[number][1] / size for _, parts in levels]
        if any(heights):
            ax.bar(names, heights, 0.7, below, label=part, color=_html.SHADES[number],
                   hatch=_HATCHES[number], edgecolor="white", linewidth=0.5)  # fmt: skip
        below = [low + height for low, height in zip(below, heights, strict=True)]
    ax.set_ylabel(f"energy ({unit})")
    ax.margins(y=0.08)
    ax.set_title(_name(data), fontsize="medium")
    ax.tick_params(axis="x", labelrotation=30)
    ax.legend(frameon=False)
    _plain(ax)
    return ax


def _peak(arch: dict[str, Any]) -> float:
    """Multiply-accumulates per cycle if no multiplier ever waits."""
    compute = arch["levels"][-1]
    return float(compute["instances"] * compute["macs"] / compute["cycles"])


def roofline(results: Evaluation | Sequence[Evaluation], ax: Any = None) -> Any:
    """Work per cycle against work per word of the outermost memory, below what is possible.

    The results are of one architecture. Without bandwidths the roof is flat.
    """
    several = [results] if isinstance(results, Evaluation) else list(results)
    if not several:
        raise ValueError("a roofline needs a result")
    arch = several[0].mapping.architecture.summary()
    outer = arch["levels"][0]
    speed = outer["shared_words_per_cycle"] or outer["read_words_per_cycle"]
    peak = _peak(arch)
    ax = _axes(ax, 5.0, 3.4)
    reach: list[float] = []
    for number, result in enumerate(several):
        data = result._dict
        held = data["memories"][0]["tensors"]
        words = sum(one["total"]["reads"] + one["total"]["updates"] for one in held)
        density = data["compute"]["macs"] / max(words, 1)
        reach.append(density)
        ax.plot(density, data["compute"]["macs"] / data["cycles"], color=_html.SHADES[0],
                marker=_MARKERS[number % len(_MARKERS)], linestyle="none",
                fillstyle="none", label=data["workload"]["name"])  # fmt: skip
    ends = [min(reach) / 4, max(reach) * 4]
    if speed:
        ends += [peak / speed / 4, peak / speed * 4]
    densities = sorted({min(ends), *([peak / speed] if speed else []), max(ends)})
    roof = [min(peak, density * speed) if speed else peak for density in densities]
    ax.plot(densities, roof, color="black", linewidth=1.2)
    ax.set(xscale="log", yscale="log", xlabel=f"MACs per word of {outer['name']}",
           ylabel="MACs per cycle", title=arch["name"])  # fmt: skip
    ax.legend(frameon=False, fontsize="small")
    _plain(ax)
    return ax


def pareto(fronts: Front | Sequence[Front], ax: Any = None) -> Any:
    """Energy against cycles of the mappings that no other beats in both."""
    several = [fronts] if isinstance(fronts, Front) else list(fronts)
    ax = _axes(ax, 5.0, 3.4)
    points = [[(point.cycles, point.energy_pj) for point in front] for front in several]
    unit, size = _unit_for(max((e for front in points for _, e in front), default=1.0))
    for number, (front, data) in enumerate(zip(points, several, strict=True)):
        ax.step([cycles for cycles, _ in front], [e / size for _, e in front], where="post",
                color=_html.SHADES[number % len(_html.SHADES)], linewidth=1,
                marker=_MARKERS[number % len(_MARKERS)], markersize=4,
                label=data[0].mapping.architecture.name)  # fmt: skip
    ax.set(xlabel="cycles", ylabel=f"energy ({unit})")
    if len(several) > 1:
        ax.legend(frameon=False)
    _plain(ax)
    return ax


def utilisation(results: NetworkResult | Sequence[NetworkResult], ax: Any = None) -> Any:
    """Bars of the utilisation of every layer of a network; of several results side by side."""
    several = [results] if isinstance(results, NetworkResult) else list(results)
    names = [layer.name for layer in several[0].layers]
    ax = _axes(ax, max(4.0, 0.28 * len(names) * len(several) + 1.2), 3.0)
    width = 0.8 / len(several)
    for number, result in enumerate(several):
        heights = [100 * one.result.utilisation if one.result else 0.0 for one in result.layers]
        places = [i + (number - (len(several) - 1) / 2) * width for i in range(len(names))]
        ax.bar(places, heights, width, color=_html.SHADES[number % len(_html.SHADES)],
               hatch=_HATCHES[number % len(_HATCHES)], edgecolor="white", linewidth=0.5,
               label=result._dict["architecture"])  # fmt: skip
    ax.set_xticks(range(len(names)), names, rotation=60 if len(names) > 8 else 0, ha="right"
                  if len(names) > 8 else "center", fontsize="small")  # fmt: skip
    ax.set(ylabel="utilisation (%)", ylim=(0, 100), title=several[0]._dict["network"])
    if len(several) > 1:
        ax.legend(frameon=False, ncols=len(several), loc="upper left", bbox_to_anchor=(0, 1))
    _plain(ax)
    return ax


def nest(result: Evaluation, ax: Any = None) -> Any:
    """The loop nest as nested boxes: a box for each level, with its loops and what it keeps."""
    data = result._dict
    slots = [slot for slot in data["nest"] if slot["kind"] == "temporal" or slot["loops"]]
    lines = [max(1, len(slot["loops"])) for slot in slots]
    height = sum(lines) + 0.62 * len(slots) + 1.0
    ax = _axes(ax, 6.0, 0.27 * height + 0.4)
    top, width = 0.0, float(len(slots)) * 0.35 + 9.0
    for number, (slot, rows) in enumerate(zip(slots, lines, strict=True)):
        spatial = slot["kind"] != "temporal"
        left = 0.35 * number
        ax.add_patch(importlib.import_module("matplotlib.patches").Rectangle(
            (left, top), width - 2 * left, height - top - 0.12 * number,
            facecolor="0.93" if spatial else "white", edgecolor="black", linewidth=0.8,
            linestyle="--" if spatial else "-"))  # fmt: skip
        level = slot["level"] + {"spatial_x": ".x", "spatial_y": ".y"}.get(slot["kind"], "")
        ax.text(left + 0.15, top + 0.65, level, weight="bold", fontsize=8, va="center")
        for row, text in enumerate(_html.loop_texts(slot)):
            ax.text(left + 3.2, top + 0.65 + row, text, family="monospace", fontsize=8, va="center")
        keeps = " ".join(slot.get("keeps", []))
        ax.text(width - left - 0.15, top + 0.65, keeps, fontsize=8, ha="right", va="center",
                style="italic")  # fmt: skip
        top += rows + 0.5
    ax.text(0.35 * len(slots) + 0.15, top + 0.45, data["workload"]["einsum"], family="monospace",
            fontsize=8, va="center")  # fmt: skip
    ax.set(xlim=(-0.1, width + 0.1), ylim=(height + 0.1, -0.1))
    ax.axis("off")
    ax.set_title(_name(data), fontsize="medium")
    return ax


def save(ax: Any, path: PathLike) -> None:
    """Writes the figure of axes; in PDF and SVG, text stays text."""
    with importlib.import_module("matplotlib").rc_context(_PAPER):
        ax.figure.savefig(os.fspath(path))
