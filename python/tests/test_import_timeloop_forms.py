"""Forms that public files of Timeloop have; nothing of them is dropped in silence."""

from __future__ import annotations

import pytest

import tilewright as tw
from test_import_timeloop import SAMPLES, evaluated, said, written
from tilewright.importers.timeloop.convert import import_timeloop

GEMM = "problem: {shape: gemm_ABZ, M: 4, N: 6, K: 8}\n"
CHIP = """
architecture:
  version: 0.3
  subtree:
  - name: board
    attributes: {technology: 22nm, clock: 1ns}
    local: [{name: main, class: DRAM, attributes: {word-bits: 8}}]
    subtree:
    - name: tile[0..3]
      local:
      - {name: near, class: regfile, attributes: {entries: 64, word-bits: 8}}
      - {name: unit, class: intmac}
"""


def rules_of(files: dict[str, str]) -> set[str]:
    arch = tw.Architecture.from_yaml(files["architecture.yaml"])
    return set(tw.Constraints.from_yaml(arch, files["constraints.yaml"]).lines)


def test_a_dilation_of_zero_takes_its_dimension_out_of_the_index(tmp_path):
    text = "problem: {shape: cnn-layer, R: 5, S: 3, P: 7, Q: 2, C: 1, K: 2, N: 1, Wdilation: 0}\n"
    imported = import_timeloop(written(tmp_path, layer=text))
    workload = tw.Workload.from_yaml(imported.files["workload.yaml"])
    assert "Inputs[N,C,P,S+Q]" in workload.einsum.replace(" ", "")
    assert "Wdilation is 0" in imported.report.warnings[0].message


def test_the_shape_gemm_adds_a_third_operand(tmp_path):
    files = import_timeloop(written(tmp_path, layer=GEMM.replace("gemm_ABZ", "gemm"))).files
    workload = tw.Workload.from_yaml(files["workload.yaml"])
    assert workload.einsum.replace(" ", "") == "D[M,N]+=A[M,K]*B[N,K]*C[M,N]"


SHAPE = """
shape:
  name: mine
  dimensions: [A, B]
  data-spaces:
  - {name: X, projection: [A, B]}
  - {name: Y, projection: [A], read-write: true}
"""


def test_a_shape_in_a_file_of_its_own(tmp_path):
    paths = written(tmp_path, shape=SHAPE, layer="problem: {shape: mine, A: 3, B: 5}\n")
    workload = tw.Workload.from_yaml(import_timeloop(paths).files["workload.yaml"])
    assert workload.dims == {"A": 3, "B": 5}
    alone = import_timeloop(paths[:1])
    assert list(alone.files) == ["report.md"]
    assert "means nothing without the sizes" in said(alone, "left out")
    (his,) = written(tmp_path, layer="problem: {shape: his, A: 3, B: 5}\n")
    other = import_timeloop([paths[0], his])
    assert "the shape his is asked for" in other.report.warnings[0].message


def test_constraints_as_lists_below_their_targets(tmp_path):
    rules = """
mapspace:
  targets:
  - name: near
    constraints:
    - {type: bypassing, attributes: {keep: [A], bypass: [B]}}
    - type: temporal
      attributes: {factors: M=2, permutation: KM}
  - name: main
    constraints: [{type: spatial, attributes: {factors: N=1, permutation: MN, split: 1}}]
"""
    imported = import_timeloop(written(tmp_path, arch=CHIP, layer=GEMM, rules=rules))
    assert rules_of(imported.files) == {
        "near: keep weight, bypass input",
        "near: M = 2",
        "near: order ... M K",
        "main_fanout.x: dims M",
        "main_fanout.x: N = 1",
    }
    assert "mapspace" not in said(imported, "left out")


def test_attributes_around_components_are_named(tmp_path):
    left = said(import_timeloop(written(tmp_path, arch=CHIP)), "left out")
    assert "board.attributes.technology = 22nm" in left
    assert "board.attributes.clock = 1ns" in left


def test_keys_that_stand_twice_are_named(tmp_path):
    text = CHIP.replace("entries: 64", "entries: 64, entries: 32") + GEMM + GEMM
    imported = import_timeloop(written(tmp_path, arch=text))
    assert "capacity: 64 words" in imported.files["architecture.yaml"]
    left = said(imported, "left out")
    assert "second key entries" in left
    assert "second section problem" in left


def test_keys_of_a_problem_that_nobody_reads_are_named(tmp_path):
    text = SHAPE.replace("shape:", "problem:\n shape:").replace("\n  ", "\n   ")
    text = text.replace("name: mine", "name: mine\n   colour: red") + " A: 2\n B: 2\n"
    imported = import_timeloop(written(tmp_path, layer=text))
    assert "problem.shape.colour = red" in said(imported, "left out")


def test_sections_that_hold_anchors_are_named(tmp_path):
    text = "macros_ignore: &sizes {M: 1, N: 1, K: 1}\nproblem: {shape: gemm_ABZ, <<: *sizes}\n"
    imported = import_timeloop(written(tmp_path, layer=text))
    assert "macros_ignore: it is empty, or only holds anchors" in said(imported, "left out")


