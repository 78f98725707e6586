"""The contractions that a node of ONNX is: convolutions, matrix products, einsums."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tilewright.importers.onnx.model import Model


class Unknown(Exception):
    """Something that must be known of a node is not."""


@dataclass(slots=True)
class Contraction:
    """One row of a network, or a workload of its own where a row cannot say it."""

    name: str
    op: str = "gemm"  # gemm, conv, dwconv; or einsum
    columns: dict[str, int] = field(default_factory=dict[str, int])
    count: int = 1
    transposed: bool = False
    note: str = ""
    einsum: str = ""
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    bits: dict[str, int] = field(default_factory=dict[str, int])  # input, weight, output


class Node:
    """A node with its attributes and shapes at hand."""

    def __init__(self, proto: Any, model: Model, name: str) -> None:
        self.proto = proto
        self.model = model
        self.name = name
        self.op: str = proto.op_type
        self.inputs: list[str] = list(proto.input)
        self.outputs: list[str] = list(proto.output)

    def attribute(self, name: str) -> Any:
        for attribute in self.proto.attribute:
            if attribute.name == name:
                if attribute.ints:
                    return [int(value) for value in attribute.ints]
                if attribute.s:
                    return attribute.s.decode("utf-8", errors="replace")
                return attribute.f if attribute.type == 1 else int(attribute.i)
        return None

    def shape(self, number: int) -> tuple[int, ...]:
        """The shape of an input."""
        name = self.inputs[number] if number < len(self.inputs) else ""
        return self._shape(name)

    def out(self, number: int = 0) -> tuple[int, ...]:
        return self._shape(self.outputs[number])

    def _shape(self, name: str) -> tuple[int, ...]:
        shape = self.model.shapes.get(name)
        if shape is None:
            raise Unknown(f"the shape of {name or 'an input'} is not known")
        return shape

    def is_weight(self, number: int) -> bool:
        return number < len(self.inputs) and self.inputs[number] in self.model.weights

    def bits(self, first: int, second: int) -> dict[str, int]:
        """Widths of the input, the weight and the output."""
        names = (self.inputs[first], self.inputs[second], self.outputs[0])
        known = self.model.bits
        return {
            role: known[name]
            for role, name in zip(("input", "weight", "output"), names, strict=True)
            if known.get(name)
        }


def gemm(name: str, features: int, columns: int, inner: int, count: int = 1) -> Contraction:
    """A matrix product: so many output features, columns, and summed-over elements."""
    sizes = {"N": 1, "M": features, "C": inner, "P": columns, "Q": 1, "R": 1, "S": 1}
    return Contraction(name, "gemm", sizes, count)


# --- convolutions -------------------------------------------------------------------


def _conv(node: Node, data: int = 0, filters: int = 1) -> list[Contraction]:
    shape, kernel = node.shape(data), node.shape(filters)
    groups = node.attribute("group") or 1
    transposed = node.op == "ConvTranspose"
    spatial = len(kernel) - 2
    if spatial < 1 or len(shape) != len(kernel) or not groups > 0 or shape[1] % groups:
        raise Unknown("its shapes do not fit together")
    channels = shape[1]
    outputs = kernel[1] * groups if transposed else kernel[0]
    places = shape[2:] if transposed else node.out()[2:]
    strides = node.attribute("strides") or [1] * spatial
    dilations = node.attribute("dilations") or [1] * spatial
    if any(len(part) != spatial for part in (places, strides, dilations)):
        raise Unknown("its attributes do not fit its shapes")
    note = _padding(node)
    if spatial > 2:
        made = _conv3(node, outputs, channels, groups, kernel[2:], places, strides, dilations)
    else:
        window = _window(places, kernel[2:], strides, dilations)
        columns = {"N": shape[0], "M": outputs, "C": channels, **window, "groups": groups}
        depthwise = groups == channels > 1
        if depthwise:
            columns.pop("groups")
        made = Contraction(node.name, "dwconv" if depthwise else "conv", columns)
    made.transposed, made.note = transposed, note
    made.bits = node.bits(data, filters)
    return [made]


def _window(
    places: tuple[int, ...], kernel: tuple[int, ...], strides: list[int], dilations: list[int]
) -> dict[str, int]:
    """Height before width, as ONNX has them; of one dimension, the height."""
    one = len(places) == 1
    return {
        "P": places[0],
        "Q": 1 if one else places[1],
        "R": kernel[0],
        "S": 1 if one else kernel[1],
        "stride_h": strides[0],
        "stride_w": 1 if one else strides[1],
        "dilation_h": dilations[0],
        "dilation_w": 1 if one else dilations[1],
    }


def _padding(node: Node) -> str:
    pads = node.attribute("pads")
    auto = node.attribute("auto_pad")
    if auto and auto not in ("NOTSET", "VALID"):
        return f"auto_pad {auto}"
    return "pads " + " ".join(str(pad) for pad in pads) if pads and any(pads) else ""


def _conv3(
    node: Node,
    outputs: int,
    channels: int,
    groups: int,
    kernel: tuple[int, ...],
    places: tuple[int, ...],
    strides: list[int],
    dilations: list[int],
) -> Contraction:
    """A convolution of three dimensions or more, as an einsum."""
    letters = "PQUVXY"[: len(places)], "RSTWZH"[: len(places)]
    if len(places) > len(letters[0]):
        raise Unknown("a convolution of so many dimensions cannot be written")
    window = [
        f"{_times(strides[i])}{letters[0][i]} + {_times(dilations[i])}{letters[1][i]}"
        for i in range(len(places))
    ]
    sizes = {"N": node.shape(0)[0], "G": groups, "M": outputs // groups, "C": channels // groups}
    sizes |= dict(zip(letters[0], places, strict=True)) | dict(zip(letters[1], kernel, strict=True))
    slid, plain = ", ".join(window), ", ".join(letters[0])
    if node.op == "ConvTranspose":  # the window slides over the output
        slid, plain = plain, slid
    einsum = (
        f"O[N, G, M, {plain}] += W[G, M, C, {', '.join(letters[1])}] * I[N, G, C, {slid}]"
    )
    return Contraction(node.name, "einsum", einsum=einsum, sizes=sizes)


def _times(factor: int) -> str:
    return "" if factor == 1 else f"{factor}*"


# --- matrix products ----------------------------------------------------------------


def _general_product(node: Node) -> list[Contraction]:
    """Gemm: both operands may be transposed."""
    a, b = node.shape(0), node.shape(1)
    if len(a) != 2 or len(b) != 2:
        raise Unknown("its operands are no matrices")
    rows, inner = reversed(a) if node.attribute("transA") else a
    features = b[0] if node.attribute("transB") else b[1]
    made = gemm(node.name, features, rows, inner)
    if node.is_weight(0) and not node.is_weight(1):
        made = gemm(node.name, rows, features, inner)
    made.bits = node.bits(0, 1)
    return [made]


def _matrix_product(node: Node, first: int = 0, second: int = 1) -> list[Contraction]:
    """MatMul and its kin: stacks of matrices, of which one may serve several of the other."""
    a, b = list(node.shape(first)), list(node.shape(second))
    if node.attribute("transA") and len(a) > 1:
        a[-1], a[-2] = a[-2], a[-1]
    if node.attribute("transB") and len(b) > 1:
        b[-1], b[-2] = b[-2], b[-1]
    a, b = [1, *a] if len(a) == 1 else a, [*b, 1] if len(b) == 1 else b
    if a[-1] != b[-2]:
        raise Unknown("its shapes do not fit together")
    stack_a, stack_b = math.prod(a[:-2]), math.prod(b[:-2])
    rows, inner, features = a[-2], a[-1], b[-1]
    stacks = _broadcast(a[:-2], b[:-2])
    if stack_b == 1:  # the same weights for all rows
        made = gemm(node.name, features, rows * stacks, inner)
    elif stack_a == 1 and node.is_weight(first):
        made = gemm(node.name, rows, features * stacks, inner)
    else:
        made = gemm(node.name, features, rows, inner, stacks)
        made.note = f"{stacks} products"
    if node.is_weight(first) and not node.is_weight(second) and stack_b == 1:
        made = gemm(node.name, rows * stacks, features, inner)
    made.bits = node.bits(first, second)
    return [made]


def _broadcast(a: list[int], b: list[int]) -> int:
    """The number of products of two stacks."""
    length = max(len(a), len(b))
    pairs = zip([1] * (length - len(a)) + a, [1] * (length - len(b)) + b, strict=True)
    product = 1
    for left, right in pairs:
        if left != right and 1 not in (left, right):
            raise Unknown("its stacks of matrices do not fit together")
        product *= max(left, right)
    return product


def _einsum(node: Node) -> list[Contraction]:
    equation = str(node.attribute("equation") or "").replace(" ", "")
    if "->" not in equation:  # the letters that occur once, in their order
        letters = equation.replace(",", "").replace("...", "")
        once = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
        equation += "->" + ("..." if "..." in equation else "") + once
    if equation.count("->") != 1:
        raise Unknown(f"the equation {equation!r} has two arrows")
    left, out = equation.split("->")
    operands = left.split(",")
    shapes = [node.shape(number) for number in range(len(operands))]
    operands, out = _without_dots(operands, out, shapes)
    sizes: dict[str, int] = {}
    if len(operands) < 2:  # a sum, a transpose or a diagonal: no product
        return []
    for letters, shape in zip(operands, shapes, strict=True):
        if len(letters) != len(shape) or len(set(letters)) != len(letters):
            raise Unknown(
                f"the equation {equation!r} does not fit its operands, or takes a diagonal"
            )
        for letter, size in zip(letters, shape, strict=True):
            if sizes.setdefault(letter, size) not in (size, 1) and size != 1:
                raise Unknown(f"{letter} has two sizes")
            sizes[letter] = max(sizes[letter], size)
    product = _einsum_product(node, operands, out, sizes)
    if product is not None:
        return [product]
    names = [f"I{number + 1}[{', '.join(letters)}]" for number, letters in enumerate(operands)]
    text = f"O[{', '.join(out)}] += {' * '.join(names)}"
    return [Contraction(node.name, "einsum", einsum=text, sizes=sizes)]


def _without_dots(
    operands: list[str], out: str, shapes: list[tuple[int, ...]]
) -> tuple[list[str], str]:
    """Letters in the place of the three dots."""
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in "".join(operands)]
    longest = ""
    written: list[str] = []
    for letters, shape in zip(operands, shapes, strict=True):
        dots = (
            "".join(free[: len(shape) - len(letters.replace("...", ""))])
            if "..." in letters
            else ""
        )
        longest = max(longest, dots, key=len)
        written.append(letters.replace("...", dots))
    return written, out.replace("...", longest)


def _einsum_product(
    node: Node, operands: list[str], out: str, sizes: dict[str, int]
) -> Contraction | None:
    """An einsum of two operands as a matrix product, if it is one."""
    if len(operands) != 2:
        return None
    a, b = (set(letters) for letters in operands)
    output = set(out)
    if (a ^ b) - output:  # summed over in one operand alone
        return None
    size: Callable[[set[str]], int] = lambda letters: math.prod(sizes[c] for c in letters)  # noqa: E731
    stack, inner = size(a & b & output), size((a & b) - output)
    rows, features = size((a - b) & output), size((b - a) & output)
    made = gemm(node.name, features, rows, inner, stack)
    if node.is_weight(0) and not node.is_weight(1):
        made = gemm(node.name, rows, features, inner, stack)
    made.bits = node.bits(0, 1)
    return made


# --- recurrent layers and attention ----------------------------------------------------


def _recurrent(node: Node) -> list[Contraction]:
    """The products with the inputs, all at once, and with the state, step by step."""
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[node.op]
    data, weights, state = node.shape(0), node.shape(1), node.shape(2)
    if len(data) != 3 or len(weights) != 3 or len(state) != 3:
        raise Unknown("its shapes are not those of a recurrent layer")
    steps, batch = (data[1], data[0]) if node.attribute("layout") else (data[0], data[1])
    directions, rows, inputs = weights
    hidden = state[2]
    if rows != gates * hidden:
        raise Unknown("its weights do not fit its state")
    made = [
        gemm(f"{node.name}_input", rows, steps * batch, inputs, directions),
        gemm(f"{node.name}_state", rows, batch, hidden, directions * steps),
    ]
    made[1].note = f"{steps} steps, one after the other"
    for part in made:
        part.bits = node.bits(0, 1)
    return made


def _attention(node: Node) -> list[Contraction]:
    """Scores and context of every head; the keys and values are the weights."""
    query, key, value = node.shape(0), node.shape(1), node.shape(2)
    if len(query) == 4:
        batch, heads, rows, inner = query
        columns, features = key[2], value[3]
    else:
        heads = node.attribute("q_num_heads") or node.attribute("num_heads")
        kv_heads = node.attribute("kv_num_heads") or heads
        if not heads or len(query) != 3 or len(key) != 3 or len(value) != 3:
            raise Unknown("its heads are not known")
        batch, rows, inner = query[0], query[1], query[2] // heads
        columns, features = key[1], value[2] // kv_heads
    past = node.inputs[4] if len(node.inputs) > 4 else ""
    if past and past in node.model.shapes and len(node.model.shapes[past]) == 4:
        columns += node.model.shapes[past][2]
    made = [
        gemm(f"{node.name}_scores", columns, rows, inner, batch * heads),
        gemm(f"{node.name}_context", features, rows, columns, batch * heads),
    ]
    for part in made:
        part.note, part.bits = f"{batch * heads} heads", node.bits(0, 1)
    return made


def _packed_product(node: Node) -> list[Contraction]:
    """MatMulNBits, whose weights are packed: the attributes have the sizes."""
    features, inner = node.attribute("N"), node.attribute("K")
    shape = node.shape(0)
    if not features or not inner or shape[-1] != inner:
        raise Unknown("its attributes do not fit its shapes")
    made = gemm(node.name, features, math.prod(shape[:-1]), inner)
    made.bits = {**node.bits(0, 1), "weight": node.attribute("bits") or 4}
    return [made]


OPERATORS: dict[str, Callable[[Node], list[Contraction]]] = {
    "Attention": _attention,
    "Conv": _conv,
    "ConvInteger": _conv,
    "ConvTranspose": _conv,
    "Einsum": _einsum,
    "FusedConv": _conv,
    "FusedGemm": _general_product,
    "FusedMatMul": _matrix_product,
    "GRU": _recurrent,
    "Gemm": _general_product,
    "LSTM": _recurrent,
    "MatMul": _matrix_product,
    "MatMulInteger": _matrix_product,
    "MatMulIntegerToFloat": _matrix_product,
    "MatMulNBits": _packed_product,
    "MultiHeadAttention": _attention,
    "QLinearConv": lambda node: _conv(node, 0, 3),
    "QLinearMatMul": lambda node: _matrix_product(node, 0, 3),
    "RNN": _recurrent,
}
