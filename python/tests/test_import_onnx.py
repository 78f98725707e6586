"""Networks in ONNX: every operator, sizes that are left open, damaged files."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper
from onnx_models import (
    FLOAT,
    INT8,
    UINT8,
    imported,
    model,
    network_of,
    operators_of,
    products_of,
    small,
    tensor,
    weight,
)

import tilewright as tw
from tilewright.importers.onnx.convert import import_onnx


def test_height_and_width_are_not_mixed_up(tmp_path):
    node = helper.make_node(
        "Conv",
        ["x", "w"],
        ["y"],
        name="first",
        kernel_shape=[10, 4],
        strides=[2, 1],
        pads=[5, 1, 5, 1],
    )
    result = imported(
        tmp_path,
        [node],
        [tensor("x", [1, 1, 49, 10])],
        [tensor("y", None)],
        [weight("w", [64, 1, 10, 4])],
    )
    (layer,) = network_of(result).layers
    assert layer.workload.dims == {"N": 1, "M": 64, "C": 1, "P": 25, "Q": 9, "R": 10, "S": 4}
    assert "I[N,C,2*P+R,Q+S]" in layer.workload.einsum
    assert "pads 5 1 5 1" in layer.note
    assert network_of(result).macs == 64 * 25 * 9 * 40


CONVOLUTIONS = {
    "1-D": ("Conv", [2, 8, 50], [16, 8, 5], {}, "NMCPR", 2 * 16 * 8 * 46 * 5),
    "groups": ("Conv", [1, 8, 10, 10], [16, 4, 3, 3], {"group": 2}, "NGMCPQRS", 16 * 4 * 64 * 9),
    "depthwise": ("Conv", [1, 8, 10, 12], [8, 1, 3, 3], {"group": 8}, "NGPQRS", 8 * 80 * 9),
    "dilated": (
        "Conv",
        [1, 4, 12, 12],
        [4, 4, 3, 3],
        {"dilations": [2, 3]},
        "NMCPQRS",
        16 * 8 * 6 * 9,
    ),
    "same": (
        "Conv",
        [1, 4, 13, 12],
        [4, 4, 3, 3],
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        "NMCPQRS",
        16 * 7 * 6 * 9,
    ),
    "transposed": (
        "ConvTranspose",
        [1, 8, 7, 5],
        [8, 4, 3, 2],
        {"strides": [2, 2]},
        "NMCPQRS",
        8 * 4 * 35 * 6,
    ),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions(tmp_path, case):
    op, shape, kernel, attributes, dims, macs = CONVOLUTIONS[case]
    node = helper.make_node(op, ["x", "w"], ["y"], **attributes)
    result = imported(
        tmp_path, [node], [tensor("x", shape)], [tensor("y", None)], [weight("w", kernel)]
    )
    (layer,) = network_of(result).layers
    assert list(layer.workload.dims) == list(dims)
    assert layer.workload.macs == macs


def test_a_convolution_of_three_dimensions(tmp_path):
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="c3", strides=[1, 2, 2], group=2)
    result = imported(
        tmp_path,
        [node],
        [tensor("x", [1, 4, 6, 9, 9])],
        [tensor("y", None)],
        [weight("w", [8, 2, 3, 3, 3])],
    )
    assert network_of(result).macs == 8 * 2 * 4 * 4 * 4 * 27


PRODUCTS = {
    "Gemm": ("Gemm", [5, 7], [9, 7], {"transB": 1}, [(9, 5, 7, 1)]),
    "Gemm of a transposed input": ("Gemm", [7, 5], [7, 9], {"transA": 1}, [(9, 5, 7, 1)]),
    "one weight for a stack": ("MatMul", [2, 3, 5, 7], [7, 9], {}, [(9, 30, 7, 1)]),
    "a stack of one": ("MatMul", [1, 5, 7], [7, 9], {}, [(9, 5, 7, 1)]),
    "a stack of rows": ("MatMul", [5, 1, 7], [7, 9], {}, [(9, 5, 7, 1)]),
    "a vector": ("MatMul", [7], [7, 9], {}, [(9, 1, 7, 1)]),
    "einsum": ("Einsum", [2, 5, 7], [9, 7], {"equation": "bik,jk->bij"}, [(9, 10, 7, 1)]),
    "einsum with dots": (
        "Einsum",
        [2, 3, 5, 7],
        [9, 7],
        {"equation": "...ik,jk->...ij"},
        [(9, 30, 7, 1)],
    ),
}


@pytest.mark.parametrize("case", PRODUCTS)
def test_products_with_weights(tmp_path, case):
    op, shape, other, attributes, expected = PRODUCTS[case]
    node = helper.make_node(op, ["x", "w"], ["y"], **attributes)
    result = imported(
        tmp_path, [node], [tensor("x", shape)], [tensor("y", None)], [weight("w", other)]
    )
    assert products_of(result) == expected


def test_stacks_of_products_without_weights(tmp_path):
    nodes = [
        helper.make_node("MatMul", ["q", "k"], ["s"]),
        helper.make_node("Softmax", ["s"], ["p"]),
        helper.make_node("MatMul", ["p", "v"], ["o"]),
    ]
    inputs = [
        tensor("q", [1, 8, 128, 64]),
        tensor("k", [1, 8, 64, 100]),
        tensor("v", [1, 8, 100, 32]),
    ]
    result = imported(tmp_path, nodes, inputs, [tensor("o", None)])
    assert products_of(result) == [(100, 128, 64, 8), (32, 128, 100, 8)]
    assert "| Softmax | 1 | 102,400 |" in result.files["report.md"]


def test_quantised_operators(tmp_path):
    nodes = [
        helper.make_node("QLinearConv", "x s0 z0 w s0 zw s0 z0".split(), ["y"]),
        helper.make_node("MatMulInteger", ["a", "b"], ["c"]),
        helper.make_node("ConvInteger", ["x", "w"], ["d"]),
        helper.make_node("QLinearMatMul", "a s0 z0 b s0 zw s0 z0".split(), ["e"]),
    ]
    weights = [
        small("s0", 0.5, FLOAT),
        small("z0", 0, UINT8),
        small("zw", 0, INT8),
        weight("w", [4, 3, 3, 3], INT8),
        weight("b", [7, 9], INT8),
    ]
    inputs = [tensor("x", [1, 3, 8, 8], UINT8), tensor("a", [5, 7], UINT8)]
    outputs = [
        tensor(name, None, kind)
        for name, kind in (
            ("y", UINT8),
            ("c", TensorProto.INT32),
            ("d", TensorProto.INT32),
            ("e", UINT8),
        )
    ]
    result = imported(tmp_path, nodes, inputs, outputs, weights)
    bits = {
        layer.name: [one["bits"] for one in layer.workload.summary()["tensors"]]
        for layer in network_of(result).layers
    }
    assert bits == {"y": [8, 8, 8], "c": [8, 8, 32], "d": [8, 8, 32], "e": [8, 8, 8]}


@pytest.mark.parametrize(("op", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrent_layers(tmp_path, op, gates):
    node = helper.make_node(op, ["x", "w", "r"], ["y"], hidden_size=16, direction="bidirectional")
    result = imported(
        tmp_path,
        [node],
        [tensor("x", [10, 2, 8])],
        [tensor("y", None)],
        [weight("w", [2, gates * 16, 8]), weight("r", [2, gates * 16, 16])],
    )
    assert products_of(result) == [(gates * 16, 20, 8, 2), (gates * 16, 2, 16, 20)]


def test_attention(tmp_path):
    node = helper.make_node("Attention", ["q", "k", "v"], ["y"], q_num_heads=4, kv_num_heads=2)
    inputs = [tensor("q", [2, 10, 32]), tensor("k", [2, 12, 16]), tensor("v", [2, 12, 16])]
    result = imported(tmp_path, [node], inputs, [tensor("y", None)], opset=23)
    assert products_of(result) == [(12, 10, 8, 8), (8, 10, 12, 8)]


def test_sizes_that_are_left_open(tmp_path, run_tool):
    node = helper.make_node("MatMul", ["x", "w"], ["y"], name="dense")
    path = model(
        tmp_path / "net.onnx",
        [node],
        [tensor("x", ["batch", 7])],
        [tensor("y", None)],
        [weight("w", [7, 9])],
    )
    out, said, code = run_tool("import", "onnx", str(path), "-o", str(tmp_path / "out"))
    assert (out, code) == ("", 2)
    assert said == (
        f"{path}: node dense (MatMul): the shape of x is not known; "
        "give the sizes of its inputs: --size batch=1\n"
    )
    out, said, code = run_tool(
        "import", "onnx", str(path), "-o", str(tmp_path / "out"), "--size", "batch=3"
    )
    assert (said, code) == ("", 0)
    network = tw.Network(str(tmp_path / "out" / "network.yaml"))
    assert network.macs == 3 * 63
    with pytest.raises(tw.InputError, match="no such size; its sizes are batch"):
        import_onnx(path, {"bach": 3})


def test_layers_of_one_name_and_branches_are_told(tmp_path):
    nodes = [helper.make_node("MatMul", ["x", "w"], [name], name="a/b") for name in "yz"]
    result = imported(
        tmp_path,
        nodes,
        [tensor("x", [5, 7])],
        [tensor("y", None), tensor("z", None)],
        [weight("w", [7, 9])],
    )
    assert list(operators_of(result)) == ["a.b", "a.b_2"]


def test_files_that_are_no_models(tmp_path):
    node = helper.make_node("Relu", ["x"], ["y"])
    path = model(tmp_path / "relu.onnx", [node], [tensor("x", [4])], [tensor("y", None)])
    with pytest.raises(tw.InputError, match="nothing to map"):
        import_onnx(path)
    for data in (b"", b"\x00" * 100, b"architecture: a\n", b"\xff" * 1000):
        path.write_bytes(data)
        with pytest.raises(tw.InputError):
            import_onnx(path)
    with pytest.raises(tw.InputError, match="cannot be read"):
        import_onnx(tmp_path / "missing.onnx")


@pytest.mark.parametrize("name", ["conv_weight", "conv_node"])
def test_names_that_are_no_text(tmp_path, name):
    node = helper.make_node("Conv", ["x", "conv_weight"], ["y"], name="conv_node")
    path = model(
        tmp_path / "net.onnx",
        [node],
        [tensor("x", [1, 3, 8, 8])],
        [tensor("y", None)],
        [weight("conv_weight", [4, 3, 3, 3])],
    )
    path.write_bytes(path.read_bytes().replace(name.encode(), name.encode()[:-1] + b"\x80"))
    with pytest.raises(tw.InputError, match=r"graph\.node\.\w+ is not text in UTF-8"):
        import_onnx(path)


@given(data=st.data())
def test_damaged_models_end_in_a_message(tmp_path, data):
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["y"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Flatten", ["y"], ["f"]),
        helper.make_node("Gemm", ["f", "g"], ["z"], transB=1),
    ]
    path = model(
        tmp_path / "net.onnx",
        nodes,
        [tensor("x", [1, 3, 8, 8])],
        [tensor("z", None)],
        [weight("w", [4, 3, 3, 3]), weight("g", [10, 64])],
    )
    bytes_ = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        bytes_ = bytes_[: data.draw(st.integers(0, len(bytes_)))]
    else:
        for _ in range(data.draw(st.integers(1, 4))):
            bytes_[data.draw(st.integers(0, len(bytes_) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(bytes_))
    try:
        assert "report.md" in import_onnx(path).files
    except tw.InputError as error:
        assert error.problems


def layer_node(row: dict[str, str], number: int):
    """A layer of a shipped network as a node, with its input and its weight."""
    size = {key: int(row[key] or 1) for key in "N M C P Q R S groups".split() if row.get(key)}
    names = [f"x{number}", f"w{number}"]
    if row["op"] == "gemm":
        columns = size["N"] * size["P"] * size["Q"]
        node = helper.make_node("MatMul", names, [f"y{number}"], name=row["layer"])
        return node, [columns, size["C"]], [size["C"], size["M"]]
    groups = size["C"] if row["op"] == "dwconv" else size.get("groups", 1)
    steps = [int(row.get(key) or 1) for key in ("stride_h", "stride_w")]
    gaps = [int(row.get(key) or 1) for key in ("dilation_h", "dilation_w")]
    transposed = row.get("transposed") == "true"
    kernel, places = (size["R"], size["S"]), (size["P"], size["Q"])
    spread = [
        (p - 1) * s + (r - 1) * d + 1
        for p, s, r, d in zip(places, steps, kernel, gaps, strict=True)
    ]
    weights = [size["M"], size["C"] // groups, *kernel]
    if transposed:
        spread, weights = list(places), [size["C"], size["M"] // groups, *kernel]
    op = "ConvTranspose" if transposed else "Conv"
    node = helper.make_node(
        op, names, [f"y{number}"], name=row["layer"], group=groups, strides=steps, dilations=gaps
    )
    return node, [size["N"], size["C"], *spread], weights


LISTS = [name for name in tw.networks() if "layers" in tw.Network(name).to_dict()]


@pytest.mark.parametrize("name", LISTS)
def test_shipped_networks_come_back(checkout, tmp_path, name):
    text = (checkout / "models" / f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))
    made = [layer_node(row, number) for number, row in enumerate(rows)]
    result = imported(
        tmp_path,
        [node for node, _, _ in made],
        [tensor(f"x{number}", shape) for number, (_, shape, _) in enumerate(made)],
        [tensor(f"y{number}", None) for number in range(len(made))],
        [weight(f"w{number}", shape) for number, (_, _, shape) in enumerate(made)],
    )
    back = network_of(result)
    for layer, again in zip(tw.Network(name), back, strict=True):
        assert again.workload.macs == layer.workload.macs, layer.name


def test_load_gives_the_network(tmp_path):
    node = helper.make_node("MatMul", ["x", "w"], ["y"], name="dense")
    path = model(
        tmp_path / "net.onnx",
        [node],
        [tensor("x", ["batch", 7])],
        [tensor("y", None)],
        [weight("w", [7, 9])],
    )
    loaded = tw.load(path, size={"batch": 4})
    assert loaded.network is not None
    assert loaded.network.macs == 4 * 63
    assert "multiply-accumulates" in loaded.report


def test_the_tool_maps_a_model(tmp_path, run_tool):
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y"], name="dense"),
        helper.make_node("Conv", ["i", "v"], ["o"], name="solid"),
    ]
    inputs = [tensor("x", ["batch", 7]), tensor("i", [1, 1, 3, 3, 3])]
    path = model(
        tmp_path / "net.onnx",
        nodes,
        inputs,
        [tensor("y", None), tensor("o", None)],
        [weight("w", [7, 9]), weight("v", [1, 1, 2, 2, 2])],
    )
    words = ("map", "-a", "toy_array", "--mapper", "quickflow", "--csv", "-", "-q")
    out, said, code = run_tool(*words, "--model", str(path), "--size", "batch=4")
    assert code == 0, said
    found = [line.split(",")[:3] for line in out.splitlines()][1:]
    assert found == [["dense", "1", "252"], ["solid", "1", "64"]]
    out, said, code = run_tool(*words, f"--model={path}")
    assert (out, code) == ("", 2)
    assert "--size batch=1" in said


def test_a_transposed_convolution_of_three_dimensions_slides_over_the_output(tmp_path):
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], name="up", strides=[2, 2, 2])
    result = imported(
        tmp_path,
        [node],
        [tensor("x", [1, 4, 5, 6, 7])],
        [tensor("y", None)],
        [weight("w", [4, 3, 2, 2, 2])],
    )
    (layer,) = network_of(result).layers
    assert layer.workload.macs == 4 * 3 * (5 * 6 * 7) * 8
    assert "O[N,M,2*P+R,2*Q+S,2*U+T]" in layer.workload.einsum


@pytest.mark.parametrize(("equation", "macs"), [("i,i", 8), ("ij,jk", 8 * 8 * 8)])
def test_an_einsum_may_leave_its_output_out(tmp_path, equation, macs):
    shape = [8] * (len(equation) // 2)
    node = helper.make_node("Einsum", ["x", "y"], ["z"], name="product", equation=equation)
    result = imported(
        tmp_path, [node], [tensor("x", shape), tensor("y", shape)], [tensor("z", None)]
    )
    assert f"{macs:,} multiply-accumulates" in result.files["report.md"]


def test_a_diagonal_is_no_contraction(tmp_path):
    nodes = [
        helper.make_node("Einsum", ["x"], ["d"], name="diagonal", equation="ii->i"),
        helper.make_node("MatMul", ["x", "w"], ["y"], name="dense"),
    ]
    outputs = [tensor("d", None), tensor("y", None)]
    result = imported(tmp_path, nodes, [tensor("x", [4, 4])], outputs, [weight("w", [4, 9])])
    assert [layer.name for layer in network_of(result).layers] == ["dense"]


def test_contractions_inside_branches_are_named(tmp_path):
    inner = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["in_branch"], name="hidden")],
        "then",
        [],
        [tensor("in_branch", [4, 9])],
    )
    other = helper.make_graph(
        [helper.make_node("Identity", ["b"], ["as_it_is"])],
        "else",
        [],
        [tensor("as_it_is", [4, 9])],
    )
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["b"], name="dense"),
        helper.make_node("If", ["c"], ["y"], name="choice", then_branch=inner, else_branch=other),
    ]
    inputs = [tensor("x", [4, 7]), tensor("c", [], TensorProto.BOOL)]
    result = imported(tmp_path, nodes, inputs, [tensor("y", None)], [weight("w", [7, 9])])
    assert [layer.name for layer in network_of(result).layers] == ["dense"]
    report = result.files["report.md"]
    assert "contractions inside it are not read: MatMul hidden" in report
