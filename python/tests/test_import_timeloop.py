"""Files of Timeloop: every dialect gives the same, and what timeloop-model computed comes out."""

from __future__ import annotations

import json
import pathlib

import pytest

import tilewright as tw
from tilewright.importers.timeloop.convert import Imported, import_timeloop

SAMPLES = pathlib.Path(__file__).parent / "timeloop"
DIALECTS = {
    "nodes": "nodes.yaml problem.yaml mapping.yaml ERT.yaml ART.yaml",
    "tree": "tree.yaml problem.yaml tree_mapping.yaml old_ERT.yaml ART.yaml",
    "flat": "flat.cfg ERT.yaml ART.yaml",
}


def samples(names: str) -> Imported:
    return import_timeloop([SAMPLES / name for name in names.split()])


def written(folder: pathlib.Path, **texts: str) -> list[pathlib.Path]:
    """Files with these texts; ``a__b`` is a file b in a folder a."""
    paths = []
    for name, text in texts.items():
        path = folder / (name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def evaluated(files: dict[str, str]) -> tw.Evaluation:
    arch = tw.Architecture.from_yaml(files["architecture.yaml"])
    work = tw.Workload.from_yaml(files["workload.yaml"])
    return tw.evaluate(arch, work, tw.Mapping.from_yaml(arch, work, files["mapping.yaml"]))


def said(imported: Imported, fate: str) -> str:
    return "\n".join(str(line) for line in imported.report.of(fate))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_says_the_same(dialect):
    imported = samples(DIALECTS[dialect])
    result = evaluated(imported.files)
    assert result.cycles == 272
    assert result.energy_pj == pytest.approx(75678.272, abs=1e-6)
    assert result.area_um2 == pytest.approx(1000.5 + 8 * 12)
    assert "accounting: timeloop" in imported.files["architecture.yaml"]


def test_every_number_says_where_it_comes_from():
    text = samples(DIALECTS["nodes"]).files["architecture.yaml"]
    assert "capacity: 2048 words" in text
    assert "depth 1024 x block 2; nodes.yaml:13" in text
    assert "read: 2.5 pJ" in text
    assert "ERT.yaml:11" in text
    levels = {level["name"]: level for level in tw.Architecture.from_yaml(text).summary()["levels"]}
    assert levels["buffer"]["imported"]["from"] == "ERT.yaml and ART.yaml"
    assert "read" in levels["buffer"]["imported"]["keys"]


def test_constraints_of_nodes_are_those_of_the_mapper():
    files = samples(DIALECTS["nodes"]).files
    arch = tw.Architecture.from_yaml(files["architecture.yaml"])
    rules = tw.Constraints.from_yaml(arch, files["constraints.yaml"])
    assert set(rules.lines) == {
        "buffer: R = 1",
        "buffer: keep input output",
        "inter_PE_spatial.x: C <= 4",
        "inter_PE_spatial.x: dims C",
        "inter_PE_spatial.y: M = 2",
        "inter_PE_spatial.y: dims M",
        "weights_here: keep weight, bypass output input",
        "sums_here: keep output, bypass weight input",
    }
    best = tw.map(arch, tw.Workload.from_yaml(files["workload.yaml"]), constraints=rules)
    assert best.proven


def test_without_a_table_the_built_in_energies_are_said_to_be_approximate():
    imported = samples("nodes.yaml problem.yaml")
    assert "built-in table" in imported.files["architecture.yaml"]
    assert "read, write and update energy of buffer" in said(imported, "approximated")


def test_the_largest_action_can_be_charged_as_older_versions_did():
    imported = import_timeloop(
        [SAMPLES / name for name in DIALECTS["tree"].split()], charge="largest"
    )
    assert "read: 600 pJ" in imported.files["architecture.yaml"]
    assert "`--first-sums read` does so" in imported.files["report.md"]


def test_first_reads_of_outputs_can_be_counted_as_older_versions_did():
    paths = [SAMPLES / name for name in DIALECTS["tree"].split()]
    older = import_timeloop(paths, first_sums="read").files
    assert "first_sums: read" in older["architecture.yaml"]
    assert "first reads and fills of outputs are counted" in older["report.md"]
    assert evaluated(older).energy_pj > evaluated(import_timeloop(paths).files).energy_pj


BASE = """
problem_base: &problem_base
  shape:
    name: layer
    dimensions: [C, M, P]
    coefficients: [{name: Hstride, default: 1}]
    data_spaces:
    - {name: Weights, projection: [[[C]], [[M]]]}
    - {name: Inputs, projection: [[[C]], [[P, Hstride]]]}
    - {name: Outputs, projection: [[[M]], [[P]]], read_write: True}
  instance: {C: 1, M: 1, P: 1}
"""
LAYER = "{{include_text('../base.yaml')}}\nproblem:\n  <<<: *problem_base\n"


def test_templates_and_merges(tmp_path):
    layer = LAYER + "  instance: {C: 3, M: 64, HStride: 2}\n"
    paths = written(tmp_path, base=BASE, net__layer=layer)
    imported = import_timeloop(paths[1:])
    work = tw.Workload.from_yaml(imported.files["workload.yaml"])
    assert work.dims == {"C": 3, "M": 64, "P": 1}
    warning = imported.report.warnings[0]
    assert warning.message == "unknown key 'HStride'"
    assert warning.hint == "did you mean 'Hstride'? the layer runs with Hstride 1"
    assert (warning.file, warning.line) == (str(paths[1]), 4)


TOP = """
{{add_to_path(cwd())}}
{% set alternative = cwd() ~ '/' ~ design ~ '/problem.yaml' %}
{% if path_exists(alternative) %}
  {% set problem = problem | default(alternative) %}
{% endif %}
problem: {{include(problem | default('missing.yaml'), 'problem_base')}}
architecture: {{include(cwd() ~ '/' ~ design ~ '/arch.yaml', 'architecture')}}
components:
  classes: {{include_all('parts/*.yaml', 'compound_components.classes')}}
"""


def test_a_top_level_template_with_a_definition(tmp_path):
    nodes = (SAMPLES / "nodes.yaml").read_text(encoding="utf-8")
    part = "compound_components: {classes: [{name: x, actions: []}]}\n"
    paths = written(tmp_path, top=TOP, mine__arch=nodes, mine__problem=BASE, parts__a=part)
    with pytest.raises(tw.InputError, match=r"'design' is undefined; give it with --define"):
        import_timeloop(paths[:1])
    with pytest.raises(
        tw.InputError, match="there is no variable rows"
    ):  # a variable of the file that is included
        import_timeloop(paths[:1], {"design": "mine"})
    paths += written(tmp_path, variables="variables: {WORD: 8, rows: 4}\n")
    files = import_timeloop([paths[0], paths[-1]], {"design": "mine"}).files
    assert tw.Architecture.from_yaml(files["architecture.yaml"]).compute_instances == 8


def test_a_mapping_beside_a_bundle_without_one(tmp_path):
    bundle = "".join(
        (SAMPLES / name).read_text(encoding="utf-8") for name in ("tree.yaml", "problem.yaml")
    )
    marks = (
        "dumped_by_timeloop_front_end: true\nmapping: []\narchitecture_constraints: {targets: []}\n"
    )
    paths = written(tmp_path, bundle=marks + bundle)
    imported = import_timeloop([*paths, SAMPLES / "tree_mapping.yaml", SAMPLES / "old_ERT.yaml"])
    assert evaluated(imported.files).cycles == 272


def test_anchors_cross_files_and_may_be_defined_again(tmp_path):
    paths = written(
        tmp_path,
        a="x_ignore: &sizes {C: 8}\ny_ignore: &sizes {C: 8, M: 4}\n",
        b=BASE.replace("instance: {C: 1, M: 1, P: 1}", "instance: {<<: *sizes, P: 16}").replace(
            "problem_base: &problem_base", "problem:"
        ),
    )
    files = import_timeloop(paths).files
    assert tw.Workload.from_yaml(files["workload.yaml"]).dims == {"C": 8, "M": 4, "P": 16}


def test_names_that_old_yaml_takes_for_truth_values(tmp_path):
    problem = """
problem:
  shape:
    dimensions: [N, Y]
    data_spaces:
    - {name: "Off", projection: [[[N]], [[Y]]]}
    - {name: "Yes", projection: [[[N]]], read_write: true}
  instance: {N: 4, Y: 6}
"""
    files = import_timeloop(written(tmp_path, problem=problem)).files
    assert tw.Workload.from_yaml(files["workload.yaml"]).dims == {"N": 4, "Y": 6}


def test_what_is_left_out_is_named(tmp_path):
    extra = """
sparse_optimizations:
  targets:
  - {name: buffer, action_optimization: [{type: gating}]}
globals: {environment_variables: {TIMELOOP_USE_ISL: 1}}
strange: 1
"""
    paths = written(tmp_path, extra=extra)
    imported = import_timeloop([*(SAMPLES / n for n in DIALECTS["tree"].split()), *paths])
    left_out = said(imported, "left out")
    for part in ("extra.yaml:2: sparse_optimizations", "environment_variables", "section strange"):
        assert part in left_out
    assert "technology" not in said(imported, "exact")


MISTAKES = {
    "no such target": (
        "mapping:\n- {target: bufer, type: temporal, factors: C=2}\n",
        "there is no storage bufer; did you mean buffer?",
    ),
    "wrong product": (
        "mapping:\n- {target: main, type: temporal, factors: C=3}\n",
        "the factors of C multiply to 3, not to its size 8; change a factor of the mapping",
    ),
    "no such dimension": (
        "mapping:\n- {target: main, type: temporal, factors: X=3}\n",
        "the problem has no dimension X; it has C, M, R, P",
    ),
    "no such type": (
        "mapping:\n- {target: main, type: temporl, factors: C=3}\n",
        "'temporl' is no type of a directive; did you mean temporal?",
    ),
    "no such tensor": (
        "mapping:\n- {target: main, type: datatype, keep: [Weight]}\n",
        "the problem has no tensor Weight; it has Weights, Inputs, Outputs",
    ),
    "no factor": (
        "mapping:\n- {target: main, type: temporal, factors: '=3'}\n",
        "'=3' is no factor; write K=2",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_located(tmp_path, mistake):
    text, expected = MISTAKES[mistake]
    paths = written(tmp_path, mapping=text)
    with pytest.raises(tw.InputError) as caught:
        import_timeloop([SAMPLES / "tree.yaml", SAMPLES / "problem.yaml", *paths])
    problem = caught.value.problems[0]
    assert f"{problem.message}; {problem.hint}" == expected
    assert (problem.file, problem.line) == (str(paths[0]), 2)


def test_the_command_writes_files_that_the_tool_takes(tmp_path, run_tool):
    out = tmp_path / "out"
    files = [str(SAMPLES / name) for name in DIALECTS["nodes"].split()]
    printed, said_, code = run_tool("import", "timeloop", *files, "-o", str(out))
    assert (said_, code) == ("", 0)
    assert str(out / "report.md") in printed
    names = ("-a", "architecture", "-w", "workload", "-m", "mapping")
    words = [word if word.startswith("-") else str(out / f"{word}.yaml") for word in names]
    printed, said_, code = run_tool("eval", *words, "--json")
    assert code == 0, said_
    assert json.loads(printed)["cycles"] == 272


def test_the_command_ends_with_2_and_one_line_on_bad_input(tmp_path, run_tool):
    path = tmp_path / "bad.yaml"
    path.write_text("architecture: [\n", encoding="utf-8")
    printed, said_, code = run_tool("import", "timeloop", str(path), "-o", str(tmp_path / "out"))
    assert (printed, code) == ("", 2)
    assert said_.startswith(f"{path}:2:1: this is not YAML")
    assert not (tmp_path / "out").exists()


def test_load_takes_files_of_both_tools(tmp_path):
    names = DIALECTS["nodes"].split()
    loaded = tw.load(*(SAMPLES / name for name in names))
    assert loaded.architecture is not None
    assert loaded.workload is not None
    assert loaded.mapping is not None
    assert loaded.constraints is not None
    assert "## Exact" in loaded.report
    again = tmp_path / "architecture.yaml"
    again.write_text(loaded.architecture.to_yaml(), encoding="utf-8")
    assert tw.load(again).architecture == loaded.architecture
    assert tw.load(SAMPLES / "flat.cfg").architecture is not None
    with pytest.raises(tw.InputError, match="two files with architecture"):
        tw.load(again, SAMPLES / "tree.yaml")
    mapping = tmp_path / "mapping.yaml"
    mapping.write_text(loaded.mapping.to_yaml(), encoding="utf-8")
    with pytest.raises(tw.InputError, match="means nothing alone"):
        tw.load(mapping)


@pytest.mark.parametrize("name", ["nodes.yaml", "tree.yaml", "problem.yaml", "mapping.yaml"])
def test_commands_name_the_import(run_tool, name):
    path = str(SAMPLES / name)
    expected = f"import it with: tilewright import timeloop {path} -o imported"
    for words in (("arch", "show", path), ("workload", "show", path)):
        assert expected in run_tool(*words)[1]


ODDITIES = {
    "compute before a storage": ("tree.yaml", "      - {name: mac,", "      - {name: mac,"),
    "paths as names": ("tree.yaml", "name: buffer\n", "name: system.chip.buffer\n"),
    "no limit": ("nodes.yaml", "depth: 2 ** 10,", "depth: inf,"),
}


@pytest.mark.parametrize("case", ODDITIES)
def test_odd_architectures_are_read(tmp_path, case):
    name, old, new = ODDITIES[case]
    text = (SAMPLES / name).read_text(encoding="utf-8")
    assert old in text
    text = text.replace(old, new)
    if case.startswith("compute"):
        first, mac = text.rsplit("      - {name: mac", 1)
        text = first.replace(
            "      - {name: weights_here", f"      - {{name: mac{mac}      - {{name: weights_here"
        )
    files = import_timeloop(written(tmp_path, arch=text)).files
    assert tw.Architecture.from_yaml(files["architecture.yaml"]).compute_instances == 8


def test_signs_of_factors_and_switches(tmp_path):
    rules = """
mapspace_constraints:
- {target: buffer, type: temporal, factors: [C>1, M<4, R=-1], no_reuse: [Inputs]}
- {target: buffer, type: spatial, no_reuse: []}
"""
    paths = written(tmp_path, rules=rules)
    imported = import_timeloop([SAMPLES / "tree.yaml", SAMPLES / "problem.yaml", *paths])
    assert 'factors: {C: ">= 2", M: "<= 3"}' in imported.files["constraints.yaml"]
    assert "no_reuse of buffer: reuse cannot be switched off" in said(imported, "approximated")


def test_storages_without_room_and_branches_of_several(tmp_path):
    arch = """
architecture:
  version: 0.4
  nodes:
  - !Component {name: main, class: DRAM, attributes: {width: 8, datawidth: 8}}
  - !Component {name: empty, class: storage, attributes: {width: 8, depth: 0, datawidth: 8}}
  - !Parallel
    nodes:
    - !Hierarchical
      nodes:
      - !Component
        name: outer
        class: SRAM
        attributes: {depth: 64, width: 8, datawidth: 8}
        constraints: {dataspace: {keep: [A]}}
      - !Component {name: inner, class: regfile, attributes: {depth: 4, width: 8, datawidth: 8}}
    - !Component
      name: beside
      class: SRAM
      attributes: {depth: 64, width: 8, datawidth: 8}
      constraints: {dataspace: {keep: [B]}}
  - !Component {name: mac, class: mac}
problem: {shape: gemm_ABZ, instance: {M: 6, N: 2, K: 1}}
"""
    files = import_timeloop(written(tmp_path, arch=arch)).files
    read = tw.Architecture.from_yaml(files["architecture.yaml"])
    assert list(read.levels) == ["main", "outer", "inner", "beside", "mac"]
    rules = tw.Constraints.from_yaml(read, files["constraints.yaml"])
    assert set(rules.lines) == {
        "outer: keep weight, bypass input",
        "inner: bypass input",
        "beside: keep input, bypass weight",
    }


def test_rows_that_a_cluster_shares(tmp_path):
    arch = """
architecture:
  version: 0.4
  nodes:
  - !Component {name: main, class: DRAM, attributes: {width: 8, datawidth: 8}}
  - !Container {name: PE, spatial: {meshX: 8}}
  - !Component
    name: regs
    class: regfile
    attributes: {depth: 1, width: 32, datawidth: 8, cluster_size: 4}
  - !Component {name: mac, class: mac}
ERT: {tables: [{name: regs, actions: [{name: read, energy: 12}, {name: write, energy: 12}]}]}
problem: {shape: gemm_ABZ, instance: {M: 6, N: 1, K: 1}}
"""
    mapping = "mapping:\n- {target: PE, type: spatial, factors: M=6, permutation: MNK}\n"
    paths = written(tmp_path, arch=arch, mapping=mapping)
    assert "read: 3 pJ" in import_timeloop(paths[:1]).files["architecture.yaml"]
    # Six instances wake the two clusters, so a row serves three of them.
    assert "read: 4 pJ" in import_timeloop(paths).files["architecture.yaml"]


def test_an_older_spelling_of_include(tmp_path):
    paths = written(
        tmp_path, top="!include ./base.yaml\n\nproblem:\n  <<<: *problem_base\n", base=BASE
    )
    files = import_timeloop(paths[:1]).files
    assert tw.Workload.from_yaml(files["workload.yaml"]).dims == {"C": 1, "M": 1, "P": 1}


WINDOWS = {
    "one loop moves the window": ("P=4", "P", "P=4 R=3", "PR", ""),
    "a loop inside that does not move it": (
        "P=4 M=4",
        "MP",
        "P=4 R=3",
        "PR",
        "the whole window again",
    ),
    "tiles without overlap": ("C=8 M=4", "MC", "P=16 R=3", "PR", ""),
    "two loops that move it in step": ("R=3 P=16", "RP", "C=8", "C", "two loops move its window"),
}


@pytest.mark.parametrize("case", WINDOWS)
def test_windows_that_timeloop_counts_otherwise_are_named(tmp_path, case):
    outer, outer_order, inner, inner_order, expected = WINDOWS[case]
    rest = {"C": 8, "M": 4, "R": 3, "P": 16}
    for text in (outer, inner):
        for factor in text.split():
            dim, _, bound = factor.partition("=")
            rest[dim] //= int(bound)
    left = " ".join(f"{dim}={size}" for dim, size in rest.items())
    mapping = f"""
mapping:
- {{target: main, type: temporal, factors: "{outer}", permutation: {outer_order}}}
- {{target: buffer, type: temporal, factors: "{inner}", permutation: {inner_order}}}
- {{target: sums_here, type: temporal, factors: "{left}", permutation: CMRP}}
"""
    problem = (
        (SAMPLES / "problem.yaml").read_text(encoding="utf-8").replace("Wstride: 2", "Wstride: 1")
    )
    paths = written(tmp_path, mapping=mapping, problem=problem)
    imported = import_timeloop([SAMPLES / "tree.yaml", *paths])
    found = [
        line.note for line in imported.report.of("approximated") if "Inputs at buffer" in line.what
    ]
    if expected:
        assert any(expected in note for note in found), found
    else:
        assert not found


def test_of_several_subtrees_the_first_counts(tmp_path):
    text = (SAMPLES / "tree.yaml").read_text(encoding="utf-8")
    imported = import_timeloop(written(tmp_path, arch=text + "  - {name: other, local: []}\n"))
    assert "a further subtree" in said(imported, "left out")


def test_lists_that_start_with_the_innermost_component(tmp_path):
    arch = """
architecture:
  version: 0.2
  subtree:
  - name: system
    local: [{name: main, class: DRAM, attributes: {width: 16}}]
    subtree:
    - name: chip
      local:
      - {name: "empty[0..3]", class: regfile, attributes: {width: 16, entries: 0, meshX: 4}}
      - {name: buffer, class: SRAM, attributes: {width: 16, depth: 64}}
      subtree:
      - name: PE[0..15]
        local:
        - {name: inner, class: regfile, attributes: {width: 16, depth: 4, meshX: 4}}
        - {name: outer, class: regfile, attributes: {width: 16, depth: 8, meshX: 4}}
        - {name: mac, class: mac}
"""
    files = import_timeloop(written(tmp_path, arch=arch)).files
    levels = tw.Architecture.from_yaml(files["architecture.yaml"]).levels
    assert list(levels) == ["main", "buffer", "buffer_fanout", "empty", "outer", "inner", "mac"]


def test_results_of_accelergy_are_no_inputs(tmp_path):
    imported = import_timeloop(written(tmp_path, result="ERT_summary: {version: 0.4}\n"))
    assert list(imported.files) == ["report.md"]
    assert "a result, not an input" in said(imported, "left out")
