"""Models in ONNX, fused: attention, MLPs and blocks of convolutions are found as frameworks export them."""

from __future__ import annotations

import json

import pytest
from onnx_models import FLOAT, INT64, imported, model, node, small, tensor, transformer, weight

import tilewright as tw

CHIP = {"architecture": "chip", "levels": [
    {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
    {"memory": "Buffer", "capacity": "65536 words", "read": "3 pJ"},
    {"memory": "Registers", "capacity": "16 words", "read": "0.1 pJ"},
    {"compute": "MAC", "energy": "0.2 pJ"}]}  # fmt: skip


def parts_of(path, sizes=None):
    """The contractions of each part."""
    result = tw.fuse(CHIP, model=tw.Network(str(path), sizes) if sizes else path)
    assert result.energy_pj <= result.unfused_pj * (1 + 1e-9)
    return [[name for group in part["groups"] for name in group] for part in result.parts]


@pytest.mark.parametrize("batch", [1, 3])
def test_a_transformer_block_is_one_part(tmp_path, batch):
    transformer(tmp_path, batch)
    parts = parts_of(tmp_path / "net.onnx")
    assert parts == [["q", "k", "v", "scores", "mixed", "projected", "wide", "narrow"]]


def attention_of_flat_rows(path):
    """Rows of all sequences in one matrix, Gemm with biases, heads split and joined, a mask."""
    shapes = {"heads": [2, 6, 4, 4], "rows": [12, 16]}
    nodes = [
        *(node("Gemm", f"x w{part} b", part, transB=1) for part in "qkv"),
        *(node("Reshape", f"{part} heads", f"{part}h") for part in "qkv"),
        *(node("Transpose", f"{part}h", f"{part}t", perm=[0, 2, 1, 3]) for part in "qkv"),
        node("Transpose", "kt", "ktt", perm=[0, 1, 3, 2]),
        node("MatMul", "qt ktt", "scores"),
        node("Div", "scores root", "scaled"),
        node("Add", "scaled mask", "masked"),
        node("Softmax", "masked", "shares", axis=-1),
        node("MatMul", "shares vt", "mixed"),
        node("Transpose", "mixed", "back", perm=[0, 2, 1, 3]),
        node("Reshape", "back rows", "joined"),
        node("Gemm", "joined wo b", "y", transB=1),
    ]
    weights = [
        *(weight(f"w{part}", [16, 16]) for part in "qkvo"),
        weight("b", [16]),
        small("root", 2.0, FLOAT),
        *(small(name, shape, INT64) for name, shape in shapes.items()),
    ]
    inputs = [tensor("x", [12, 16]), tensor("mask", [2, 1, 1, 6])]
    return model(path, nodes, inputs, [tensor("y", None)], weights, opset=20)


def test_rows_of_several_sequences_are_split_like_heads(tmp_path):
    path = attention_of_flat_rows(tmp_path / "flat.onnx")
    assert parts_of(path) == [["q", "k", "v", "scores", "mixed", "y"]]


def test_a_multilayer_perceptron_of_open_size(tmp_path):
    nodes = [
        node("Gemm", "x w1 b1", "up", transB=1),
        node("Relu", "up", "active"),
        node("Gemm", "active w2 b2", "down", transB=1),
    ]
    weights = [weight("w1", [64, 32]), weight("b1", [64]), weight("w2", [32, 64]), weight("b2", [32])]
    path = model(tmp_path / "mlp.onnx", nodes, [tensor("x", ["batch", 32])],
                 [tensor("down", None)], weights)  # fmt: skip
    assert parts_of(path, {"batch": 8}) == [["up", "down"]]
    with pytest.raises(tw.InputError, match="batch"):
        tw.fuse(CHIP, model=path)
    with pytest.raises(tw.InputError, match="whole numbers"):
        tw.Network(str(path), {"batch": "many"})


def convolutions(tmp_path):
    """A bottleneck with its shortcut, and the convolution behind it."""
    nodes = [
        node("Conv", "x w1", "a", kernel_shape=[1, 1]),
        node("Relu", "a", "ar"),
        node("Conv", "ar w2", "b", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
        node("Relu", "b", "br"),
        node("Conv", "br w3", "c", kernel_shape=[1, 1]),
        node("Add", "x c", "sum"),
        node("Relu", "sum", "out"),
        node("Conv", "out w4", "d", kernel_shape=[1, 1]),
    ]
    shapes = {"w1": [4, 8, 1, 1], "w2": [4, 4, 3, 3], "w3": [8, 4, 1, 1], "w4": [4, 8, 1, 1]}
    weights = [weight(name, shape) for name, shape in shapes.items()]
    imported(tmp_path, nodes, [tensor("x", [1, 8, 4, 4])], [tensor("d", None)], weights)
    return tmp_path / "net.onnx"


def test_blocks_of_convolutions_go_on_behind_their_shortcuts(tmp_path):
    assert parts_of(convolutions(tmp_path)) == [["a", "b", "c", "d"]]


def test_the_tool_imports_what_it_fuses(tmp_path, run_tool):
    path = convolutions(tmp_path)
    arch = tmp_path / "chip.yaml"
    arch.write_text(json.dumps(CHIP), encoding="utf-8")
    out, _, code = run_tool("fuse", "-a", str(arch), "--model", str(path), "--json", "--quiet")
    assert code == 0
    said = json.loads(out)
    assert said["energy_pj"] == pytest.approx(tw.fuse(CHIP, model=path).energy_pj)
    assert said["energy_pj"] < said["unfused_pj"]
