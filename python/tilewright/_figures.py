"""Figures of what the tool prints as JSON, with matplotlib; colours are those of the report's page."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, TypeAlias

from tilewright._errors import MissingDependency

Data: TypeAlias = dict[str, Any]

# As page/src/style.css has them, in light; a test holds one against the other.
COLOURS = {
    "weight": "#2b6cb8",
    "input": "#e08a2c",
    "output": "#3b9a62",
    "extra1": "#9457b5",
    "extra2": "#c4557f",
    "extra3": "#2f9fb3",
    "extra4": "#8a7a3c",
    "compute": "#6f7a88",
    "network": "#a3adb9",
    "leakage": "#c3cad3",
    "bar": "#4f86c0",
}
SERIES = tuple(COLOURS[name] for name in ("weight", "input", "output", "extra1", "extra2", "extra3"))
_HATCHES = ("", "///", "...", "xx", "\\\\\\", "++", "oo", "--")
MARKERS = "osD^vP*X"
_UNITS = (("J", 1e12), ("mJ", 1e9), ("uJ", 1e6), ("nJ", 1e3), ("pJ", 1.0))


def axes_of(ax: Any, width: float, height: float) -> Any:
    """These axes, or new ones of a new figure."""
    if ax is not None:
        return ax
    try:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise MissingDependency("pictures need matplotlib: pip install matplotlib") from None
    _, made = pyplot.subplots(figsize=(width, height), layout="constrained")
    return made


def plain(ax: Any) -> None:
    """Without the two lines that say nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def unit_for(picojoules: float) -> tuple[str, float]:
    return next(((unit, size) for unit, size in _UNITS if picojoules >= size), _UNITS[-1])


def _name(data: Data) -> str:
    return f"{data['workload']['name']} on {data['architecture']}"


# --- energy -------------------------------------------------------------------------


def energy_parts(data: Data) -> dict[tuple[str, str], float]:
    """What one mapping spends, by level and by tensor or what else takes energy."""
    spent: dict[tuple[str, str], float] = {}
    for memory in data["memories"]:
        for held in memory["tensors"]:
            key = (memory["memory"], held["tensor"])
            spent[key] = spent.get(key, 0.0) + held["energy_pj"]["sum"]
        if memory["leakage_pj"]:
            spent[memory["memory"], "leakage"] = memory["leakage_pj"]
    for fanout in data["fanouts"]:
        if fanout["network_pj"]:
            spent[fanout["level"], "network"] = fanout["network_pj"]
    return {**spent, ("compute", "compute"): data["compute"]["energy_pj"]}


def colours_of(several: Sequence[Data]) -> dict[str, str]:
    """A colour for each tensor, the first of a role having that of the role."""
    colours: dict[str, str] = {}
    spare = [name for name in COLOURS if name.startswith("extra")]
    for tensor in (tensor for data in several for tensor in data["workload"]["tensors"]):
        if tensor["name"] not in colours:
            wanted = COLOURS[tensor["role"]]
            used = wanted in colours.values()
            colours[tensor["name"]] = COLOURS[spare.pop(0)] if used and spare else wanted
    return {**colours, **{name: COLOURS[name] for name in ("compute", "network", "leakage")}}


def energy(layers: Sequence[tuple[int, Data]], title: str, ax: Any = None) -> Any:
    """Bars of energy by level, with a part for each tensor, each layer as often as it occurs."""
    spent: dict[tuple[str, str], float] = {}
    for count, data in layers:
        for key, value in energy_parts(data).items():
            spent[key] = spent.get(key, 0.0) + count * value
    levels = list(dict.fromkeys(level for level, _ in spent))
    unit, size = unit_for(max(sum(v for (one, _), v in spent.items() if one == level) for level in levels))
    ax = axes_of(ax, 6.0, 0.36 * len(levels) + 1.2)
    left = [0.0] * len(levels)
    for number, (part, colour) in enumerate(colours_of([data for _, data in layers]).items()):
        widths = [spent.get((level, part), 0.0) / size for level in levels]
        if any(widths):
            ax.barh(levels, widths, 0.72, left, label=part, color=colour, edgecolor="white",
                    hatch=_HATCHES[number % len(_HATCHES)], linewidth=0.5)  # fmt: skip
        left = [low + width for low, width in zip(left, widths, strict=True)]
    ax.invert_yaxis()
    ax.set_xlabel(f"energy ({unit})")
    ax.set_xlim(0, 1.06 * max(left))
    ax.set_title(title, fontsize="medium")
    ax.legend(frameon=False)
    plain(ax)
    return ax


