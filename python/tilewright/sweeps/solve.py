"""One question to the engine, and its answer as a row of the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tilewright import _native
from tilewright._errors import Infeasible, NothingFound, failed
from tilewright._values import Network
from tilewright.sweeps.key import MODEL_VERSION
from tilewright.sweeps.plan import BrokenPoint, Point, Task
from tilewright.sweeps.store import Row

_NO_RULES = _native.Constraints.join([])
_OWN_COLUMN = ("mapspace", "mapper", "objective")


class Stopped(Exception):
    """Raised in workers when the sweep is to end."""


def solve(task: Task, stop: Callable[[], bool] = lambda: False) -> Row:
    """Asks the engine, on the calling thread."""

    def look(_: object) -> None:
        if stop():
            raise Stopped

    texts = {**task.texts, "threads": "1"}
    arch, constrain = task.machine.arch._handle, list(task.constrain)
    if isinstance(task.work, Network):
        whole = _native.map_network(arch, task.work._handle, texts, constrain, _NO_RULES, look)
        if whole.cancelled or whole.interrupted:
            raise Stopped
        if whole.missing:
            return _row(task, failed(*whole.failure()))
        return _row(task, (whole.energy_pj, whole.cycles, whole.value, whole.bound, whole.proven))
    one = _native.map_workload(arch, task.work._handle, texts, constrain, _NO_RULES, look)
    if one.cancelled or one.interrupted:
        raise Stopped
    if not one.found:
        return _row(task, failed(*one.failure()))
    result = one.result()
    bound, proven = one.proof()
    return _row(task, (result.energy_pj, result.cycles, one.value(), bound, proven))


_Answer = tuple[float, int, float, float, bool]


def _row(task: Task, answer: _Answer | BaseException) -> Row:
    machine, texts = task.machine, task.texts
    reason, status = "", "found"
    numbers: tuple[float | None, int | None, float | None, float | None, bool]
    if isinstance(answer, BaseException):
        if not isinstance(answer, NothingFound):
            raise answer
        status = "infeasible" if isinstance(answer, Infeasible) else "nothing found"
        reason, numbers = str(answer), (None, None, None, None, False)
    else:
        numbers = answer
    energy, cycles, value, bound, proven = numbers
    return Row(
        task.key, MODEL_VERSION, "network" if isinstance(task.work, Network) else "layer",
        machine.arch.name, machine.design.label, task.label, texts["mapspace"], texts["mapper"],
        texts["objective"], _further(texts, task.constrain), status, energy, cycles, value,
        bound, proven, machine.area_um2, machine.macs, machine.arch._handle.clock_hz, reason,
    )  # fmt: skip


def _further(texts: Mapping[str, str], constrain: Sequence[str]) -> str:
    """Options that have no column of their own."""
    given = [f"{name}={texts[name]}" for name in sorted(texts) if name not in _OWN_COLUMN]
    return " ".join([*given, *constrain])


def broken_row(point: BrokenPoint) -> Row:
    """The answer for a design that is no architecture: it has no area and no multipliers."""
    texts, design = point.texts, point.broken.design
    return Row(
        point.key, MODEL_VERSION, "network", point.broken.name, design.label, point.label,
        texts["mapspace"], texts["mapper"], texts["objective"], _further(texts, point.constrain),
        "infeasible", None, None, None, None, False, 0.0, 0, None, point.broken.reason,
    )  # fmt: skip


def sum_of(point: Point, rows: Mapping[bytes, Row]) -> Row:
    """The answer for a network from those for its layers."""
    parts = [(rows[key], count) for key, count in point.parts]
    bad = next((row for row, _ in parts if row.status != "found"), None)
    if bad is not None:
        return _row(point.task, (Infeasible if bad.status == "infeasible" else NothingFound)(
            [bad.reason]))  # fmt: skip
    energy, cycles, bound = 0.0, 0, 0.0
    for row, count in parts:
        energy += count * (row.energy_pj or 0.0)
        cycles += count * (row.cycles or 0)
        bound += count * (row.bound or 0.0)
    objective = point.task.texts["objective"]
    value = {"energy": energy, "latency": float(cycles)}.get(objective)
    if value is None:  # a sum of layers bounds no product
        bound, value = 0.0, _native.objective_value(objective, energy, cycles)
    return _row(point.task, (energy, cycles, value, bound, all(row.proven for row, _ in parts)))
