"""Plain files of ZigZag."""

from __future__ import annotations

import pathlib

import pytest

import tilewright as tw
from tilewright.importers.zigzag.convert import import_zigzag

ACCELERATOR = """
name: mine
memories:
  weights_rf:
    size: 64
    r_cost: 0.5
    w_cost: 0.75
    area: 0
    latency: 1
    operands: [I2]
    ports:
      - {name: r, type: read, bandwidth_min: 8, bandwidth_max: 8, allocation: ["I2, tl"]}
      - {name: w, type: write, bandwidth_min: 8, bandwidth_max: 8, allocation: ["I2, fh"]}
    served_dimensions: []
  sums_rf:
    size: 256
    r_cost: 1
    w_cost: 1.5
    operands: [O]
    ports:
      - {name: rw, type: read_write, bandwidth_min: 16, bandwidth_max: 16, allocation: []}
    served_dimensions: [D1]
  dram:
    size: 1000000
    r_cost: 100
    operands: [I1, I2, O]
    ports:
      - {name: rw, type: read_write, bandwidth_min: 8, bandwidth_max: 64, allocation: []}
    served_dimensions: [D1, D2]
operational_array: {unit_energy: 0.04, unit_area: 1, dimensions: [D1, D2], sizes: [4, 8]}
"""
LAYERS = """
- id: 0
  name: first
  operator_type: Conv
  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]
  dimension_relations: [ix=2*ox+1*fx, iy=2*oy+fy]
  loop_dims: [B, K, C, OY, OX, FY, FX]
  loop_sizes: [1, 16, 3, 10, 7, 5, 3]
  operand_precision: {O: 16, O_final: 8, W: 4, I: 8}
  operand_source: {I: 0, W: 0}
- {id: 1, operator_type: Add, equation: "O[b][k]=X[b][k]+Y[b][k]", loop_dims: [B, K],
   loop_sizes: [1, 16], operand_precision: {O: 16, O_final: 8}}
- {id: 2, operator_type: Gemm, equation: "O[c][k] += A[c][d] * B[d][k]", loop_dims: [C, K, D],
   loop_sizes: [2, 3, 4], operand_precision: {O: 16, O_final: 8}}
"""


def imported(folder: pathlib.Path, text: str):
    path = folder / "input.yaml"
    path.write_text(text, encoding="utf-8")
    return import_zigzag([path])


def test_an_accelerator_is_a_chain_of_levels(tmp_path):
    result = imported(tmp_path, ACCELERATOR)
    arch = tw.Architecture.from_yaml(result.files["architecture.yaml"])
    assert list(arch.levels) == ["dram", "D2", "sums_rf", "D1", "weights_rf", "multiplier"]
    assert arch.compute_instances == 32
    levels = {level["name"]: level for level in arch.summary()["levels"]}
    assert levels["dram"]["capacity"] == {"bits": 1000000}
    assert levels["dram"]["shared_words_per_cycle"] == 8
    assert levels["sums_rf"]["keep"] == ["output"]
    assert levels["weights_rf"]["write_pj"] == 0.75
    approximated = [line.what for line in result.report.of("approximated")]
    assert "w_cost of dram" in approximated
    assert tw.map(arch, "gemm: m=8 n=8 k=8", mapper="quickflow").cycles >= 16


def test_memories_that_are_no_chain_are_refused(tmp_path):
    text = ACCELERATOR.replace("served_dimensions: []", "served_dimensions: [D2]")
    with pytest.raises(tw.InputError, match="repeated along different dimensions"):
        imported(tmp_path, text)
    with pytest.raises(tw.InputError, match="computing in memory"):
        imported(tmp_path, ACCELERATOR.replace("{unit_energy", "{is_imc: True, unit_energy"))
    with pytest.raises(tw.InputError, match="neither an accelerator nor a workload"):
        imported(tmp_path, "architecture: mine\n")


def test_layers_are_workloads(tmp_path):
    result = imported(tmp_path, LAYERS)
    first = tw.Workload.from_yaml(result.files["first.yaml"])
    assert first.einsum == "O[b,k,oy,ox] += W[k,c,fy,fx]*I[b,c,2*oy+fy,2*ox+fx]"
    assert first.macs == 16 * 3 * 70 * 15
    assert {t["name"]: t["bits"] for t in first.summary()["tensors"]} == {"W": 4, "I": 8, "O": 16}
    assert tw.Workload.from_yaml(result.files["layer2.yaml"]).macs == 24
    assert "layer1.yaml" not in result.files
    assert any("Add layer1" in line.what for line in result.report.of("left out"))


def test_the_command(tmp_path, run_tool):
    path = tmp_path / "layers.yaml"
    path.write_text(LAYERS, encoding="utf-8")
    out, said, code = run_tool("import", "zigzag", str(path), "-o", str(tmp_path / "out"))
    assert (said, code) == ("", 0)
    assert "first.yaml" in out
