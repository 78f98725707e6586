"""Plain files of AccelForge."""

from __future__ import annotations

import pathlib

import pytest

import tilewright as tw
from tilewright.importers.accelforge.convert import import_accelforge

ARCH = """
{% set SIZE = SIZE | default(1024) %}
arch:
  nodes:
  - !Memory
    name: Main
    size: inf
    tensors: {keep: ~Intermediates, may_keep: All}
    actions:
    - {name: read, energy: 8e-12, throughput: 8 * 4e9}
    - {name: write, energy: 8e-12, throughput: 8 * 4e9}
  - !Memory
    name: Buffer
    size: {{SIZE}} * 8
    leak_power: 1e-3
    area: 2e-8
    total_latency: max(a.n_calls / a.throughput for a in actions)
    tensors: {keep: input | output, may_keep: All}
    actions:
    - {name: read, energy: 1e-12, bits_per_action: 32, throughput: 1e9}
    - {name: write, energy: 2e-12, bits_per_action: 32, throughput: 5e8}
  - !Compute
    name: Scalar
    enabled: len(All) == 2
  - !Container
    name: PE
    spatial:
    - {name: X, fanout: 4, reuse: input, min_usage: 1}
    - {name: Y, fanout: 2}
  - !Memory
    name: Register
    size: weight.bits_per_value if weight else 0
    tensors: {keep: ~Buffer}
  - !Compute
    name: MAC
    actions: [{name: compute, energy: 5e-13, throughput: 1e9}]
"""
WORKLOAD = """
workload:
  rank_sizes: {M: 16, N0: 4 * M}
  iteration_space_shape: {n1: 0 <= n1 < 8, p: 0 <= p < 5}
  bits_per_value: {All: 8}
  einsums:
  - name: Product
    tensor_accesses:
    - {name: A, projection: [m, n0]}
    - {name: B, projection: [n0, n1], bits_per_value: 4}
    - {name: C, projection: [m, n1], output: True}
    renames: {input: A, weight: B, output: C}
  - name: Window
    tensor_accesses:
    - {name: I, projection: {W: 2*p + r}}
    - {name: F, projection: {R: r}}
    - {name: O, projection: {P: p}, output: True}
    iteration_space_shape: [0 <= r < 3]
  - name: Copy
    is_copy_operation: True
    tensor_accesses: [{name: I, projection: [m]}, {name: J, projection: [m], output: True}]
"""


def imported(folder: pathlib.Path, text: str, **more):
    path = folder / "input.yaml"
    path.write_text(text, encoding="utf-8")
    return import_accelforge([path], **more)


def test_an_architecture(tmp_path):
    result = imported(tmp_path, ARCH, defines={"SIZE": 512})
    arch = tw.Architecture.from_yaml(result.files["architecture.yaml"])
    assert list(arch.levels) == ["Main", "Buffer", "PE_X_Y", "Register", "MAC"]
    levels = {level["name"]: level for level in arch.summary()["levels"]}
    main, buffer, register = levels["Main"], levels["Buffer"], levels["Register"]
    assert (main["read_pj"], main["shared_words_per_cycle"]) == (64, 4)
    assert (buffer["capacity"], buffer["block_words"]) == ({"bits": 4096}, 4)
    assert (buffer["read_pj"], buffer["write_pj"]) == (1, 2)
    assert (buffer["read_words_per_cycle"], buffer["write_words_per_cycle"]) == (4, 2)
    assert (buffer["leakage_pj_per_cycle"], buffer["area_um2"]) == (1, 20000)
    assert (buffer["keep"], buffer["free"]) == (["input", "output"], ["weight"])
    assert (register["capacity"], register["keep"]) == ({"bits": 8}, ["weight"])
    assert levels["MAC"]["mac_pj"] == 0.5
    approximated = "\n".join(line.what for line in result.report.of("approximated"))
    for part in ("reuse of X at PE", "min_usage of X at PE", "read energy of Register"):
        assert part in approximated


