"""Attention as its products: scores, softmax, and the mean of the values. Heads are taken one by
one; those of a group share keys and values, which play the part of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.importers.onnx.kept import elementwise
from tilewright.importers.onnx.network import Item, Kept
from tilewright.importers.onnx.nodes import Node, Unknown
from tilewright.importers.onnx.products import Operand, Product


@dataclass(frozen=True, slots=True)
class Inputs:
    """Which inputs of a node are what; -1 if it has none."""

    mask: int = -1
    past: int = -1  # of the keys; that of the values follows


@dataclass(slots=True)
class _Heads:
    """A tensor with an axis of heads: its labels, and the size of each."""

    tensor: str
    sizes: dict[str, int]


def packed_attention(node: Node) -> list[Item]:
    """Attention of onnxruntime: one product gives queries, keys and values."""
    shape, weights = node.shape(0), node.shape(1)
    widths = node.attribute("qkv_hidden_sizes") or [weights[-1] // 3] * 3
    if len(shape) != 3 or len(weights) != 2 or len(widths) != 3 or sum(widths) != weights[1]:
        raise Unknown("its shapes do not fit together")
    sizes = {"b": shape[0], "n": shape[1], "k": shape[2], "m": weights[1]}
    whole = node.tensor("qkv", (*shape[:2], weights[1]), node.input(0))
    product = Product(
        Operand(node.input(0), ["b", "n", "k"]),
        Operand(node.input(1), ["k", "m"]),
        Operand(whole, ["b", "n", "m"]),
        sizes,
    )
    items: list[Item] = [product.mapped(node.part("_qkv"))]
    parts: list[str] = []
    for name, width in zip("qkv", widths, strict=True):
        parts.append(node.tensor(name, (*shape[:2], width), whole))
        items.append(node.other(f".{name}", "split", [whole], parts[-1]))
    return [*items, *attention(node, Inputs(), parts)]


def attention(node: Node, inputs: Inputs, operands: Sequence[str] = ()) -> list[Item]:
    """Scores and context of every head; the operands are the first inputs if none are given."""
    operands = operands or [node.input(number) for number in range(3)]
    heads = node.attribute("q_num_heads") or node.attribute("num_heads")
    shared = node.attribute("kv_num_heads") or heads
    items: list[Item] = []
    if len(node.shape_of(operands[0])) == 4:
        heads, shared = node.shape_of(operands[0])[1], node.shape_of(operands[1])[1]
    if not heads or not shared or heads % shared:
        raise Unknown("its heads are not known")
    query = _heads(node, operands[0], (shared, heads // shared), "qn", items)
    key = _heads(node, operands[1], (shared,), "km", items)
    value = _heads(node, operands[2], (shared,), "vm", items)
    if inputs.past > 0:
        key = _with_past(node, key, inputs.past, 1, items)
        value = _with_past(node, value, inputs.past + 1, 2, items)
    sizes = query.sizes | {"m": key.sizes["m"]}
    if key.sizes["k"] != query.sizes["k"] or value.sizes["m"] != key.sizes["m"]:
        raise Unknown("its shapes do not fit together")
    note = f"{query.sizes['b'] * heads} heads"
    group = ["g"] if "g" in sizes else []
    order = ["b", "h", *group, "n", "m"]
    scores = node.tensor("scores", [sizes[label] for label in order], query.tensor)
    product = Product(
        Operand(query.tensor, list(query.sizes)),
        Operand(key.tensor, list(key.sizes)),
        Operand(scores, order),
        sizes,
        one_by_one={"g"},
    )
    items.append(product.mapped(node.part("_scores"), note))
    shares = _softmax(node, scores, inputs.mask, items)
    sizes = sizes | {"v": value.sizes["k"]}
    return [*items, *_context(node, Operand(shares, order), value, sizes, note)]


def _heads(node: Node, tensor: str, heads: tuple[int, ...], what: str, to: list[Item]) -> _Heads:
    """An operand with heads on axes of their own, of four axes or of three.

    ``what`` has its letter, and that of the axis of tokens.
    """
    shape = node.shape_of(tensor)
    letter, length = what[0], what[1]
    labels = ["h", "g"][: 2 if heads[1:] and heads[1] > 1 else 1]
    split = list(heads[: len(labels)])
    count = split[0] * (split[1] if len(split) > 1 else 1)
    if len(shape) == 4 and shape[1] == count:
        names, wanted = ["b", *labels, length, "k"], [shape[0], *split, *shape[2:]]
    elif len(shape) == 3 and shape[2] % count == 0:
        names = ["b", length, *labels, "k"]
        wanted = [shape[0], shape[1], *split, shape[2] // count]
    else:
        raise Unknown("its heads are not known")
    if len(wanted) != len(shape):
        tensor, made = node.reshaped(tensor, f"heads_{letter}", wanted)
        to += made
    return _Heads(tensor, dict(zip(names, wanted, strict=True)))


def _with_past(node: Node, now: _Heads, past: int, output: int, to: list[Item]) -> _Heads:
    """Keys or values behind those of earlier tokens."""
    name = node.input(past)
    shape = node.model.shapes.get(name, ())
    if len(shape) != 4 or shape[2] == 0:
        return now
    sizes = {label: now.sizes[label] for label in "bhmk"}
    sizes["m"] += shape[2]
    whole = tuple(sizes.values())
    written = node.outputs[output] if output < len(node.outputs) else ""
    if not written or node.model.shapes.get(written) != whole:
        written = node.tensor(f"all_{'qkv'[output]}", whole, now.tensor)
    to.append(node.other(f".{'qkv'[output]}_concat", "concat", [name, now.tensor], written))
    return _Heads(written, sizes)


def _softmax(node: Node, scores: str, mask: int, to: list[Item]) -> str:
    shape = node.shape_of(scores)
    name = node.input(mask) if mask > 0 else ""
    known = node.model.shapes.get(name, ())
    if known and 0 not in known:
        masked = node.tensor("masked", shape, scores)
        to.append(elementwise(node, "mask", [scores, name], masked, "_mask"))
        scores = masked
    shares = node.tensor("shares", shape, scores)
    axes = {"axes": f"[{len(shape) - 1}]"}
    to.append(Kept(node.part("_softmax"), "normalize", "softmax", [scores], shares, axes))
    return shares


def _context(
    node: Node, shares: Operand, value: _Heads, sizes: dict[str, int], note: str
) -> list[Item]:
    """The mean of the values; the output may have all heads on one axis."""
    group = ["g"] if "g" in sizes else []
    flat = len(node.shape(0)) == 3  # as the queries, or as what they are made of
    order = ["b", "n", "h", *group, "v"] if flat else ["b", "h", *group, "n", "v"]
    written = node.written
    shape = tuple(sizes[label] for label in order)
    node.model.shapes.setdefault(
        written, (*shape[:2], shape[-1] * sizes["h"] * sizes.get("g", 1)) if flat else shape
    )
    split = node.shape_of(written) != shape
    mixed = node.tensor("mixed", shape, written) if split else written
    labels = ["v" if label == "k" else label for label in value.sizes]
    product = Product(
        shares,
        Operand(value.tensor, labels),
        Operand(mixed, order),
        sizes,
        one_by_one={"g"},
    )
    made: list[Item] = [product.mapped(node.part("_context"), note)]
    return [*made, node.reshape_into(mixed, "joined", written)] if split else made