NODES = """
architecture:
  version: 0.4
  nodes:
  - !Component
    name: far
    class: DRAM
    attributes: {unit: 4, width: unit * 8, datawidth: unit, depth: 10 ** 18 * 2}
    sparse_optimizations: {action_optimization: [{type: gating}]}
  - !Component
    name: near
    class: storage
    attributes:
      width: far.attributes["width"] / 2
      datawidth: far.attributes.unit
      depth: 8
    constraints: {temporal: &quiet {no_reuse: [A], permutation: [M, N, M]}}
  - !Component
    name: nearer
    class: storage
    attributes: {width: 8, datawidth: 8, depth: 8}
    constraints: {temporal: *quiet}
  - !Component {name: unit, class: compute}
"""


def test_expressions_reach_into_other_nodes(tmp_path):
    imported = import_timeloop(written(tmp_path, arch=NODES, layer=GEMM))
    text = imported.files["architecture.yaml"]
    assert "depth 8 x block 4" in text
    assert "capacity: unlimited" in text  # of far, which has more words than a number here


def test_a_constraint_that_two_nodes_share_counts_for_both(tmp_path):
    imported = import_timeloop(written(tmp_path, arch=NODES, layer=GEMM))
    approximated = said(imported, "approximated")
    assert "no_reuse of near:" in approximated
    assert "no_reuse of nearer:" in approximated
    assert {"near: order ... N M", "nearer: order ... N M"} <= rules_of(imported.files)
    assert "M again: the first in a permutation counts" in said(imported, "left out")
    assert "of far.action_optimization.type = gating" in said(imported, "left out")


CASCADE = """
problem:
- shape:
    name: first
    dimensions: [P1, C1, M1]
    data_spaces:
    - {name: In, dimensions: [i, j], projection: '[ P1, C1 ]'}
    - {name: W1, projection: '[ C1, M1 ]'}
    - {name: Mid, projection: '[ P1, M1 ]', read_write: true}
  instance: 0 <= P1 < 9 and 0 <= C1 < 4 and 0 <= M1 < 8
- shape:
    name: second
    dimensions: [P2, R2, C2]
    data_spaces:
    - {name: Mid, projection: '[ 2*P2 + R2, C2 ]'}
    - {name: W2, projection: '[ R2, C2 ]'}
    - {name: Out, projection: '[ P2 ]', read_write: true}
  instance: 0 <= P2 < 4 and 0 <= R2 < 3 and 0 <= C2 < 8
"""


def test_layers_of_a_cascade_are_workloads(tmp_path):
    imported = import_timeloop(written(tmp_path, fused=CASCADE))
    assert sorted(imported.files) == [
        "report.md",
        "workload_1_first.yaml",
        "workload_2_second.yaml",
    ]
    second = tw.Workload.from_yaml(imported.files["workload_2_second.yaml"])
    assert second.dims == {"P2": 4, "R2": 3, "C2": 8}
    assert "Mid[2*P2+R2,C2]" in second.einsum.replace(" ", "")
    assert "cascade of layers" in imported.report.warnings[0].message


def test_fused_mappings_are_left_out(tmp_path):
    text = (SAMPLES / "tree.yaml").read_text(encoding="utf-8")
    imported = import_timeloop(
        written(tmp_path, fused=text + "mapping: {type: fused, nodes: []}\n")
    )
    assert "mappings of fused layers are not read" in said(imported, "left out")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("0 <= P1 < 9", "1 <= P1 < 9", "'1 <= P1 < 9' is no range of a dimension"),
        ("2*P2 + R2", "P2 % 2", "'P2 % 2' is no index"),
    ],
)
def test_sets_that_are_no_box_are_refused(tmp_path, old, new, complaint):
    with pytest.raises(tw.InputError, match="is no") as caught:
        import_timeloop(written(tmp_path, fused=CASCADE.replace(old, new)))
    assert complaint in str(caught.value)


def test_a_window_of_one_place_is_no_window(tmp_path):
    layer = "problem: {R: 1, S: 1, P: 8, Q: 1, C: 4, K: 2, N: 1}\n"
    mapping = """
mapping:
- {target: main, type: temporal, factors: P=2 K=2, permutation: PK}
- {target: main, type: spatial, factors: P=4, permutation: P}
- {target: near, type: temporal, factors: C=4, permutation: C}
"""
    imported = import_timeloop(written(tmp_path, arch=CHIP, layer=layer, mapping=mapping))
    assert "Inputs" not in said(imported, "approximated")
    assert evaluated(imported.files).cycles == 16


def test_a_split_may_be_an_expression(tmp_path):
    rules = """
mapspace_constraints:
- {target: main, type: spatial, permutation: MNK, split: len(spec.problem.instance) - 2}
"""
    layer = "problem: {shape: gemm_ABZ, instance: {M: 4, N: 6, K: 8}}\n"
    imported = import_timeloop(written(tmp_path, arch=CHIP, layer=layer, rules=rules))
    assert rules_of(imported.files) == {"main_fanout.x: dims M"}
    alone = import_timeloop(written(tmp_path, arch=CHIP, rules=rules))
    assert "split of main_fanout: it needs the problem" in said(alone, "left out")
    (bad,) = written(tmp_path, rules=rules.replace("- 2", "- 9"))
    with pytest.raises(tw.InputError, match="a split is a whole number from 0 on"):
        import_timeloop([*written(tmp_path, arch=CHIP, layer=layer), bad])