def test_einsums_are_workloads(tmp_path):
    result = imported(tmp_path, WORKLOAD)
    product = tw.Workload.from_yaml(result.files["Product.yaml"])
    assert product.einsum == "C[m,n1] += A[m,n0]*B[n0,n1]"
    assert product.macs == 16 * 64 * 8
    tensors = {t["name"]: (t["role"], t["bits"]) for t in product.summary()["tensors"]}
    assert tensors == {"A": ("input", 8), "B": ("weight", 4), "C": ("output", 8)}
    window = tw.Workload.from_yaml(result.files["Window.yaml"])
    assert window.einsum == "O[p] += I[2*p+r]*F[r]"
    assert "Copy.yaml" not in result.files


CHAIN = """
workload:
  rank_sizes: {M: 16, N: 32, K: 8, P: 4}
  bits_per_value: {All: 8}
  einsums:
  - name: Up
    tensor_accesses:
    - {name: A, projection: [m, k]}
    - {name: W, projection: [k, n]}
    - {name: B, projection: [m, n], output: True}
    renames: {input: A, weight: W, output: B}
  - name: Down
    tensor_accesses:
    - {name: B, projection: [m, n]}
    - {name: V, projection: [n, p]}
    - {name: C, projection: [m, p], output: True}
    renames: {input: B, weight: V, output: C}
"""


def test_einsums_that_hand_on_are_a_cascade(tmp_path):
    text = imported(tmp_path, CHAIN).files["cascade.yaml"]
    cascade = tw.Cascade.from_yaml(text)
    assert cascade.einsums == {"Up": "B[m,n] += A[m,k]*W[k,n]", "Down": "C[m,p] += B[m,n]*V[n,p]"}
    arch = ARCH.replace("    leak_power: 1e-3\n", "").replace("bits_per_action: 32, ", "")
    on = tw.Architecture.from_yaml(imported(tmp_path, arch).files["architecture.yaml"])
    result = tw.fuse(on, cascade)
    assert result.proven
    assert result.energy_pj < result.unfused_pj
    assert "cascade.yaml" not in imported(tmp_path, WORKLOAD).files, "nobody reads what is written"
    widths = CHAIN.replace("{name: V,", "{bits_per_value: 4, name: V,")
    result = imported(tmp_path, widths)
    assert "cascade.yaml" not in result.files
    assert any("cascade" in line.what for line in result.report.of("left out"))


def test_axes_that_reuse_nothing(tmp_path):
    text = ARCH.replace("reuse: input, min_usage: 1", "may_reuse: Nothing")
    text = text.replace("{name: Y, fanout: 2}", "{name: Y, fanout: 2, may_reuse: Nothing}")
    assert "multicast: false" in imported(tmp_path, text).files["architecture.yaml"]
    assert "multicast: false" not in imported(tmp_path, ARCH).files["architecture.yaml"]


MISTAKES = {
    "no file of AccelForge": ("levels: []\n", "this is no file of AccelForge"),
    "two compute nodes": (ARCH.replace("len(All) == 2", "True"), "end with its only compute node"),
    "an unknown set": (
        ARCH.replace("~Buffer", "~Bufer"),
        "is no set of tensors that is known here",
    ),
    "code in a set": (ARCH.replace("~Buffer", "__import__('os')"), "is no set of tensors"),
    "a size that is missing": (WORKLOAD.replace("M: 16, ", ""), "is no number"),
    "an odd range": (
        WORKLOAD.replace("0 <= p < 5", "1 <= p < 5"),
        "the range '1 <= p < 5' is not plain",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_not_plain_is_refused(tmp_path, mistake):
    text, message = MISTAKES[mistake]
    with pytest.raises(tw.InputError, match=message):
        imported(tmp_path, text)


def test_the_command(tmp_path, run_tool):
    path = tmp_path / "arch.yaml"
    path.write_text(ARCH, encoding="utf-8")
    out, said, code = run_tool(
        "import", "accelforge", str(path), "-o", str(tmp_path / "out"), "--define", "SIZE=64"
    )
    assert (said, code) == ("", 0)
    text = (tmp_path / "out" / "architecture.yaml").read_text(encoding="utf-8")
    assert "capacity: 512 bits" in text
