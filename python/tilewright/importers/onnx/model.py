"""A model of ONNX: its nodes, and the shapes and types of all its tensors.

Weights are not needed. Those in files of their own are not loaded, and large ones in the model
are dropped before shapes are inferred.
"""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Iterator, Mapping, MutableSequence
from dataclasses import dataclass, field
from typing import Any

from tilewright._errors import InputError, MissingDependency
from tilewright.importers.onnx.contrib import add_shapes
from tilewright.importers.values import Place, problem_at, refuse

_MOST_BYTES = (1 << 31) - 1
_KEPT_BYTES = 4096  # shapes that a model computes are in small tensors
_MOST_ROUNDS = 1000  # of inference, one for each operator of onnxruntime in a row
_SIZES = ("Constant", "Shape", "Size")


@dataclass(slots=True)
class Model:
    """What is known of a model before its operators are looked at."""

    path: pathlib.Path
    nodes: list[Any]
    shapes: dict[str, tuple[int, ...]]
    bits: dict[str, int]
    weights: set[str]
    """Initializers, and what is computed of them alone."""
    constants: set[str]
    """What does not depend on the inputs, but for products: weights, and sizes of tensors."""
    read: set[str]
    """What a node reads, or the model gives."""
    parameters: int
    version: int
    """Of the standard operators."""
    symbols: set[str] = field(default_factory=set[str])

    @property
    def place(self) -> Place:
        return Place(str(self.path))


def read_model(
    path: pathlib.Path, sizes: Mapping[str, int], products: Collection[str]
) -> Model:
    """Reads a file; ``sizes`` says how large symbolic dimensions are.

    ``products`` are the operators whose outputs are computed, be it of constants.
    """
    onnx = _package()
    proto = _parsed(onnx, path)
    if not proto.graph.node:
        raise refuse("the file has no nodes; it is no model of ONNX", place=Place(str(path)))
    for tensor in proto.graph.initializer:
        _drop_values(tensor)
    used = _set_sizes(proto.graph, sizes)
    unknown = sorted(set(sizes) - used)
    if unknown:
        hint = "its sizes are " + (", ".join(sorted(_symbols(proto.graph))) or "all given")
        raise refuse(f"--size {unknown[0]}: the model has no such size", hint, Place(str(path)))
    inferred = _inferred(onnx, proto, path)
    return _model_of(onnx, inferred, path, products)


def _package() -> Any:
    try:
        import onnx
    except ImportError:
        raise MissingDependency(
            "the package onnx is missing; install it with: pip install 'tilewright[import]'"
        ) from None
    return onnx


def _parsed(onnx: Any, path: pathlib.Path) -> Any:
    place = Place(str(path))
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise refuse(
                "the file is larger than 2 GiB", "keep its weights in files beside it", place
            )
        data = path.read_bytes()
    except OSError as error:
        raise refuse(f"cannot be read: {error.strerror}", place=place) from None
    try:
        proto = onnx.ModelProto()
        proto.ParseFromString(data)
    except Exception as error:  # what the decoder raises differs between its versions
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise refuse(f"this is no model of ONNX, or it is damaged: {detail}", place=place) from None
    damaged = next(_not_text(proto), None)
    if damaged:
        raise refuse(f"the model is damaged: {damaged} is not text in UTF-8", place=place)
    return proto


def _not_text(message: Any, where: str = "") -> Iterator[str]:
    """The fields that should be text and are not; the decoder gives their bytes."""
    for kind, value in message.ListFields():
        if kind.type not in (kind.TYPE_MESSAGE, kind.TYPE_STRING):
            continue
        here = f"{where}.{kind.name}" if where else kind.name
        for item in value if _is_repeated(value) else (value,):
            if isinstance(item, bytes):
                yield here
            elif kind.type == kind.TYPE_MESSAGE:
                yield from _not_text(item, here)


def _is_repeated(value: Any) -> bool:
    return isinstance(value, MutableSequence)


