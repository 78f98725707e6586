"""The answers: what a mapping costs, what a search found, what a check says."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sys
from collections.abc import Callable, Generator, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

from tilewright import _frames, _html, _native
from tilewright._errors import Error, Infeasible, NothingFound, failed
from tilewright._values import Mapping, PathLike


class Progress(TypedDict):
    """What a progress function is told."""

    what: str
    """The workload or the layer that is searched."""
    done: float | None
    """The share of the work, as far as it is known."""
    seconds: float
    seen: int
    valid: int
    points: int
    """Of a front, so far."""
    value: float | None
    """Of the objective, by the best mapping so far."""
    bound: float | None
    """No mapping has a lower value."""


@contextlib.contextmanager
def told(
    progress: Callable[[Progress], object] | bool | None,
) -> Generator[Callable[[Progress], object] | None]:
    """A function that is told of progress; for True one that prints a line."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        yield _print_line
        print("\r\x1b[K" if sys.stderr.isatty() else "\n", end="", file=sys.stderr)
    elif callable(progress):
        yield progress
    else:
        raise TypeError("progress takes a function, True or False")


def _print_line(now: Progress) -> None:
    parts = [now["what"]]
    if now["done"] is not None:
        parts.append(f"{100 * now['done']:.0f} %")
    if now["value"] is not None:
        parts.append(f"best {now['value']:.4g}")
    if now["bound"] is not None:
        parts.append(f"bound {now['bound']:.4g}")
    print("\r" + ", ".join(parts).ljust(78), end="", file=sys.stderr, flush=True)


class Proof(NamedTuple):
    """What is known about all mappings of the map-space."""

    proven: bool
    """The mapping is the best one."""
    bound: float
    """No mapping has a lower value of the objective."""
    gap: float | None
    """How far the mapping may be above the best: value / bound - 1. None without a bound."""
    end: str
    """Why the search ended."""


