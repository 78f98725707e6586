"""Shapes of what operators of onnxruntime write, which the onnx package does not know.

Models that onnxruntime has optimised are full of them, and behind the first no shape would be
known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

_Shapes: TypeAlias = list[tuple[int, ...]]
_LIKE_THE_FIRST_INPUT = frozenset(
    """BiasGelu DequantizeLinear FastGelu Gelu GroupQueryAttention QuantizeLinear QuickGelu
    RotaryEmbedding SimplifiedLayerNormalization SkipLayerNormalization
    SkipSimplifiedLayerNormalization""".split()
)

_NOT_OF_THE_STANDARD = "SimplifiedLayerNormalization"  # though its domain is


def _attention(node: Any, inputs: _Shapes) -> tuple[int, ...]:
    widths: list[int] = []
    for one in node.attribute:
        if one.name == "qkv_hidden_sizes":
            widths = list(one.ints)
    return (*inputs[0][:2], widths[2] if widths else inputs[1][1] // 3)


def _several_heads(node: Any, inputs: _Shapes) -> tuple[int, ...]:
    return (*inputs[0][:2], inputs[2][2])


def _packed(node: Any, inputs: _Shapes) -> tuple[int, ...]:
    features = next(int(one.i) for one in node.attribute if one.name == "N")
    return (*inputs[0][:-1], features)


def _like_the_first(node: Any, inputs: _Shapes) -> tuple[int, ...]:
    return inputs[0]


_SHAPES: dict[str, Callable[[Any, _Shapes], tuple[int, ...]]] = {
    "Attention": _attention,
    "MatMulNBits": _packed,
    "MultiHeadAttention": _several_heads,
    **dict.fromkeys(_LIKE_THE_FIRST_INPUT, _like_the_first),
}


def add_shapes(graph: Any) -> bool:
    """Adds the shapes that follow from known ones; whether there were any."""
    known: dict[str, tuple[int, ...]] = {one.name: tuple(one.dims) for one in graph.initializer}
    values = {one.name: one for part in (graph.value_info, graph.output) for one in part}
    types = {one.name: one.type.tensor_type for one in graph.input}
    types |= {name: one.type.tensor_type for name, one in values.items()}
    for name, kind in types.items():
        dims = kind.shape.dim
        if kind.HasField("shape") and all(dim.HasField("dim_value") for dim in dims):
            known[name] = tuple(dim.dim_value for dim in dims)
    found = False
    for node in graph.node:
        output = node.output[0] if node.output else ""
        of_the_standard = node.domain in ("", "ai.onnx") and node.op_type != _NOT_OF_THE_STANDARD
        shape_of = None if of_the_standard else _SHAPES.get(node.op_type)
        if shape_of is None or not output or output in known:
            continue
        try:
            shape = shape_of(node, [known.get(name, ()) for name in node.input])
        except (IndexError, StopIteration):
            continue
        if not shape or node.input[0] not in known:
            continue
        if output not in values:
            values[output] = graph.value_info.add(name=output)
        _set(values[output], shape, types.get(node.input[0]))
        known[output] = shape
        types[output] = values[output].type.tensor_type
        found = True
    return found


def _set(value: Any, shape: tuple[int, ...], like: Any) -> None:
    kind = value.type.tensor_type
    if not kind.elem_type:
        kind.elem_type = like.elem_type if like is not None and like.elem_type else 1
    kind.ClearField("shape")
    for size in shape:
        kind.shape.dim.add(dim_value=size)
