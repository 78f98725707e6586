"""The problem section: dimensions, tensors, sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tilewright.importers.report import Report
from tilewright.importers.timeloop.expressions import ExpressionError, evaluate
from tilewright.importers.timeloop.scope import Variables
from tilewright.importers.timeloop.sets import read_box, read_indices
from tilewright.importers.values import (
    Items,
    Place,
    Scalar,
    Table,
    Value,
    nearest,
    refuse,
    see_within,
)

Rank = list[tuple[str, int]]
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

# The shapes that Timeloop brings along.
_CNN = {
    "dimensions": "R S P Q C K N",
    "coefficients": "Wstride Hstride Wdilation Hdilation",
    "Weights": "C; K; R; S",
    "Inputs": "N; C; R Wdilation, P Wstride; S Hdilation, Q Hstride",
    "Outputs": "N; K; Q; P",
}
_GEMM_ABZ = {"dimensions": "M N K", "coefficients": "", "A": "M; K", "B": "N; K", "Z": "M; N"}
_GEMM = {
    "dimensions": "M N K",
    "coefficients": "",
    "A": "M; K",
    "B": "N; K",
    "C": "M; N",
    "D": "M; N",
}
_SHAPES = {"cnn_layer": _CNN, "gemm": _GEMM, "gemm_ABZ": _GEMM_ABZ}
_DENSE = "all data is taken as dense"
_OUTPUTS = ("Outputs", "Z", "D")


@dataclass(slots=True)
class Tensor:
    """A data space: every rank is a sum of dimensions with coefficients."""

    name: str
    ranks: list[Rank]
    is_output: bool
    place: Place

    @property
    def dims(self) -> set[str]:
        return {dim for rank in self.ranks for dim, _ in rank}


@dataclass(slots=True)
class Workload:
    """What is computed."""

    name: str
    dims: dict[str, int]
    tensors: list[Tensor]
    place: Place
    sources: dict[str, Place] = field(default_factory=dict[str, Place])

    @property
    def einsum(self) -> str:
        operands = [_indexed(tensor) for tensor in self.tensors if not tensor.is_output]
        output = next(tensor for tensor in self.tensors if tensor.is_output)
        return f"{_indexed(output)} += {' * '.join(operands)}"


def _indexed(tensor: Tensor) -> str:
    ranks = (" + ".join(d if c == 1 else f"{c}*{d}" for d, c in rank) for rank in tensor.ranks)
    return f"{tensor.name}[{', '.join(ranks)}]"


@dataclass(slots=True)
class _Shape:
    name: str
    dims: list[str]
    coefficients: dict[str, int]
    tensors: list[tuple[str, list[list[tuple[str, str]]], bool, Place]]


class _Reader:
    def __init__(
        self, section: Table, variables: Variables, report: Report, shape: Table | None
    ) -> None:
        self.section = section
        self.given_shape = shape
        self.variables = variables
        self.report = report

    def whole(self, value: Value, what: str, least: int = 1) -> int:
        """A whole number that is not below ``least``."""
        try:
            number = evaluate(value.text, self.variables) if isinstance(value, Scalar) else None
        except ExpressionError as error:
            raise refuse(str(error), "write a whole number", value.place) from None
        if not isinstance(number, int | float) or number != int(number) or number < least:
            self.report.complain(
                f"the size of {what} is no whole number from {least} on", "write 1", value.place
            )
            return 1
        return int(number)

    def coefficient(self, value: Value, name: str) -> int:
        """A stride or the like. With 0, an index does not depend on the dimension beside it."""
        number = self.whole(value, name, least=0)
        if number == 0:
            hint = "did you mean 1? an index does not move with the dimension beside it"
            self.report.warn(f"{name} is 0", hint, value.place)
            self.report.exact(f"{name} is 0", value.place, "its dimension is no part of the index")
        return number

    def read(self) -> Workload:
        self.section.get("version")
        shape = self.shape()
        instance = self.section.get("instance")
        if isinstance(instance, Scalar):
            instance = read_box(instance)
        sizes = instance if isinstance(instance, Table) else self.section
        coefficients = dict(shape.coefficients)
        for name in coefficients:
            given = sizes.get(name)
            if given is not None:
                coefficients[name] = self.coefficient(given, name)
        dims: dict[str, int] = {}
        sources: dict[str, Place] = {}
        for name in shape.dims:
            dims[name], sources[name] = self.size(sizes, name)
        self.name_the_rest(sizes, shape)
        self.section.get("name")
        self.report.rest(self.section, "problem", "Timeloop does not read it")
        tensors: list[Tensor] = []
        for name, terms, output, place in shape.tensors:
            ranks = [self.rank(rank, coefficients) for rank in terms]
            tensors.append(Tensor(name, [rank for rank in ranks if rank], output, place))
        workload = Workload(shape.name, dims, tensors, self.section.place, sources)
        self.check(workload)
        return workload

    def size(self, sizes: Table, name: str) -> tuple[int, Place]:
        value = sizes.get(name)
        if value is None:
            self.report.approximated(f"size of {name}", sizes.place, "it is not given; 1 is used")
            return 1, sizes.place
        size = self.whole(value, name)
        self.report.exact(f"size of {name}", sizes.place_of(name), str(size))
        return size, sizes.place_of(name)

    def rank(self, terms: list[tuple[str, str]], coefficients: dict[str, int]) -> Rank:
        result: Rank = []
        for dim, coefficient in terms:
            factor = 1
            if coefficient:
                known = coefficients.get(coefficient)
                factor = known if known is not None else int(coefficient)
            if factor:
                result.append((dim, factor))
        return result

    def shape(self) -> _Shape:
        shape = self.section.get("shape")
        if isinstance(shape, Table):
            return self.own_shape(shape)
        name = shape.text if isinstance(shape, Scalar) else "cnn_layer"
        if self.given_shape is not None:
            return self.separate_shape(self.given_shape, shape)
        known = _SHAPES.get(name.replace("-", "_").removesuffix(".yaml"))
        if known is None:
            raise refuse(
                f"the shape {name} is not one that comes with Timeloop",
                "give the shape itself: dimensions and data_spaces",
                self.section.place_of("shape"),
            )
        self.report.exact(f"shape {name}", self.section.place_of("shape"), "built into Timeloop")
        return _built_in_shape(name, known, self.section.place)

    def separate_shape(self, given: Table, wanted: Value | None) -> _Shape:
        """A shape that has a file of its own, as those that come with Timeloop."""
        shape = self.own_shape(given)
        if isinstance(wanted, Scalar) and wanted.text.replace("-", "_") != shape.name.replace(
            "-", "_"
        ):
            self.report.warn(
                f"the shape {wanted.text} is asked for", f"{shape.name} is used", wanted.place
            )
        self.report.exact(f"shape {shape.name}", given.place)
        return shape

    def own_shape(self, shape: Table) -> _Shape:
        name = shape.get("name")
        dims = [e.text for e in _entries(shape.get("dimensions")) if isinstance(e, Scalar)]
        coefficients: dict[str, int] = {}
        for entry in _entries(shape.get("coefficients")):
            if isinstance(entry, Table):
                label, default = entry.get("name"), entry.get("default")
                if isinstance(label, Scalar):
                    coefficients[label.text] = (
                        self.whole(default, label.text, least=0) if default else 1
                    )
        spaces = _entries(shape.get("data_spaces"))
        tensors = [self.tensor(e, coefficients) for e in spaces if isinstance(e, Table)]
        if shape.get("flatten") is not None:
            self.report.left_out("flatten", shape.place_of("flatten"), "dimensions are not fused")
        text = name.text if isinstance(name, Scalar) and name.text else "problem"
        return _Shape(text, dims, coefficients, tensors)

    def tensor(
        self, space: Table, coefficients: dict[str, int]
    ) -> tuple[str, list[list[tuple[str, str]]], bool, Place]:
        name = space.get("name")
        output = space.get("read_write")
        is_output = isinstance(output, Scalar) and output.text.lower() == "true"
        space.get("ranks")
        space.get("dimensions")
        projection = space.get("projection")
        if isinstance(projection, Scalar):
            ranks = read_indices(projection.text, projection.place)
        else:
            ranks = [_terms(rank, coefficients) for rank in _entries(projection)]
        text = name.text if isinstance(name, Scalar) else "tensor"
        return text, ranks, is_output, space.place

    def name_the_rest(self, sizes: Table, shape: _Shape) -> None:
        """Keys that Timeloop ignores: a misspelt stride means stride 1 there, and here."""
        known = [*shape.dims, *shape.coefficients]
        for key in list(sizes.unread()):
            place = sizes.places.get(key, sizes.place)
            if sizes is self.section and key in ("shape", "version", "instance", "name"):
                continue
            if key in ("densities", "commonDensity"):
                value = sizes.entries[key]
                if isinstance(value, Scalar) or value.entries:
                    self.report.left_out(key, place, _DENSE)
                    self.report.leave_out_all(value, key, _DENSE)
                see_within(value)
                continue
            meant = nearest(key, known)
            if meant is not None:
                effect = f" the layer runs with {meant} 1" if meant in shape.coefficients else ""
                self.report.warn(f"unknown key {key!r}", f"did you mean {meant!r}?{effect}", place)
            self.report.left_out(f"{key} of the problem", place, "Timeloop ignores it, too")
        sizes.see_all()

    def check(self, workload: Workload) -> None:
        outputs = [tensor for tensor in workload.tensors if tensor.is_output]
        place = workload.place
        if len(outputs) != 1 or len(workload.tensors) < 2:
            raise refuse(
                f"the problem has {len(workload.tensors)} data spaces, {len(outputs)} of them outputs",
                "one needs read_write: true, and at least one other is needed",
                place,
            )
        for tensor in workload.tensors:
            for dim in sorted(tensor.dims - set(workload.dims)):
                self.report.complain(
                    f"{tensor.name} has an index {dim} that is no dimension",
                    "add it to dimensions",
                    tensor.place,
                )
            if not tensor.ranks:
                self.report.complain(f"{tensor.name} has no index", "give one", tensor.place)
        for name in [*workload.dims, *(tensor.name for tensor in workload.tensors)]:
            if not _NAME.match(name):
                self.report.complain(f"{name!r} cannot be a name", "use letters and digits", place)
        used = set[str]().union(*(tensor.dims for tensor in workload.tensors))
        for dim in [dim for dim in workload.dims if dim not in used]:
            self.report.complain(f"no tensor has the dimension {dim}", "leave it out", place)


def _entries(value: Value | None) -> list[Value]:
    return value.entries if isinstance(value, Items) else []


def _terms(rank: Value, coefficients: dict[str, int]) -> list[tuple[str, str]]:
    """A rank: a name, a list of names, or a list of pairs of a name and a coefficient."""
    if isinstance(rank, Scalar):
        return [(rank.text, "")]
    terms: list[tuple[str, str]] = []
    plain = [entry.text for entry in _entries(rank) if isinstance(entry, Scalar)]
    if len(plain) == 2 and (plain[1] in coefficients or plain[1].isdigit()):
        return [(plain[0], plain[1])]
    for entry in _entries(rank):
        if isinstance(entry, Scalar):
            terms.append((entry.text, ""))
        else:
            parts = [part.text for part in _entries(entry) if isinstance(part, Scalar)]
            if not 1 <= len(parts) <= 2 or (
                len(parts) == 2 and parts[1] not in coefficients and not parts[1].isdigit()
            ):
                raise refuse(
                    "this is no term of an index",
                    "write [dimension], or [dimension, coefficient] with a coefficient that is listed",
                    entry.place,
                )
            terms.append((parts[0], parts[1] if len(parts) == 2 else ""))
    return terms


def _built_in_shape(name: str, known: dict[str, str], place: Place) -> _Shape:
    tensors: list[tuple[str, list[list[tuple[str, str]]], bool, Place]] = []
    for tensor, text in known.items():
        if tensor in ("dimensions", "coefficients"):
            continue
        ranks: list[list[tuple[str, str]]] = []
        for rank in text.split("; "):
            pairs = [term.split(" ") for term in rank.split(", ")]
            ranks.append([(pair[0], pair[1] if len(pair) == 2 else "") for pair in pairs])
        tensors.append((tensor, ranks, tensor in _OUTPUTS, place))
    dims, coefficients = known["dimensions"].split(), known["coefficients"].split()
    return _Shape(name, dims, dict.fromkeys(coefficients, 1), tensors)


def read_problem(
    section: Value, variables: Variables, report: Report, shape: Table | None = None
) -> Workload:
    """The workload of a problem section. The shape may be in a section of its own."""
    if not isinstance(section, Table):
        raise refuse("a problem should be a table", place=section.place)
    return _Reader(section, variables, report, shape).read()