class Evaluation:
    """A mapping with what it costs."""

    def __init__(self, handle: _native.Evaluation) -> None:
        self._handle = handle

    @property
    def energy_pj(self) -> float:
        return self._handle.energy_pj

    @property
    def cycles(self) -> int:
        return self._handle.cycles

    @property
    def edp(self) -> float:
        """Energy times cycles, in pJ * cycles."""
        return self._handle.edp

    @property
    def utilisation(self) -> float:
        """Of the multipliers, from 0 to 1."""
        return self._handle.utilisation

    @property
    def area_um2(self) -> float:
        return self._handle.area_um2

    @property
    def macs(self) -> int:
        return self._handle.macs

    @cached_property
    def mapping(self) -> Mapping:
        return Mapping._hold(self._handle.mapping)

    @cached_property
    def _dict(self) -> dict[str, Any]:
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    @property
    def bottleneck(self) -> str:
        """The level that sets the cycles, and its port."""
        limit = self._dict["bottleneck"]
        return str(limit["level"] if limit["port"] == "compute"
                   else f"{limit['level']} {limit['port']}")  # fmt: skip

    @property
    def remarks(self) -> list[str]:
        return list(self._dict.get("remarks", []))

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright eval --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame with a row for each memory and tensor; see :func:`MapResult.to_frame`."""
        return _frames.frame(_frames.traffic_rows(self._dict), kind)

    def explain(self) -> str:
        """Where the energy and the time go, in words."""
        return self._handle.explanation()

    def __str__(self) -> str:
        return self._handle.text(0)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {self._dict['workload']['name']} on "
            f"{self._dict['architecture']}: {self.energy_pj / 1e6:.6g} uJ, {self.cycles} cycles, "
            f"utilisation {100 * self.utilisation:.3g} %>"
        )

    def _repr_html_(self) -> str:
        return _html.evaluation(self._dict, "")


class MapResult(Evaluation):
    """The mapping that a search found, with what it costs and what is proven."""

    def __init__(self, handle: _native.MapResult) -> None:
        self._map = handle
        if not handle.found:
            lines, code = handle.failure()
            if handle.interrupted:
                raise KeyboardInterrupt("\n".join(lines))
            raise failed(lines, code)
        super().__init__(handle.result())

    @cached_property
    def _whole(self) -> dict[str, Any]:
        return json.loads(self._map.json())  # type: ignore[no-any-return]

    @cached_property
    def _dict(self) -> dict[str, Any]:
        return self._whole["result"]  # type: ignore[no-any-return]

    @property
    def interrupted(self) -> bool:
        """Ctrl-C has ended the search: this is the best so far."""
        return self._map.interrupted

    @property
    def value(self) -> float:
        """Of the objective, in pJ and cycles."""
        return self._map.value()

    @property
    def proof(self) -> Proof | None:
        """What is proven; None from a mapper that proves nothing."""
        proof = self._whole["search"]["proof"]
        if proof is None:
            return None
        return Proof(proof["proven"], proof["bound"], proof["gap"], proof["end"])

    @property
    def proven(self) -> bool:
        """Whether no mapping of the map-space is better."""
        return self.proof is not None and self.proof.proven

    @property
    def bound(self) -> float | None:
        """No mapping has a lower value of the objective; None if nothing is known."""
        return self.proof.bound if self.proof is not None else None

    @property
    def gap(self) -> float | None:
        """How far the value may be above the best: value / bound - 1."""
        return self.proof.gap if self.proof is not None else None

    @property
    def found_by(self) -> str:
        """The mapper."""
        return str(self._whole["search"]["found_by"])

    @property
    def seconds(self) -> float:
        return float(self._whole["search"]["seconds"])

    @property
    def remarks(self) -> list[str]:
        return list(self._whole["remarks"])

    @property
    def certificate(self) -> str:
        """The text of the certificate, if one was asked for and could be made; or empty."""
        return self._map.certificate

    def write_certificate(self, path: PathLike) -> None:
        """Writes the certificate, or raises why there is none."""
        if not self.certificate:
            lines = self._map.uncertified or ["nobody asked for a certificate"]
            raise Error("\n".join(lines))
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.certificate)

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright map --json`` prints."""
        return json.loads(self._map.json())  # type: ignore[no-any-return]

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame with a row for each memory and tensor.

        ``kind`` is ``pandas`` or ``polars``; without it, the one that is installed.
        """
        return super().to_frame(kind)

    def __str__(self) -> str:
        return self._map.text(0)

    def __repr__(self) -> str:
        return super().__repr__()[:-1] + f", {_html.proof_line(self._whole['search'])}>"

    def _repr_html_(self) -> str:
        return _html.evaluation(self._dict, _html.proof_line(self._whole["search"]))


class LayerResult(NamedTuple):
    """What came of a layer of a network."""

    name: str
    count: int  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    """How often the network has it."""
    macs: int
    """Of one occurrence."""
    result: Evaluation | None
    """None if no mapping was found; ``problem`` says why."""
    problem: str
    proven: bool


class NetworkResult:
    """What a search found for each layer of a network, and the totals."""

    def __init__(self, handle: _native.NetworkResult) -> None:
        self._handle = handle
        if handle.interrupted and handle.missing == len(self._dict["layers"]):
            raise KeyboardInterrupt("interrupted before there was a mapping")

    @cached_property
    def _dict(self) -> dict[str, Any]:
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    @property
    def complete(self) -> bool:
        """Whether every layer has a mapping."""
        return self._handle.missing == 0

    @property
    def interrupted(self) -> bool:
        """Ctrl-C has ended the search: this is what was found so far."""
        return self._handle.interrupted

    @property
    def proven(self) -> bool:
        """Whether no choice of mappings is better for the whole network."""
        whole = self._dict["network_edp"] or self._dict["network_objective"]
        if whole is not None:
            return bool(whole["proven"])
        return all(layer.proven for layer in self.layers)

    @property
    def energy_pj(self) -> float:
        """Of all layers that have a mapping, each as often as it occurs."""
        return self._handle.energy_pj

    @property
    def cycles(self) -> int:
        """Of all layers that have a mapping, each as often as it occurs."""
        return self._handle.cycles

    @property
    def edp(self) -> float:
        """The energy of all layers times their cycles."""
        return self._handle.edp

    @property
    def value(self) -> float:
        """Of the objective, by all layers that have a mapping, in pJ and cycles."""
        return self._handle.value

    @cached_property
    def layers(self) -> tuple[LayerResult, ...]:
        return tuple(self._layer(i, one) for i, one in enumerate(self._dict["layers"]))

    def _layer(self, number: int, layer: dict[str, Any]) -> LayerResult:
        result, problem = None, ""
        try:
            result = Evaluation(self._handle.layer(number))
        except (Infeasible, NothingFound, KeyboardInterrupt) as error:
            problem = str(error)
        proof: dict[str, Any] | None = layer["search"]["proof"] if "search" in layer else None
        return LayerResult(layer["name"], layer["count"], layer["macs"], result, problem,
                           proof is not None and bool(proof["proven"]))  # fmt: skip

    def __getitem__(self, layer: int | str) -> Evaluation:
        """The result of a layer, by its name or its place from 0."""
        if isinstance(layer, str):
            names = [one.name for one in self.layers]
            if layer not in names:
                raise KeyError(layer)
            layer = names.index(layer)
        return Evaluation(self._handle.layer(range(len(self))[layer]))

    def __len__(self) -> int:
        return len(self._dict["layers"])

    @property
    def remarks(self) -> list[str]:
        return list(self._dict["remarks"])

    def explain(self) -> str:
        """Where the energy and the time of the layers go, in words."""
        return self._handle.explanation()

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright map --model NAME --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame with a row for each layer; see :func:`MapResult.to_frame`."""
        return _frames.frame(csv_columns(self._handle.csv()), kind)

    def __str__(self) -> str:
        return self._handle.text(0)

    def __repr__(self) -> str:
        return (
            f"<NetworkResult of {self._dict['network']} on {self._dict['architecture']}: "
            f"{len(self)} layers, {self.energy_pj / 1e6:.6g} uJ, {self.cycles} cycles, "
            f"{'proven' if self.proven else 'not proven'}>"
        )

    def _repr_html_(self) -> str:
        return _html.network(self._dict, self.proven)


