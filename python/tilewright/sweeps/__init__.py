"""Sweeps over designs, and the best design with proof (docs/sweeps.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tilewright._values import PathLike
from tilewright.sweeps.read import load_sweep, sweep_of
from tilewright.sweeps.results import SweepResult
from tilewright.sweeps.runner import Progress, default_workers, run, solve_here
from tilewright.sweeps.spec import Sweep
from tilewright.sweeps.store import Store, StoreError

__all__ = ["Progress", "Store", "StoreError", "Sweep", "SweepResult", "load_sweep", "sweep"]


def _ignore(_: Progress) -> None:
    """For those who want no news."""


def sweep(
    what: Sweep | PathLike | Mapping[str, Any],
    store: Store | PathLike = ":memory:",
    *,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SweepResult:
    """Maps networks on many designs; what the store has is not computed again.

    ``what`` is a file, a dictionary with the keys of one, or a :class:`Sweep` that was read. The
    same answers come out with any number of workers. After Ctrl-C, or worse, the same call goes
    on from what the store has.

    >>> import tilewright as tw
    >>> found = tw.sweep({"architecture": "toy_array", "networks": ["alexnet"],
    ...                   "objectives": ["energy"], "parameters": {"Array.x": [2, 4]}})
    >>> len(found)
    2
    """
    asked = (what if isinstance(what, Sweep)
             else sweep_of(what) if isinstance(what, Mapping) else load_sweep(what))  # fmt: skip
    solver = solve_here(workers or default_workers())
    tell = progress or _ignore
    if isinstance(store, Store):
        return SweepResult(asked, run(asked, store, solver, tell))
    with Store(store) as held:
        return SweepResult(asked, run(asked, held, solver, tell))
