"""Pictures of results, with matplotlib (``pip install 'tilewright[plot]'``).

Every function draws into ``ax``, or into a new figure, and gives the axes back. Colours are
those of :func:`tilewright.report`; hatches can be told apart in grey; :func:`save` writes vector
formats with real text.

>>> import tilewright as tw
>>> import tilewright.plot as plot
>>> axes = plot.energy(tw.map("eyeriss", "gemm: m=64 n=64 k=64"))
>>> axes.get_xlabel()
'energy (nJ)'
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any

from tilewright import _figures, _nest_figure, _plan_figure
from tilewright._fusion import FuseResult, PlanResult
from tilewright._results import Evaluation, Front, NetworkResult
from tilewright._values import PathLike

__all__ = ["energy", "nest", "pareto", "plan", "roofline", "save", "utilisation"]

_PAPER = {"pdf.fonttype": 42, "svg.fonttype": "none", "savefig.bbox": "tight", "savefig.dpi": 200}


def energy(result: Evaluation, ax: Any = None) -> Any:
    """Bars of energy by level, with a part for each tensor."""
    data = result._dict
    return _figures.energy([(1, data)], _figures.title_of(data), ax)


def roofline(results: Evaluation | Sequence[Evaluation], ax: Any = None) -> Any:
    """Work per cycle against work per byte of the outermost memory, below what is possible.

    The results are of one architecture. Without bandwidths the roof is flat.
    """
    several = [results] if isinstance(results, Evaluation) else list(results)
    if not several:
        raise ValueError("a roofline needs a result")
    return _figures.roofline([result._dict for result in several], ax)


def pareto(fronts: Front | Sequence[Front], ax: Any = None) -> Any:
    """Energy against cycles of the mappings that no other beats in both."""
    several = [fronts] if isinstance(fronts, Front) else list(fronts)
    points = [[(point.cycles, point.energy_pj) for point in front] for front in several]
    return _figures.pareto(points, [front[0].mapping.architecture.name for front in several], ax)


def utilisation(results: NetworkResult | Sequence[NetworkResult], ax: Any = None) -> Any:
    """Bars of the utilisation of every layer of a network; of several results side by side."""
    several = [results] if isinstance(results, NetworkResult) else list(results)
    return _figures.utilisation([result._dict for result in several], ax)


def nest(result: Evaluation, ax: Any = None) -> Any:
    """The loop nest against the memories: what each loop refills, and the tiles to scale."""
    return _nest_figure.nest(result._dict, ax)


def plan(result: FuseResult | PlanResult, ax: Any = None) -> Any:
    """The tree of a plan: shared loops and einsums, what is live in the shared memory against its
    room, and what leaves the chip of each tensor."""
    return _plan_figure.plan(result._dict, ax)


def save(ax: Any, path: PathLike) -> None:
    """Writes the figure of axes; in PDF and SVG, text stays text."""
    with importlib.import_module("matplotlib").rc_context(_PAPER):
        ax.figure.savefig(os.fspath(path))