class Point(NamedTuple):
    """One point of a front."""

    mapping: Mapping
    energy_pj: float
    cycles: int
    edp: float


class Front:
    """Every mapping that no other beats in both energy and cycles, fastest first."""

    def __init__(self, handle: _native.Front) -> None:
        self._handle = handle
        if len(handle) == 0:
            lines, code = handle.failure()
            if handle.interrupted:
                raise KeyboardInterrupt("\n".join(lines))
            raise failed(lines, code)

    @cached_property
    def _dict(self) -> dict[str, Any]:
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    @property
    def complete(self) -> bool:
        """Proven: there are no other points."""
        return self._handle.complete

    @property
    def interrupted(self) -> bool:
        """Ctrl-C has ended the search: these are the points so far."""
        return self._handle.interrupted

    def __len__(self) -> int:
        return len(self._handle)

    def __getitem__(self, point: int) -> Point:
        """A point: its mapping, energy, cycles and EDP."""
        number = range(len(self))[point]
        data = self._dict["points"][number]
        mapping = Mapping._hold(self._handle.mapping(number))
        return Point(mapping, data["energy_pj"], data["cycles"], data["edp_pj_cycles"])

    def __iter__(self) -> Iterator[Point]:
        return (self[i] for i in range(len(self)))

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright pareto --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def to_frame(self, kind: str | None = None) -> Any:
        """A data frame with a row for each point; see :func:`MapResult.to_frame`."""
        return _frames.frame(csv_columns(self._handle.csv()), kind)

    def __str__(self) -> str:
        return self._handle.text(0)

    def __repr__(self) -> str:
        state = "complete" if self.complete else "not complete"
        mapping = self[0].mapping
        return (f"<Front of {mapping.workload.name} on {mapping.architecture.name}: "
                f"{len(self)} points, {state}>")  # fmt: skip

    def _repr_html_(self) -> str:
        return _html.front(self._dict)


class CheckResult(NamedTuple):
    """What the checker says of a certificate; true if it is verified."""

    verified: bool
    """Whether everything in it holds."""
    problems: tuple[str, ...]
    """The first step that fails, if one does."""
    mapspace: str
    objective: str
    energy_pj: str
    """An exact decimal, as are `value` and `bound`."""
    cycles: int
    value: str
    """Of the objective, by the mapping."""
    bound: str
    """No mapping has a lower value, as far as `among` says."""
    cells: int
    """Parts of the map-space that were closed one by one."""
    among: str = "even mappings"
    """What the proof is about: ``even mappings``, ``all mappings, even and uneven`` or ``all mappings, uneven at
    marked memories alone``."""

    @property
    def optimal(self) -> bool:
        """Whether it proves that no mapping is better, not only a bound."""
        return self.verified and self.value == self.bound

    def __bool__(self) -> bool:
        return self.verified

    def __repr__(self) -> str:
        if not self.verified:
            return f"<CheckResult: refused: {'; '.join(self.problems)}>"
        return (f"<CheckResult: verified, among {self.among}: no mapping of {self.mapspace} has a "
                f"lower {self.objective} than {self.bound}>")  # fmt: skip


def check_result(handle: _native.CheckResult) -> CheckResult:
    """What the native module says of a certificate."""
    parts = handle.parts()
    return CheckResult(handle.verified, tuple(handle.refusals), parts["mapspace"],
                       parts["objective"], parts["energy_pj"], int(parts["cycles"]),
                       parts["value"], parts["bound"], int(parts["cells"]), parts["among"])  # fmt: skip


def csv_columns(text: str) -> dict[str, list[Any]]:
    """The table of a ``--csv`` file: columns by name, numbers as numbers."""
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [_cell(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def _cell(text: str) -> str | int | float | bool | None:
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return text or None
