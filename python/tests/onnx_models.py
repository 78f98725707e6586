"""Small models in ONNX for tests, and what their import gives."""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto, helper

import tilewright as tw
from tilewright.importers.onnx.convert import ImportedNetwork, import_onnx

FLOAT, INT8, UINT8 = TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8


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
