"""Sweeps that a store has: what was asked for, and the answers with their numbers."""

from __future__ import annotations

import json
from typing import Any

from tilewright._errors import InputError, Problem
from tilewright.sweeps.plan import Plan, read_designs
from tilewright.sweeps.quantities import read_filter
from tilewright.sweeps.results import SweepResult
from tilewright.sweeps.runner import named, stored_rows
from tilewright.sweeps.spec import Sweep, Work
from tilewright.sweeps.store import Store


def sweep_of_document(text: str) -> Sweep:
    """What :meth:`Sweep.document` has written."""
    given: dict[str, Any] = {name: _frozen(value) for name, value in json.loads(text).items()}
    given["filters"] = tuple(read_filter(one) for one in given["filters"])
    given["works"] = tuple(Work(model, sizes) for model, sizes in given["works"])
    return Sweep(**given)


def _frozen(value: Any) -> Any:
    """Lists as tuples."""
    several: Any = value
    return tuple(_frozen(one) for one in several) if isinstance(value, list) else value


def choose_sweep(store: Store, which: str | None) -> Sweep:
    """By its number in the store or by its name; the only one if neither is given."""
    known = store.sweeps()
    listed = "; ".join(f"{number}: {name}" for number, (_, name, _) in enumerate(known))
    if which is None and len(known) == 1:
        return sweep_of_document(known[0][2])
    found = [document for number, (_, name, document) in enumerate(known)
             if which is not None and which in (str(number), name)]  # fmt: skip
    if len(found) != 1:
        what = "has no sweep" if not known else f"has {len(known)} sweeps ({listed})"
        raise InputError([Problem(f"{store.path} {what}", "write --sweep NUMBER", "--sweep")])
    return sweep_of_document(found[0])


def stored_sweep(store: Store, which: str | None = None) -> SweepResult:
    """The results of a sweep that the store has; nothing is computed."""
    sweep = choose_sweep(store, which)
    plan = Plan(sweep, read_designs(sweep))
    rows = stored_rows(plan, store)
    missing = sum(row is None for row in rows)
    if missing:
        raise InputError([Problem(
            f"{missing} of {len(rows)} results of this sweep are not there; it was not finished, "
            "or an architecture or network has changed since", "sweep again", store.path,
        )])  # fmt: skip
    return SweepResult(sweep, [named(point, row) for point, row in zip(plan.points, rows, strict=True)
                               if row is not None])  # fmt: skip