# --- roofline -----------------------------------------------------------------------


def roofline(several: Sequence[Data], ax: Any = None) -> Any:
    """Work per cycle against work per byte of the outermost memory with a bandwidth."""
    first = several[0]["rates"]["memories"]
    level = next((one for one in first if one["bytes_per_cycle"] is not None), first[0])["level"]
    peak = max(data["rates"]["peak_macs_per_cycle"] for data in several)
    points: list[tuple[float, float, str]] = []
    slopes: list[float] = []
    for data in several:
        rate = next((one for one in data["rates"]["memories"] if one["level"] == level), None)
        if rate is None or rate["useful_macs_per_byte"] is None:
            continue
        slopes += [rate["bytes_per_cycle"]] if rate["bytes_per_cycle"] is not None else []
        reached = data["rates"]["useful_macs_per_cycle"]
        points.append((rate["useful_macs_per_byte"], reached, data["workload"]["name"]))
    ax = axes_of(ax, 5.4, 3.6)
    named = len(points) <= len(MARKERS)
    for number, (x, y, name) in enumerate(points):
        ax.plot(x, y, color=COLOURS["weight"], marker=MARKERS[number] if named else "o",
                linestyle="none", markersize=5, alpha=0.75, label=name)  # fmt: skip
    ridge = [peak / max(slopes)] if slopes else []
    reach = [x for x, _, _ in points] + ridge
    places = sorted({min(reach) / 2, *ridge, max(reach) * 2})
    roof = [min(peak, x * max(slopes)) if slopes else peak for x in places]
    ax.plot(places, roof, color="black", linewidth=1.2)
    ax.set(xscale="log", yscale="log", xlabel=f"useful MACs per byte of {level}",
           ylabel="useful MACs per cycle", title=several[0]["architecture"])  # fmt: skip
    if named:
        ax.legend(frameon=False, fontsize="small")
    plain(ax)
    return ax


# --- fronts and layers --------------------------------------------------------------


def pareto(fronts: Sequence[Sequence[tuple[int, float]]], names: Sequence[str], ax: Any = None) -> Any:
    """Energy against cycles, a line for each front."""
    ax = axes_of(ax, 5.4, 3.6)
    unit, size = unit_for(max((e for front in fronts for _, e in front), default=1.0))
    for number, (front, name) in enumerate(zip(fronts, names, strict=True)):
        ax.step([cycles for cycles, _ in front], [e / size for _, e in front], where="post",
                color=SERIES[number % len(SERIES)], linewidth=1,
                marker=MARKERS[number % len(MARKERS)], markersize=4, label=name)  # fmt: skip
    ax.set(xlabel="cycles", ylabel=f"energy ({unit})")
    if len(fronts) > 1:
        ax.legend(frameon=False)
    plain(ax)
    return ax


def utilisation(networks: Sequence[Data], ax: Any = None) -> Any:
    """Bars of the utilisation of every layer; of several results side by side."""
    names = [layer["name"] for layer in networks[0]["layers"]]
    ax = axes_of(ax, max(4.0, 0.28 * len(names) * len(networks) + 1.2), 3.0)
    width = 0.8 / len(networks)
    for number, data in enumerate(networks):
        heights = [100 * one["result"]["utilisation"] if "result" in one else 0.0 for one in data["layers"]]
        places = [i + (number - (len(networks) - 1) / 2) * width for i in range(len(heights))]
        ax.bar(places, heights, width, color=SERIES[number % len(SERIES)],
               hatch=_HATCHES[number % len(_HATCHES)], edgecolor="white", linewidth=0.5,
               label=data["architecture"])  # fmt: skip
    many = len(names) > 8
    ax.set_xticks(range(len(names)), names, rotation=60 if many else 0,
                  ha="right" if many else "center", fontsize="small")  # fmt: skip
    ax.set(ylabel="utilisation (%)", ylim=(0, 100), title=networks[0]["network"])
    if len(networks) > 1:
        ax.legend(frameon=False, ncols=len(networks), loc="upper left", bbox_to_anchor=(0, 1))
    plain(ax)
    return ax


def title_of(data: Data) -> str:
    """The title of a figure of one mapping."""
    return _name(data)
