"""Small models in ONNX for tests, and what their import gives."""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto, helper

import tilewright as tw
from tilewright.importers.onnx.convert import ImportedNetwork, import_onnx

FLOAT, INT8, UINT8 = TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8
INT64 = TensorProto.INT64


def tensor(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def weight(name, shape, kind=FLOAT):
    """A weight without its values, as in a file beside the model."""
    made = TensorProto(name=name, data_type=kind, dims=shape)
    made.data_location = TensorProto.EXTERNAL
    entry = made.external_data.add()
    entry.key, entry.value = "location", "missing.bin"
    return made


def small(name, values, kind):
    return helper.make_tensor(name, kind, np.shape(values), np.ravel(values))


def model(path, nodes, inputs, outputs, weights=(), opset=21, domains=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(weights))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    made = helper.make_model(graph, opset_imports=opsets)
    path.write_bytes(made.SerializeToString())
    return path


def imported(tmp_path, nodes, inputs, outputs, weights=(), sizes=None, **more) -> ImportedNetwork:
    path = model(tmp_path / "net.onnx", nodes, inputs, outputs, weights, **more)
    return import_onnx(path, sizes)


def node(op, reads, writes, **attributes):
    """A node that is named after what it writes first."""
    writes = writes.split()
    return helper.make_node(op, reads.split(), writes, name=writes[0], **attributes)


def transformer(tmp_path, batch=1):
    """A block of a transformer as a framework exports it, with heads of 8."""
    nodes = [
        node("LayerNormalization", "x scale bias", "norm"),
        *(node("MatMul", f"norm w{part}", part) for part in "qkv"),
        *(node("Reshape", f"{part} heads", f"{part}h") for part in "qkv"),
        *(node("Transpose", f"{part}h", f"{part}t", perm=[0, 2, 1, 3]) for part in "qv"),
        node("Transpose", "kh", "kt", perm=[0, 2, 3, 1]),
        node("MatMul", "qt kt", "scores"),
        node("Mul", "scores scale_of_scores", "scaled"),
        node("Softmax", "scaled", "shares"),
        node("MatMul", "shares vt", "mixed"),
        node("Transpose", "mixed", "back", perm=[0, 2, 1, 3]),
        node("Reshape", "back joined", "attended"),
        node("MatMul", "attended wo", "projected"),
        node("Add", "x projected", "residual"),
        node("MatMul", "residual up", "wide"),
        node("Add", "wide up_bias", "biased"),
        node("Gelu", "biased", "active"),
        node("MatMul", "active down", "narrow"),
        node("Add", "residual narrow", "y"),
    ]
    weights = [
        *(weight(name, [32]) for name in ("scale", "bias")),
        *(weight(f"w{part}", [32, 32]) for part in "qkvo"),
        small("heads", [batch, 10, 4, 8], INT64),
        small("joined", [batch, 10, 32], INT64),
        small("scale_of_scores", 0.35, FLOAT),
        weight("up", [32, 128]),
        weight("up_bias", [128]),
        weight("down", [128, 32]),
    ]
    return imported(
        tmp_path, nodes, [tensor("x", [batch, 10, 32])], [tensor("y", None)], weights, opset=20
    )


def network_of(result: ImportedNetwork) -> tw.Network:
    """The network; written and read again it is the same."""
    network = tw.Network.from_yaml(result.files["network.yaml"])
    assert tw.Network.from_yaml(network.to_yaml()) == network
    return network


def products_of(result: ImportedNetwork) -> list[tuple[int, int, int, int]]:
    """Features, columns, what is summed over and the count of every layer, as of a gemm.

    Several axes of a tensor that do the same are several dimensions, N and N2.
    """
    found = []
    for layer in network_of(result).layers:
        dims = layer.workload.dims
        m, n, k = (math.prod(dims[dim] for dim in dims if dim[0] == letter) for letter in "MNK")
        found.append((m, n, k, layer.count))
    return found


def operators_of(result: ImportedNetwork) -> dict[str, dict]:
    """The operators of the graph by their names."""
    graph = network_of(result).summary()["graph"]
    return {operator["name"]: operator for operator in graph["operators"]}


def edges_of(result: ImportedNetwork) -> set[tuple[str, str]]:
    """Pairs of operators, of which the second reads what the first writes."""
    operators = operators_of(result)
    writers = {operator["writes"]: name for name, operator in operators.items()}
    return {
        (writers[read], name)
        for name, operator in operators.items()
        for read in operator["reads"]
        if read in writers
    }
