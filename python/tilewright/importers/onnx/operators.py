"""Which operators of a network a node of ONNX becomes."""

from __future__ import annotations

from collections.abc import Callable

from tilewright.importers.onnx.attention import Inputs, attention, packed_attention
from tilewright.importers.onnx.convolutions import convolution
from tilewright.importers.onnx.network import Item
from tilewright.importers.onnx.nodes import Node
from tilewright.importers.onnx.products import (
    einsum,
    general_product,
    matrix_product,
    packed_product,
)
from tilewright.importers.onnx.recurrent import recurrent


def _attention(node: Node) -> list[Item]:
    """That of the standard, or that of onnxruntime, which has the same name."""
    if node.proto.domain == "com.microsoft":
        return packed_attention(node)
    return attention(node, Inputs(mask=3, past=4))


# The nodes that are contractions; all others are kept.
OPERATORS: dict[str, Callable[[Node], list[Item]]] = {
    "Attention": _attention,
    "Conv": convolution,
    "ConvInteger": convolution,
    "ConvTranspose": convolution,
    "Einsum": einsum,
    "FusedConv": convolution,
    "FusedGemm": general_product,
    "FusedMatMul": matrix_product,
    "GRU": recurrent,
    "Gemm": general_product,
    "GroupQueryAttention": lambda node: attention(node, Inputs(past=3)),
    "LSTM": recurrent,
    "MatMul": matrix_product,
    "MatMulInteger": matrix_product,
    "MatMulIntegerToFloat": matrix_product,
    "MatMulNBits": packed_product,
    "MultiHeadAttention": lambda node: attention(node, Inputs(mask=5, past=6)),
    "QLinearConv": lambda node: convolution(node, 0, 3),
    "QLinearMatMul": lambda node: matrix_product(node, 0, 3),
    "RNN": recurrent,
}