def test_a_definition_serves_as_a_variable(tmp_path):
    paths = written(tmp_path, arch=CHIP.replace("entries: 64", "entries: ROOM * 2"))
    files = import_timeloop(paths, {"ROOM": 24}).files
    assert "capacity: 48 words" in files["architecture.yaml"]
    (alone,) = written(tmp_path, arch=CHIP.replace("entries: 64", "entries: ROOM"))
    with pytest.raises(tw.InputError, match="entries is ROOM, which nothing defines") as caught:
        import_timeloop([alone])
    assert "--define ROOM=NUMBER" in str(caught.value)


def test_what_a_template_lacks_is_located(tmp_path):
    (path,) = written(tmp_path, layer="problem:\n  shape: gemm_ABZ\n  M: {{ rows }}\n")
    with pytest.raises(tw.InputError, match=r"layer\.yaml:3:1: .*--define rows=VALUE"):
        import_timeloop([path])


def test_actions_that_are_no_access_are_named(tmp_path):
    table = """
ERT:
  version: 0.3
  tables:
  - name: board.tile[0..3].near
    actions: [{name: read, energy: 2}, {name: write, energy: 3}, {name: gated_read, energy: 0.5}]
"""
    left = said(import_timeloop(written(tmp_path, arch=CHIP, table=table)), "left out")
    assert "energy of gated_read of near = 0.5" in left
    assert "energy of read of near" not in left


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- first_layer\n- second_layer\n", "the file is a list, and no file of Timeloop"),
        ("../shapes/layer.yaml", "give ../shapes/layer.yaml itself"),
        ("words\n", "the file is a text, and no file of Timeloop"),
    ],
)
def test_files_of_other_kinds_are_refused(tmp_path, text, complaint):
    with pytest.raises(tw.InputError) as caught:
        import_timeloop(written(tmp_path, other=text))
    assert complaint in str(caught.value)


def test_of_several_sizes_the_entries_count(tmp_path):
    text = CHIP.replace("entries: 64", "entries: 64, depth: 4, width: 16")
    imported = import_timeloop(written(tmp_path, arch=text))
    assert "capacity: 64 words" in imported.files["architecture.yaml"]
    assert "depth of near = 4: entries say the size" in said(imported, "left out")


def test_areas_of_other_components_are_named(tmp_path):
    table = "ART: {version: 0.3, tables: [{name: unit, area: 5}, {name: board.router, area: 7}]}\n"
    imported = import_timeloop(written(tmp_path, arch=CHIP, table=table))
    assert "area of router = 7" in said(imported, "left out")
    assert "area of unit: 5 um^2" in said(imported, "exact")


@pytest.mark.parametrize("key", ["word-bits", "width", "block-size", "cluster-size"])
def test_widths_and_blocks_are_one_at_least(tmp_path, key):
    text = CHIP.replace("entries: 64, word-bits: 8", f"entries: 64, width: 16, {key}: 0")
    text = text.replace("width: 16, width", "width")
    with pytest.raises(tw.InputError, match="of near is 0; write a number from 1 on"):
        import_timeloop(written(tmp_path, arch=text))


FLATTENED = """
architecture:
  version: 0.3
  local:
  - {name: "board.tile[0..3].unit", class: intmac}
  - {name: "board.tile[0..3].near", class: regfile, attributes: {entries: 16, word-bits: 8}}
  - {name: board.main, class: DRAM, attributes: {word-bits: 8}}
"""


def test_lists_of_paths_are_sorted_from_the_outside_in(tmp_path):
    imported = import_timeloop(written(tmp_path, flat=FLATTENED))
    levels = tw.Architecture.from_yaml(imported.files["architecture.yaml"]).levels
    assert list(levels) == ["main", "main_fanout", "near", "unit"]
    assert "order of components: by the lengths" in said(imported, "approximated")


def test_a_list_of_paths_yields_to_an_architecture(tmp_path):
    imported = import_timeloop(written(tmp_path, flat=FLATTENED, tree=CHIP))
    assert "capacity: 64 words" in imported.files["architecture.yaml"]
    assert "flattened_architecture: a result, not an input" in said(imported, "left out")


def test_a_branch_without_room_gets_no_rules(tmp_path):
    arch = """
architecture:
  version: 0.4
  nodes:
  - !Component {name: far, class: DRAM, attributes: {width: 8, datawidth: 8}}
  - !Parallel
    nodes:
    - !Component
      name: left
      class: storage
      attributes: {width: 8, datawidth: 8, depth: 4}
      constraints: {dataspace: {keep: [A]}}
    - !Component {name: right, class: storage, attributes: {width: 8, datawidth: 8, depth: 0}}
  - !Component {name: unit, class: compute}
"""
    files = import_timeloop(written(tmp_path, arch=arch, layer=GEMM)).files
    assert rules_of(files) == {"left: keep weight"}
