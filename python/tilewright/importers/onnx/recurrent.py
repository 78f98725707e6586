"""Recurrent layers: the product with the inputs, all at once, and that with the state, in a block
that is repeated for each step."""

from __future__ import annotations

from tilewright.importers.onnx.network import Block, Item, Kept, Mapped
from tilewright.importers.onnx.nodes import Node, Unknown
from tilewright.importers.onnx.products import Operand, Product

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_FIRST_STATE = 5  # the input


def recurrent(node: Node) -> list[Item]:
    """LSTM, GRU and RNN; in both directions the weights have an axis for that."""
    data, weights, state = node.shape(0), node.shape(1), node.shape(2)
    if len(data) != 3 or len(weights) != 3 or len(state) != 3:
        raise Unknown("its shapes are not those of a recurrent layer")
    by_batch = bool(node.attribute("layout"))
    steps, batch = (data[1], data[0]) if by_batch else (data[0], data[1])
    directions, rows, inputs = weights
    hidden = state[2]
    if rows != _GATES[node.op] * hidden or data[2] != inputs or state[:2] != (directions, rows):
        raise Unknown("its weights do not fit its state")
    sizes = {"t": steps, "b": batch, "d": directions, "m": rows, "k": inputs}
    gates = node.tensor("gates", (directions, steps, batch, rows), node.input(0))
    product = Product(
        Operand(node.input(0), ["b", "t", "k"] if by_batch else ["t", "b", "k"]),
        Operand(node.input(1), ["d", "m", "k"]),
        Operand(gates, ["d", "t", "b", "m"]),
        sizes,
        one_by_one={"d"},
    )
    before = product.mapped(node.part("_input"))
    order = ["b", "d"] if by_batch else ["d", "b"]
    steps_of = _steps(node, gates, sizes | {"k": hidden}, order)
    last = steps_of.items[-1].writes
    function = node.op.lower()
    after = [
        node.other("" if number == 0 else f".{number}", function, [last], output)
        for number, output in enumerate(node.outputs)
        if output and output in node.model.shapes
    ]
    return [before, steps_of, *after]


def _steps(node: Node, gates: str, sizes: dict[str, int], order: list[str]) -> Block:
    """What is done for each step: the state of the one before is multiplied."""
    shape = tuple(sizes[label] for label in (*order, "k"))
    first = node.input(_FIRST_STATE)
    if not first or node.model.shapes.get(first) != shape:
        first = node.tensor("first_state", shape, node.input(0))
    state = node.tensor("state", shape, first)
    summed = tuple(sizes[label] for label in (*order, "m"))
    fed = node.tensor("fed_back", summed, node.input(0))
    step = node.tensor("step", summed, node.input(0))
    product = Product(
        Operand(first, [*order, "k"]),
        Operand(node.input(2), ["d", "m", "k"]),
        Operand(fed, [*order, "m"]),
        {label: sizes[label] for label in "dbmk"},
    )
    many = sizes["t"] > 1
    note = f"{sizes['t']} steps, one after the other" if many else "one step"
    items: list[Mapped | Kept] = [
        product.mapped(node.part("_state"), note),
        node.other(".step", "step_of", [gates], step),
        node.other(".cell", node.op.lower(), [step, fed], state),
    ]
    return Block(node.part(".steps"), sizes["t"], {first: state}, items)
