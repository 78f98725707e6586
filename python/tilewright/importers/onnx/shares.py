"""What is no contraction, with its share of operations and bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tilewright.importers.onnx.nodes import Node


@dataclass(slots=True)
class _Share:
    """What all nodes of an operator do."""

    nodes: int = 0
    operations: int = 0
    bytes: int = 0


class Shares:
    """Counts nodes; the engine counts multiply-accumulates."""

    def __init__(self) -> None:
        self._product_bytes = 0
        self._others: dict[str, _Share] = {}

    def add_product(self, node: Node) -> None:
        self._product_bytes += _bytes_of(node)

    def add_other(self, node: Node) -> None:
        share = self._others.setdefault(node.op, _Share())
        share.nodes += 1
        share.bytes += _bytes_of(node)
        shapes = [node.model.shapes.get(name) for name in node.outputs]
        share.operations += sum(math.prod(shape) for shape in shapes if shape is not None)

    def table(self, contractions: int, macs: int) -> str:
        """A table of Markdown, the largest first."""
        whole = _Share(
            0,
            2 * macs + sum(share.operations for share in self._others.values()),
            self._product_bytes + sum(share.bytes for share in self._others.values()),
        )
        products = _Share(contractions, 2 * macs, self._product_bytes)
        others = sorted(self._others.items(), key=lambda entry: -entry[1].bytes)
        return "\n".join(
            [
                "Operations are two for each multiply-accumulate and one for each element that "
                "another node gives; bytes are read or written once by every node.\n",
                "| operator | nodes | operations | share | bytes | share |",
                "|---|---|---|---|---|---|",
                _line("contractions", products, whole),
                *(_line(name, share, whole) for name, share in others),
            ]
        )


def _bytes_of(node: Node) -> int:
    """What the node reads and writes once."""
    total = 0
    for name in [*node.inputs, *node.outputs]:
        shape = node.model.shapes.get(name)
        if shape is not None:
            total += math.prod(shape) * node.model.bits.get(name, 0) // 8
    return total


def _line(name: str, share: _Share, whole: _Share) -> str:
    operations = share.operations / max(1, whole.operations)
    size = share.bytes / max(1, whole.bytes)
    counts = f"{share.nodes} | {share.operations:,} | {operations:.2%}"
    return f"| {name} | {counts} | {share.bytes:,} | {size:.2%} |"
