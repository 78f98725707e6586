"""Networks in ONNX keep their edges: what each operator reads and writes is as in the model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx_models import (
    FLOAT,
    INT64,
    UINT8,
    edges_of,
    imported,
    network_of,
    node,
    operators_of,
    products_of,
    small,
    tensor,
    transformer,
    weight,
)

import tilewright as tw


def chain(result, *names):
    """Whether each of these operators reads what the one before writes."""
    edges = edges_of(result)
    return [pair for pair in zip(names, names[1:], strict=False) if pair not in edges] == []


def test_attention_and_the_multilayer_perceptron_keep_their_edges(tmp_path):
    result = transformer(tmp_path)
    for part in "qv":
        assert chain(result, "norm", part, f"{part}h", f"{part}t")
    assert chain(result, "qt", "scores", "scaled", "shares", "mixed", "back", "attended")
    assert chain(result, "attended", "projected", "residual", "wide", "biased", "active", "narrow")
    assert ("vt", "mixed") in edges_of(result)
    assert ("residual", "y") in edges_of(result)
    operators = operators_of(result)
    assert operators["shares"]["reads"] == ["scaled"]
    assert operators["biased"]["reads"] == ["wide", "up_bias"]
    text = result.files["network.yaml"]
    assert "{operator: shares, normalize: softmax, axes: [3], reads: [scaled]" in text
    assert "{operator: scaled, elementwise: mul, reads: [scores], writes: scaled}" in text
    assert "{operator: kt, transpose: [0, 2, 3, 1], reads: [kh], writes: kt}" in text


@pytest.mark.parametrize("batch", [1, 3])
def test_attention_is_counted_head_by_head(tmp_path, batch):
    products = products_of(transformer(tmp_path, batch))
    rows = 10 * batch
    heads = [(10, 10, 8, 4 * batch), (8, 10, 10, 4 * batch)]
    projections = [(32, rows, 32, 1)] * 3
    assert products == [
        *projections, *heads, (32, rows, 32, 1), (128, rows, 32, 1), (32, rows, 128, 1)
    ]  # fmt: skip


def test_names_of_tensors_are_those_of_the_model(tmp_path):
    names = ["/model/layers.0/x:0", "a b, [c]: {d}", 'ä"\\\n', "null", "3", "x" * 3000]
    nodes = [
        helper.make_node("MatMul", [left, "model.w#1"], [right])
        for left, right in zip(names, names[1:], strict=False)
    ]
    result = imported(
        tmp_path,
        nodes,
        [tensor(names[0], [4, 4])],
        [tensor(names[-1], None)],
        [weight("model.w#1", [4, 4])],
    )
    graph = network_of(result).summary()["graph"]
    written = [operator["writes"] for operator in graph["operators"]]
    assert written == [*names[1:-1], "x" * 200]
    assert all("model.w#1" in operator["reads"] for operator in graph["operators"])


def test_outputs_are_operators_each(tmp_path):
    nodes = [
        node("MatMul", "x w", "qkv"),
        node("Split", "qkv", "q k v unused", axis=1, num_outputs=4),
        node("Add", "q k", "s"),
        node("Mul", "s v", "y"),
    ]
    result = imported(
        tmp_path, nodes, [tensor("x", [5, 7])], [tensor("y", None)], [weight("w", [7, 8])]
    )
    operators = operators_of(result)
    assert [name for name in operators if operators[name].get("function") == "split"] == [
        "q",
        "q.1",
        "q.2",
    ]
    assert edges_of(result) == {
        ("qkv", "q"), ("qkv", "q.1"), ("qkv", "q.2"),
        ("q", "s"), ("q.1", "s"), ("s", "y"), ("q.2", "y"),
    }  # fmt: skip


def test_what_computes_constants_is_no_operator(tmp_path):
    nodes = [
        node("MatMul", "x w", "y"),
        node("Shape", "y", "sizes"),
        node("Gather", "sizes zero", "first"),
        node("Concat", "first rest", "wanted", axis=0),
        node("Reshape", "y wanted", "z"),
        node("DequantizeLinear", "packed step", "v"),
        node("MatMul", "z v", "end"),
    ]
    weights = [
        weight("w", [7, 6]),
        small("zero", [0], INT64),
        small("rest", [2, 3], INT64),
        weight("packed", [3, 9], UINT8),
        small("step", 0.5, FLOAT),
    ]
    result = imported(tmp_path, nodes, [tensor("x", [5, 7])], [tensor("end", None)], weights)
    assert list(operators_of(result)) == ["y", "z", "end"]
    assert edges_of(result) == {("y", "z"), ("z", "end")}
    said = result.files["report.md"]
    assert "Constants, such as sizes of tensors, are computed by 4 nodes" in said


def test_convolutions_with_all_around_them(tmp_path):
    nodes = [
        node("Conv", "x w b", "c", pads=[1, 1, 1, 1]),
        node("BatchNormalization", "c g g g g", "n"),
        node("Relu", "n", "r"),
        node("Conv", "r d", "depthwise", group=8, strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", "r s", "grouped", group=2, strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Add", "depthwise grouped", "sum"),
        node("GlobalAveragePool", "sum", "pooled"),
        node("Flatten", "pooled", "flat"),
        node("Gemm", "flat f fb", "y", transB=1),
    ]
    weights = [
        weight("w", [8, 3, 3, 3]),
        weight("b", [8]),
        weight("g", [8]),
        weight("d", [8, 1, 3, 3]),
        weight("s", [8, 4, 3, 3]),
        weight("f", [10, 8]),
        weight("fb", [10]),
    ]
    result = imported(tmp_path, nodes, [tensor("x", [1, 3, 16, 16])], [tensor("y", None)], weights)
    assert chain(result, "c", "n", "r", "depthwise", "sum", "pooled", "flat", "y")
    assert chain(result, "r", "grouped.groups_I", "grouped", "grouped.joined", "sum")
    layers = {layer.name: layer.workload for layer in network_of(result).layers}
    assert layers["depthwise"].macs == 8 * 64 * 9
    assert layers["grouped"].dims == {
        "N": 1, "G": 2, "M": 4, "C": 4, "P": 8, "Q": 8, "R": 3, "S": 3
    }  # fmt: skip
    text = result.files["network.yaml"]
    assert "{operator: n, elementwise: batchnormalization, reads: [c], writes: n}" in text
    assert "{operator: pooled, other: globalaveragepool, shape: [1, 8, 1, 1]" in text


def test_a_border_that_no_filter_reaches_is_an_operator(tmp_path):
    nodes = [
        node("Conv", "x w", "c", pads=[2, 2, 2, 2]),
        node("ConvTranspose", "c v", "y", strides=[2, 2], pads=[3, 3, 3, 3]),
    ]
    weights = [weight("w", [4, 3, 1, 1]), weight("v", [4, 5, 2, 2])]
    result = imported(tmp_path, nodes, [tensor("x", [1, 3, 8, 8])], [tensor("y", None)], weights)
    assert edges_of(result) == {("c.pad", "c"), ("c", "y"), ("y", "y.crop")}
    assert network_of(result).macs == 12 * 144 + 20 * 144 * 4


def test_a_transposed_convolution_hands_on_what_is_left_of_it(tmp_path):
    nodes = [
        node("ConvTranspose", "x w", "up", strides=[2, 2], pads=[1] * 4, output_padding=[1, 1]),
        node("Conv", "up v", "y"),
    ]
    weights = [weight("w", [3, 4, 3, 3]), weight("v", [5, 4, 1, 1])]
    result = imported(tmp_path, nodes, [tensor("x", [1, 3, 8, 8])], [tensor("y", None)], weights)
    assert edges_of(result) == {("up", "y")}
    assert "up: [1, 4, 16, 16]" in result.files["network.yaml"]


def attention_node(with_past=False, **attributes):
    reads = ["q", "k", "v", "", "pk", "pv"] if with_past else ["q", "k", "v"]
    writes = ["y", "allk", "allv"] if with_past else ["y"]
    return helper.make_node("Attention", reads, writes, name="attn", **attributes)


@pytest.mark.parametrize(
    ("query", "key", "attributes"),
    [
        ([2, 10, 32], [2, 12, 32], {"q_num_heads": 4, "kv_num_heads": 4}),
        ([2, 10, 32], [2, 12, 16], {"q_num_heads": 4, "kv_num_heads": 2}),
        ([2, 4, 10, 8], [2, 4, 12, 8], {}),
        ([2, 4, 10, 8], [2, 2, 12, 8], {}),
    ],
)
def test_attention_is_scores_softmax_and_context(tmp_path, query, key, attributes):
    inputs = [tensor("q", query), tensor("k", key), tensor("v", key)]
    result = imported(
        tmp_path, [attention_node(**attributes)], inputs, [tensor("y", None)], opset=23
    )
    assert products_of(result) == [(12, 10, 8, 8), (8, 10, 12, 8)]
    assert chain(result, "attn_scores", "attn_softmax", "attn_context")


def test_attention_of_onnxruntime_has_its_projections(tmp_path):
    fused = helper.make_node(
        "Attention", ["x", "w"], ["y"], name="attn", domain="com.microsoft", num_heads=4
    )
    result = imported(
        tmp_path,
        [fused, node("MatMul", "y v", "z")],
        [tensor("x", [2, 10, 32])],
        [tensor("z", None)],
        [weight("w", [32, 96]), weight("v", [32, 5])],
        domains=["com.microsoft"],
    )
    assert products_of(result) == [
        (96, 20, 32, 1), (10, 10, 8, 8), (8, 10, 10, 8), (5, 20, 32, 1)
    ]  # fmt: skip
    for part in "qkv":
        assert chain(result, "attn_qkv", f"attn.{part}", f"attn.heads_{part}")
    assert chain(result, "attn_context", "attn.joined", "z")


def test_shapes_are_known_behind_operators_of_onnxruntime(tmp_path):
    def fused(op, reads, writes, **attributes):
        return helper.make_node(
            op, reads.split(), [writes], name=writes, domain="com.microsoft", **attributes
        )

    nodes = [
        fused("SkipLayerNormalization", "x x g", "n"),
        *(node("MatMul", f"n w{part}", part) for part in "qkv"),
        fused("MultiHeadAttention", "q k v", "a", num_heads=4),
        fused("MatMulNBits", "a packed scales", "m", N=48, K=32, bits=4, block_size=32),
        fused("FastGelu", "m", "gelu"),
        node("MatMul", "gelu down", "y"),
    ]
    weights = [
        weight("g", [32]),
        *(weight(f"w{part}", [32, 32]) for part in "qkv"),
        weight("packed", [48, 1, 16], UINT8),
        weight("scales", [48]),
        weight("down", [48, 5]),
    ]
    result = imported(
        tmp_path,
        nodes,
        [tensor("x", [1, 10, 32])],
        [tensor("y", None)],
        weights,
        domains=["com.microsoft"],
    )
    assert products_of(result) == [
        *[(32, 10, 32, 1)] * 3, (10, 10, 8, 4), (8, 10, 10, 4), (48, 10, 32, 1), (5, 10, 48, 1)
    ]  # fmt: skip
    assert chain(result, "n", "q", "a.heads_q", "a_scores", "a_softmax", "a_context", "a.joined")
    assert chain(result, "a.joined", "m", "gelu", "y")
    assert '"m.W": {shape: [48, 32], bits: 4}' in result.files["network.yaml"]


def test_names_of_operators_are_any_text(tmp_path):
    odd = helper.make_node("My: [Op]", ["y"], ["z"], name="null", domain="mine")
    outputs = [tensor("z", [5, 9])]
    result = imported(
        tmp_path,
        [node("MatMul", "x w", "y"), odd],
        [tensor("x", [5, 7])],
        outputs,
        [weight("w", [7, 9])],
        domains=["mine"],
    )
    assert operators_of(result)["null"]["function"] == "my: [op]"


def test_attention_reads_keys_and_values_of_the_past(tmp_path):
    inputs = [tensor(name, [1, 4, 1, 8]) for name in "qkv"]
    inputs += [tensor(name, [1, 4, 99, 8]) for name in ("pk", "pv")]
    outputs = [tensor(name, None) for name in ("y", "allk", "allv")]
    result = imported(tmp_path, [attention_node(with_past=True)], inputs, outputs, opset=23)
    assert products_of(result) == [(100, 1, 8, 4), (8, 1, 100, 4)]
    operators = operators_of(result)
    assert operators["attn.k_concat"]["reads"] == ["pk", "k"]
    assert chain(result, "attn.v_concat", "attn_context")


@pytest.mark.parametrize("layout", [0, 1])
def test_a_recurrent_layer_repeats_the_product_with_its_state(tmp_path, layout):
    shape = [2, 10, 8] if layout else [10, 2, 8]
    lstm = helper.make_node(
        "LSTM", ["x", "w", "r"], ["y", "h"], name="lstm", hidden_size=16, layout=layout
    )
    nodes = [node("Relu", "a", "x"), lstm, node("Relu", "y", "z")]
    result = imported(
        tmp_path,
        nodes,
        [tensor("a", shape)],
        [tensor("z", None)],
        [weight("w", [1, 64, 8]), weight("r", [1, 64, 16])],
    )
    assert chain(result, "x", "lstm_input", "lstm.step", "lstm.cell", "lstm", "z")
    assert chain(result, "lstm_state", "lstm.cell")
    graph = network_of(result).summary()["graph"]
    block = graph["blocks"][1]
    assert block["repeat"] == 10
    assert block["carries"] == [{"from": "lstm.state", "to": "lstm.first_state"}]
    assert products_of(result) == [(64, 20, 8, 1), (64, 2, 16, 10)]


def test_widths_are_those_of_the_tensors(tmp_path):
    nodes = [node("MatMulInteger", "x w", "y"), node("Cast", "y", "z", to=TensorProto.FLOAT16)]
    result = imported(
        tmp_path,
        nodes,
        [tensor("x", [5, 7], UINT8)],
        [tensor("z", None, TensorProto.FLOAT16)],
        [weight("w", [7, 9], UINT8)],
    )
    graph = network_of(result).summary()["graph"]
    assert {one["name"]: one["bits"] for one in graph["tensors"]} == {
        "x": 8, "w": 8, "y": 32, "z": 16
    }  # fmt: skip


@pytest.mark.parametrize(("opset", "axes"), [(11, "[1, 2]"), (13, "[2]")])
def test_softmax_changed_its_axes(tmp_path, opset, axes):
    nodes = [node("MatMul", "x w", "y"), node("Softmax", "y", "p")]
    result = imported(
        tmp_path,
        nodes,
        [tensor("x", [2, 5, 7])],
        [tensor("p", None)],
        [weight("w", [7, 9])],
        opset=opset,
    )
    assert f"normalize: softmax, axes: {axes}," in result.files["network.yaml"]


def test_what_has_no_known_shape_is_left_out(tmp_path):
    nodes = [
        node("MatMul", "x w", "y"),
        node("NonZero", "y", "places"),
        node("Transpose", "places", "turned"),
        node("Relu", "y", "z"),
    ]
    outputs = [tensor("turned", None, INT64), tensor("z", None)]
    result = imported(tmp_path, nodes, [tensor("x", [5, 7])], outputs, [weight("w", [7, 9])])
    assert list(operators_of(result)) == ["y", "z"]
    said = result.files["report.md"]
    assert "NonZero places: nothing is known of what it reads or writes" in said


def test_layers_of_one_shape_are_mapped_once(tmp_path, run_tool):
    nodes = [
        node("MatMul", "x a", "first"),
        node("Gemm", "first b", "second", transB=1),
        node("Reshape", "second stacked", "third"),
        node("MatMul", "third c", "y"),
    ]
    weights = [weight(name, [8, 8]) for name in "abc"] + [small("stacked", [1, 4, 8], INT64)]
    result = imported(tmp_path, nodes, [tensor("x", [4, 8])], [tensor("y", None)], weights)
    path = tmp_path / "network.yaml"
    path.write_text(result.files["network.yaml"], encoding="utf-8")
    words = ("map", "-a", "toy_array", "--mapper", "quickflow", "--json", "-q")
    out, said, code = run_tool(*words, "--model", str(path))
    assert code == 0, said
    assert [layer["same_as"] for layer in json.loads(out)["layers"]] == [1, 1, 1]


@given(data=st.data())
def test_random_models_keep_their_edges(tmp_path, data):
    """Products and other nodes in any order on tensors of one shape."""
    names, nodes, weights = ["x"], [], []
    expected: set[tuple[str, str]] = set()
    for number in range(data.draw(st.integers(1, 8))):
        op = data.draw(st.sampled_from(["MatMul", "Relu", "Add", "Softmax", "Transpose"]))
        arity = 2 if op == "Add" else 1
        reads = [data.draw(st.sampled_from(names)) for _ in range(arity)]
        expected |= {(read, f"t{number}") for read in reads if read != "x"}
        if op == "MatMul":
            weights.append(weight(f"w{number}", [6, 6]))
            reads.append(f"w{number}")
        nodes.append(node(op, " ".join(reads), f"t{number}"))
        names.append(f"t{number}")
    products = sum(one.op_type == "MatMul" for one in nodes)
    outputs = [tensor(name, None) for name in names[1:]]
    if products == 0:
        with pytest.raises(tw.InputError, match="nothing to map"):
            imported(tmp_path, nodes, [tensor("x", [6, 6])], outputs, weights)
        return
    result = imported(tmp_path, nodes, [tensor("x", [6, 6])], outputs, weights)
    assert edges_of(result) == expected
    assert network_of(result).macs == products * 6**3


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([("Relu", "b", "a"), ("Relu", "a", "b")], "node a reads b before it is written"),
        ([("Relu", "a", "a")], "node a reads a before it is written"),
        ([("Relu", "x", "a"), ("Neg", "x", "a")], "two nodes write a"),
        ([("MatMul", "x w", "a"), ("MatMul", "a u", "b")], "its shapes do not fit together"),
    ],
)
def test_graphs_that_are_none(tmp_path, nodes, said):
    weights = [weight("w", [7, 9]), weight("u", [7, 9])]
    with pytest.raises(tw.InputError, match=said):
        imported(
            tmp_path,
            [node(*one) for one in nodes],
            [tensor("x", [5, 7])],
            [tensor("a", None)],
            weights,
        )


def test_einsums_spread_axes_of_one_element(tmp_path):
    nodes = [
        node("Einsum", "x y", "z", equation="bik,bkj->bij"),
        node("Einsum", "x x", "d", equation="bik,bik->"),
        node("Einsum", "x y", "e", equation="...ik,...kj->...ij"),
    ]
    result = imported(
        tmp_path,
        nodes,
        [tensor("x", [1, 5, 7]), tensor("y", [3, 7, 9])],
        [tensor(name, None) for name in "zde"],
    )
    assert [layer.workload.macs * layer.count for layer in network_of(result).layers] == [
        3 * 5 * 7 * 9, 35, 3 * 5 * 7 * 9
    ]  # fmt: skip
