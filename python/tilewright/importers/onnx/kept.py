"""Nodes that are no contractions, as operators that are kept: which form each has."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tilewright.importers.onnx.network import Item, Kept, numbers_text
from tilewright.importers.onnx.nodes import Node

_ELEMENTWISE = frozenset(
    """Abs Acos Acosh Add And Asin Asinh Atan Atanh BatchNormalization Bernoulli BiasGelu
    BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Celu Clip Cos Cosh
    DequantizeLinear Div Dropout Elu Equal Erf Exp FastGelu Floor Gelu Greater GreaterOrEqual
    HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish
    Mod Mul Neg Not Or PRelu Pow QLinearAdd QLinearLeakyRelu QLinearMul QLinearSigmoid
    QuantizeLinear QuickGelu Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus
    Softsign Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu Where Xor""".split()
)
_RESHAPES = ("Flatten", "Reshape", "Squeeze", "Unsqueeze")
# The inputs behind the first say how the node works; they are no data.
_ONE_INPUT = frozenset(
    """CenterCropPad CumSum Dropout Expand Flatten Pad ReduceL1 ReduceL2 ReduceLogSum
    ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Reshape
    Resize Slice Split SplitToSequence Squeeze Tile TopK Trilu Unsqueeze Upsample""".split()
)
_SOFTMAX_OF_ONE_AXIS = 13  # the version of the operators


def _from(fallback: int) -> Callable[[Node, int], list[int]]:
    """From the axis that is an attribute to the last one."""

    def axes(node: Node, rank: int) -> list[int]:
        axis = node.attribute("axis")
        first = fallback if axis is None else int(axis)
        return list(range(first + rank if first < 0 else first, rank))

    return axes


def _one(fallback: int) -> Callable[[Node, int], list[int]]:
    def axes(node: Node, rank: int) -> list[int]:
        return _from(fallback)(node, rank)[:1]

    return axes


def _softmax(node: Node, rank: int) -> list[int]:
    return (_one(-1) if node.model.version >= _SOFTMAX_OF_ONE_AXIS else _from(1))(node, rank)


def _listed(node: Node, rank: int) -> list[int]:
    found: list[int] = node.attribute("axes") or [0, 2, 3]
    return [axis + rank if axis < 0 else axis for axis in found]


_NORMALIZE: dict[str, Callable[[Node, int], list[int]]] = {
    "GroupNormalization": lambda node, rank: list(range(1, rank)),
    "Hardmax": _softmax,
    "InstanceNormalization": lambda node, rank: list(range(2, rank)),
    "LRN": lambda node, rank: [1],
    "LayerNormalization": _from(-1),
    "LogSoftmax": _softmax,
    "LpNormalization": _one(-1),
    "MeanVarianceNormalization": _listed,
    "RMSNormalization": _from(-1),
    "SimplifiedLayerNormalization": _from(-1),
    "SkipLayerNormalization": _from(-1),
    "SkipSimplifiedLayerNormalization": _from(-1),
    "Softmax": _softmax,
}


def kept(node: Node) -> list[Item]:
    """The operators that a node is: one for each output that is known and of use."""
    inputs = node.inputs[:1] if node.op in _ONE_INPUT else node.inputs
    reads = [name for name in dict.fromkeys(inputs) if _is_data(node, name)]
    written = [name for name in node.outputs if _is_tensor(node, name)]
    if not reads:
        return []
    used = [name for name in written if name in node.model.read or name == node.outputs[0]]
    items: list[Item] = []
    for number, name in enumerate(used):
        if number == 0:
            items.append(_first(node, reads, name))
        else:
            items.append(node.other(f".{number}", node.op.lower(), reads, name))
    return items


def spread(shapes: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The shape that tensors have together, aligned at their last axes; None if there is none."""
    length = max(len(shape) for shape in shapes)
    whole = [1] * length
    for shape in shapes:
        for axis, size in enumerate(shape, length - len(shape)):
            if size not in (1, whole[axis]) and whole[axis] != 1:
                return None
            whole[axis] = max(size, whole[axis])
    return tuple(whole)


def elementwise(node: Node, function: str, reads: list[str], written: str, suffix: str) -> Kept:
    """An operator on elements; where shapes do not go together, any other."""
    shape = node.shape_of(written) or (1,)
    fitting = [name for name in reads if spread([node.shape_of(name), shape]) == shape]
    lacking = [name for name in reads if name not in fitting]
    data = [node.shape_of(name) or (1,) for name in fitting]
    constants = all(name in node.model.constants for name in lacking)
    if fitting and constants and spread(data) == shape:
        return Kept(node.part(suffix), "elementwise", function, fitting, written)
    return node.other(suffix, function, reads, written)


def _first(node: Node, reads: list[str], written: str) -> Item:
    function = node.op.lower()
    before, after = node.shape_of(reads[0]) or (1,), node.shape_of(written) or (1,)
    if node.op in _ELEMENTWISE:
        return elementwise(node, function, reads, written, "")
    if node.op in _NORMALIZE and before == after:
        axes = _NORMALIZE[node.op](node, len(before))
        if all(axis < len(before) for axis in axes):
            more = {"axes": numbers_text(axes)}
            return Kept(node.part(""), "normalize", function, reads, written, more)
    if node.op in _RESHAPES and math.prod(before) == math.prod(after):
        return Kept(node.part(""), "reshape", numbers_text(after), reads[:1], written)
    if node.op == "Transpose":
        order = node.attribute("perm") or list(reversed(range(len(before))))
        if sorted(order) == list(range(len(before))):
            return Kept(node.part(""), "transpose", numbers_text(order), reads[:1], written)
    return node.other("", function, reads, written)


def _is_tensor(node: Node, name: str) -> bool:
    """Whether a name is that of a tensor of known shape with elements."""
    shape = node.model.shapes.get(name)
    return bool(name) and shape is not None and 0 not in shape


def _is_data(node: Node, name: str) -> bool:
    """Constants of one element are a part of what the node does."""
    if not _is_tensor(node, name):
        return False
    return name not in node.model.constants or math.prod(node.model.shapes[name]) > 1
