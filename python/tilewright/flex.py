"""What the freedom of an accelerator is, and what it is worth.

>>> import tilewright as tw
>>> tw.flex.classify("flex_1024")["architectures"][0]["class"]
'FullFlex-1111'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from tilewright import _frames, _native
from tilewright._options import Lines, Rules, lines_of, rules_of, texts
from tilewright._results import Progress, csv_columns, told
from tilewright._values import (
    Architecture,
    Document,
    Layer,
    Network,
    PathLike,
    Workload,
    architecture_of,
    network_of,
    workload_of,
)

__all__ = [
    "FixedDesign",
    "Flexion",
    "FlexibleSpace",
    "Study",
    "classify",
    "design",
    "futureproof",
    "isolate",
    "measure",
    "space",
]


class Flexion:
    """The share of all choices that an accelerator supports, layer by layer."""

    def __init__(self, handle: _native.Flexion) -> None:
        self._handle = handle

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright flex measure --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame with a row for each layer and axis; see :func:`MapResult.to_frame`."""
        return _frames.frame(csv_columns(self._handle.csv()), kind)

    def venn(self) -> str:
        """A picture in SVG: the means as circles whose areas are to scale."""
        return self._handle.venn()

    def _repr_svg_(self) -> str:
        return self.venn()

    def __str__(self) -> str:
        return self._handle.text(0)


class Study:
    """Accelerators with more and less freedom, on whole networks."""

    def __init__(self, handle: _native.Study, isolation: bool) -> None:
        self._handle = handle
        self._isolation = isolation

    @cached_property
    def gaps(self) -> list[str]:
        """Layers without a mapping, and why."""
        return self._handle.gaps

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright flex isolate --json`` or ``futureproof --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame with everything, layer by layer; see :func:`MapResult.to_frame`."""
        return _frames.frame(csv_columns(self._handle.csv()), kind)

    def __str__(self) -> str:
        text = self._handle.isolation_text if self._isolation else self._handle.futureproof_text
        return text(0)


class FixedDesign:
    """One tile, order, pair of parallel dimensions and shape for all layers of a network."""

    def __init__(self, handle: _native.FixedDesign) -> None:
        self._handle = handle

    @property
    def flexibility(self) -> str:
        """The design, as ``--flex`` reads it."""
        return self._handle.flexibility

    @property
    def proven(self) -> bool:
        """Whether no fixed design is better."""
        return self._handle.proven

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright flex design --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame with a row for each layer; see :func:`MapResult.to_frame`."""
        return _frames.frame(csv_columns(self._handle.csv()), kind)

    def __str__(self) -> str:
        return self._handle.text(0)


class FlexibleSpace:
    """How many mappings a flexible accelerator has, setting by setting."""

    def __init__(self, handle: _native.FlexibleSpace) -> None:
        self._handle = handle

    @cached_property
    def _data(self) -> dict[str, Any]:
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """The sum over the settings; a mapping counts in each setting that has it."""
        return int(self._data["sum"])

    @property
    def different(self) -> int | None:
        """Mappings that differ, each counted once; None where that is not counted."""
        number = self._data["different"]
        return None if number is None else int(number)

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright space --flex ... --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self._handle.text()


def classify(
    *archs: Architecture | PathLike | Document, flex: str | None = None
) -> dict[str, Any]:
    """Along which axes accelerators are flexible: what ``tilewright flex classify --json`` prints."""
    handles = [architecture_of(one)._handle for one in archs]
    if not handles:
        raise TypeError("name an architecture")
    return json.loads(_native.classify(handles, texts(flex=flex), True, 0))  # type: ignore[no-any-return]