def _drop_values(tensor: Any) -> None:
    """Weights are large; their shape stays."""
    if len(tensor.raw_data) > _KEPT_BYTES:
        tensor.ClearField("raw_data")
    for name in ("float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
        if len(getattr(tensor, name)) > _KEPT_BYTES // 4:
            tensor.ClearField(name)


def _typed(graph: Any) -> Iterator[Any]:
    yield from graph.input
    yield from graph.output
    yield from graph.value_info


def _symbols(graph: Any) -> set[str]:
    found: set[str] = set()
    for value in graph.input:
        for number, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.dim_param:
                found.add(dim.dim_param)
            elif not dim.HasField("dim_value"):
                found.add(f"{value.name}.{number}")
    return found


def _set_sizes(graph: Any, sizes: Mapping[str, int]) -> set[str]:
    """Puts sizes in the place of symbols; gives those that were there."""
    used: set[str] = set()
    for value in _typed(graph):
        for number, dim in enumerate(value.type.tensor_type.shape.dim):
            for name in (dim.dim_param, f"{value.name}.{number}"):
                if name in sizes and not dim.HasField("dim_value"):
                    dim.dim_value = sizes[name]
                    used.add(name)
    return used


def _inferred(onnx: Any, proto: Any, path: pathlib.Path) -> Any:
    place = Place(str(path))
    try:
        if proto.functions:
            proto = onnx.inliner.inline_local_functions(proto)
        for value in list(proto.graph.value_info):  # what is inferred with sizes is better
            if any(not dim.HasField("dim_value") for dim in value.type.tensor_type.shape.dim):
                proto.graph.value_info.remove(value)
        for output in proto.graph.output:
            if any(not dim.HasField("dim_value") for dim in output.type.tensor_type.shape.dim):
                output.type.tensor_type.ClearField("shape")
        inferred = onnx.shape_inference.infer_shapes(proto, data_prop=True)
        for _ in range(_MOST_ROUNDS):
            if not add_shapes(inferred.graph):
                break
            inferred = onnx.shape_inference.infer_shapes(inferred, data_prop=True)
        return inferred
    except Exception as error:  # the checker of onnx raises many kinds
        detail = str(error).strip().splitlines()
        text = detail[0] if detail else type(error).__name__
        raise refuse(f"the shapes of the model cannot be inferred: {text}", place=place) from None


def _model_of(onnx: Any, proto: Any, path: pathlib.Path, products: Collection[str]) -> Model:
    graph = proto.graph
    shapes: dict[str, tuple[int, ...]] = {}
    bits: dict[str, int] = {}
    for value in _typed(graph):
        kind = value.type.tensor_type
        if kind.elem_type:
            bits[value.name] = _bits_of(onnx, kind.elem_type)
        dims = kind.shape.dim
        if kind.HasField("shape") and all(dim.HasField("dim_value") for dim in dims):
            shapes[value.name] = tuple(dim.dim_value for dim in dims)
    weights: set[str] = set()
    parameters = 0
    for tensor in graph.initializer:
        shapes[tensor.name] = tuple(tensor.dims)
        bits[tensor.name] = _bits_of(onnx, tensor.data_type)
        weights.add(tensor.name)
        count = 1
        for dim in tensor.dims:
            count *= dim
        parameters += count
    _check_shapes(shapes, path)
    _check_order(graph, path)
    read = {name for node in graph.node for name in node.input}
    read |= {output.name for output in graph.output}
    constants = weights | _constants(graph, weights, _SIZES, products)
    weights |= _constants(graph, weights)
    versions = [one.version for one in proto.opset_import if one.domain in ("", "ai.onnx")]
    return Model(
        path, list(graph.node), shapes, bits, weights, constants, read, parameters,
        max(versions, default=1), _symbols(graph),
    )  # fmt: skip


def _check_shapes(shapes: dict[str, tuple[int, ...]], path: pathlib.Path) -> None:
    wrong = [name for name, shape in shapes.items() if any(dim < 0 for dim in shape)]
    if wrong:
        raise InputError(
            [problem_at(f"{name} has a size below 0", "", Place(str(path))) for name in wrong]
        )


def _check_order(graph: Any, path: pathlib.Path) -> None:
    """Every tensor is written once, before it is read."""
    writers = {name: at for at, node in enumerate(graph.node) for name in node.output if name}
    for at, node in enumerate(graph.node):
        name = node.name or " ".join(node.output)
        for output in node.output:
            if output and writers[output] != at:
                text = f"two nodes write {output}; the model is damaged"
                raise refuse(text, place=Place(str(path)))
        late = [read for read in node.input if writers.get(read, -1) >= at]
        if late:
            text = f"node {name} reads {late[0]} before it is written; the model is damaged"
            raise refuse(text, place=Place(str(path)))


def _constants(
    graph: Any,
    weights: set[str],
    always: Collection[str] = ("Constant",),
    never: Collection[str] = (),
) -> set[str]:
    """What is computed of weights alone is a weight as well, such as a dequantised one."""
    known = set(weights)
    for node in graph.node:
        of_constants = node.input and all(name in known or not name for name in node.input)
        if node.op_type in always or (of_constants and node.op_type not in never):
            known |= set(node.output)
    return known - weights


def _bits_of(onnx: Any, element_type: int) -> int:
    """The width of an element."""
    try:
        name = str(onnx.TensorProto.DataType.Name(element_type))
    except ValueError:
        return 0
    if name in ("FLOAT", "INT32", "UINT32"):
        return 32
    if name in ("DOUBLE", "INT64", "UINT64", "COMPLEX64"):
        return 64
    if name in ("FLOAT16", "BFLOAT16", "INT16", "UINT16"):
        return 16
    if name in ("INT4", "UINT4", "FLOAT4E2M1"):
        return 4
    if name in ("INT2", "UINT2"):
        return 2
    return 8
