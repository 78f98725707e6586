"""Where counts may depart from timeloop-model's: sliding windows that several loops move.

Two things in Timeloop depend on how a window moves: neighbours may hand words to each other, and
a loop nest is extrapolated from two iterations. Neither is modelled here. This module finds
mappings in which they can play a part, so that a report does not call them exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import Hardware
from tilewright.importers.timeloop.mapping import Nest
from tilewright.importers.timeloop.problem import Tensor, Workload


@dataclass(frozen=True, slots=True)
class _Step:
    dim: str
    bound: int
    step: int  # in iterations of the dimension
    in_space: bool
    level: str


def _steps(nest: Nest, hardware: Hardware) -> list[_Step]:
    """All loops, from the inside out."""
    inside: dict[str, int] = {}
    steps: list[_Step] = []
    for level in reversed(hardware.storages):
        mapping = nest.levels[level.name]
        space = [*reversed(mapping.x), *reversed(mapping.y)]
        for loops, in_space in ((space, True), (list(reversed(mapping.loops)), False)):
            for loop in loops:
                step = inside.get(loop.dim, 1)
                steps.append(_Step(loop.dim, loop.bound, step, in_space, level.name))
                inside[loop.dim] = step * loop.bound
    return steps


def _vector(step: _Step, tensor: Tensor) -> tuple[int, ...]:
    """How far a loop moves each index of a tensor."""
    return tuple(
        sum(factor for dim, factor in rank if dim == step.dim) * step.step for rank in tensor.ranks
    )


def note_windows(nest: Nest, hardware: Hardware, workload: Workload, report: Report) -> None:
    """Reports tensors whose counts may differ, level by level."""
    steps = _steps(nest, hardware)
    names = [level.name for level in reversed(hardware.storages)]
    for tensor in [_moved(tensor, workload) for tensor in workload.tensors]:
        if all(len(rank) < 2 for rank in tensor.ranks):
            continue
        if _may_pass_words(steps, tensor):
            report.approximated(
                f"counts of {tensor.name}",
                nest.place,
                "neighbours hold overlapping windows; Timeloop may let them pass words to each "
                "other (link transfers), here all words come from a memory",
            )
        for at, name in enumerate(names[:-1]):
            if tensor.name in nest.levels[name].keep:
                reason = _reason(steps, tensor, set(names[at + 1 :]))
                if reason:
                    report.approximated(f"fills of {tensor.name} at {name}", nest.place, reason)


def _moved(tensor: Tensor, workload: Workload) -> Tensor:
    """The tensor without dimensions of size 1, which move no window."""
    ranks = [[term for term in rank if workload.dims[term[0]] > 1] for rank in tensor.ranks]
    return Tensor(tensor.name, ranks, tensor.is_output, tensor.place)


def _may_pass_words(steps: list[_Step], tensor: Tensor) -> bool:
    windows = [{dim for dim, _ in rank} for rank in tensor.ranks if len(rank) > 1]
    for at, step in enumerate(steps):
        outside = {other.dim for other in steps[at + 1 :] if not other.in_space}
        if step.in_space and any(step.dim in dims and dims & outside for dims in windows):
            return True
    return False


def _reason(steps: list[_Step], tensor: Tensor, outer: set[str]) -> str:
    """Why the fills of a storage may differ; ``outer`` are the storages outside it."""
    moves = [step for step in steps if step.level in outer and not step.in_space]
    vectors = [_vector(step, tensor) for step in moves]
    first = next((at for at, vector in enumerate(vectors) if any(vector)), None)
    if first is None:
        return ""
    overlap = _overlap(vectors[first], _extents(steps, tensor, outer))
    gone = vectors[first]
    for vector in vectors[first + 1 :]:
        jump = tuple(a - b for a, b in zip(vector, gone, strict=True))
        if (overlap and jump == vectors[first]) or not any(jump):
            return "two loops move its window in step; Timeloop extrapolates from two iterations"
        gone = tuple(a + b for a, b in zip(vector, gone, strict=True))
    if overlap and first > 0:
        return (
            "a loop that does not move its window is inside one that does; some versions of "
            "Timeloop then take the whole window again, here only its new part"
        )
    return ""


def _extents(steps: list[_Step], tensor: Tensor, outer: set[str]) -> list[int]:
    """The extents of the tile inside these storages."""
    sizes: dict[str, int] = {}
    for step in steps:
        if step.level not in outer:
            sizes[step.dim] = sizes.get(step.dim, 1) * step.bound
    return [1 + sum(c * (sizes.get(dim, 1) - 1) for dim, c in rank) for rank in tensor.ranks]


def _overlap(move: tuple[int, ...], extents: list[int]) -> bool:
    """Whether a tile and the same tile moved on have something in common."""
    return all(step < extent for step, extent in zip(move, extents, strict=True))