def measure(
    arch: Architecture | PathLike | Document,
    workload: Workload | PathLike | Document | None = None,
    *,
    model: Network | PathLike | None = None,
    layer: str | None = None,
    accounting: str | None = None,
    bits: int | str | None = None,
    rename: str | None = None,
    flex: str | None = None,
    samples: int = 100_000,
    seed: int = 1,
    progress: Callable[[Progress], object] | bool | None = None,
) -> Flexion:
    """The share of all tiles, orders, parallel dimensions and shapes that is supported.

    >>> import tilewright as tw
    >>> measured = tw.flex.measure("flex_1024", "gemm: m=64 n=64 k=64")
    >>> len(measured.to_dict()["layers"])
    1
    """
    if (workload is None) == (model is None):
        raise TypeError("give either a workload or a model")
    if model is not None:
        of = network_of(model)
    else:
        assert workload is not None
        work = workload_of(workload)
        of = Network.of(work.name, [Layer(work.name, work)])
    given = texts(layer=layer, accounting=accounting, bits=bits, rename=rename, flex=flex,
                  samples=samples, seed=seed)  # fmt: skip
    with told(progress) as tell:
        return Flexion(_native.measure(architecture_of(arch)._handle, of._handle, given, tell))


def space(
    arch: Architecture | PathLike | Document,
    workload: Workload | PathLike | Document,
    *,
    accounting: str | None = None,
    bits: int | str | None = None,
    rename: str | None = None,
    constraints: Rules = None,
    constrain: Lines = None,
    full: bool = False,
    flex: str | None = None,
    mapspace: str = "ruby",
    uneven: bool | None = None,
) -> FlexibleSpace:
    """How many mappings there are, setting by setting and in all.

    ``uneven`` counts uneven mappings, too, or, if it is false, even ones alone; without it the architecture says.

    >>> import tilewright as tw
    >>> found = tw.flex.space("flex_1024", "gemm: m=8 n=8 k=8", flex="P=CK,S=bands(16)", mapspace="pfm")
    >>> found.different is not None and found.different <= found.size
    True
    """
    on = architecture_of(arch)
    given = texts(accounting=accounting, bits=bits, rename=rename, full=full, flex=flex,
                  mapspace=mapspace, uneven=uneven is True, even=uneven is False)  # fmt: skip
    rules, lines = rules_of(constraints, on), lines_of(constrain)
    return FlexibleSpace(
        _native.flexible_space(on._handle, workload_of(workload)._handle, given, lines, rules))  # fmt: skip


def isolate(
    model: Network | PathLike,
    *,
    arch: Architecture | PathLike | Document = "flex_1024",
    layer: str | None = None,
    baseline: str | None = None,
    objective: str = "latency",
    mapper: str = "optimal",
    seed: int = 1,
    threads: int | None = None,
    time: str | float | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
) -> Study:
    """Frees one axis after the other: what is each of them worth?"""
    given = texts(layer=layer, baseline=baseline, objective=objective, mapper=mapper, seed=seed,
                  threads=threads, time=time)  # fmt: skip
    on, of = architecture_of(arch)._handle, network_of(model)._handle
    with told(progress) as tell:
        return Study(_native.isolate(on, of, given, tell), isolation=True)


def design(
    model: Network | PathLike,
    *,
    arch: Architecture | PathLike | Document = "flex_1024",
    layer: str | None = None,
    flex: str | None = None,
    objective: str = "latency",
    mapper: str = "optimal",
    seed: int = 1,
    threads: int | None = None,
    time: str | float | None = None,
    nodes: int = 250_000,
    progress: Callable[[Progress], object] | bool | None = None,
) -> FixedDesign:
    """The best fixed accelerator for a network; ``flex`` says what there is to choose from."""
    given = texts(layer=layer, flex=flex, objective=objective, mapper=mapper, seed=seed,
                  threads=threads, time=time, nodes=nodes)  # fmt: skip
    on, of = architecture_of(arch)._handle, network_of(model)._handle
    with told(progress) as tell:
        return FixedDesign(_native.design(on, of, given, tell))


def futureproof(
    models: Sequence[Network | PathLike],
    *,
    arch: Architecture | PathLike | Document = "flex_1024",
    baseline: str | None = None,
    objective: str = "latency",
    mapper: str = "optimal",
    seed: int = 1,
    threads: int | None = None,
    time: str | float | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
) -> Study:
    """Designs a fixed accelerator for the first network; how does each class run the others?"""
    given = texts(baseline=baseline, objective=objective, mapper=mapper, seed=seed,
                  threads=threads, time=time)  # fmt: skip
    on = architecture_of(arch)._handle
    handles = [network_of(one)._handle for one in models]
    with told(progress) as tell:
        return Study(_native.futureproof(on, handles, given, tell), isolation=False)
