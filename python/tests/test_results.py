"""Answers: equal to what the command line prints, for every architecture that ships."""

from __future__ import annotations

import json
import sys
import types

import pytest
import tilewright as tw

WORK = "gemm: m=32 n=24 k=16"
TIMES = {"seconds", "command"}


def without_times(value):
    """A result without what a clock has said, and without the command that only one side has."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def printed(run_tool, *words):
    out, said, code = run_tool(*words)
    assert code == 0, said
    return json.loads(out)


@pytest.mark.parametrize("name", tw.architectures())
def test_what_is_understood_of_architectures_is_what_the_tool_prints(name, run_tool):
    assert tw.Architecture(name).summary() == printed(run_tool, "arch", "show", name, "--json")


@pytest.mark.parametrize("name", tw.architectures())
def test_the_best_mapping_is_that_of_the_tool(name, run_tool, tmp_path):
    path = tmp_path / "best.yaml"
    best = tw.map(name, WORK, threads=1)
    tool = printed(run_tool, "map", "-a", name, "-w", WORK, "--threads", "1", "--json", "--out",
                   str(path))  # fmt: skip
    assert without_times(best.to_dict()) == without_times(tool)
    again = tw.evaluate(name, WORK, path)
    assert (again.energy_pj, again.cycles) == (best.energy_pj, best.cycles)
    tool = printed(run_tool, "eval", "-a", name, "-w", WORK, "-m", str(path), "--json")
    assert without_times(again.to_dict()) == without_times(tool)
    assert tw.evaluate(name, WORK, best.mapping).to_dict() == again.to_dict()


@pytest.mark.parametrize("name", ["eyeriss", "toy_array", "simba"])
def test_spaces_and_fronts_are_those_of_the_tool(name, run_tool):
    small = "gemm: m=8 n=8 k=8"
    assert tw.space(name, small).to_dict() == printed(
        run_tool, "space", "-a", name, "-w", small, "--json"
    )
    front = tw.pareto(name, small, threads=1)
    tool = printed(run_tool, "pareto", "-a", name, "-w", small, "--threads", "1", "--json")
    assert without_times(front.to_dict()) == without_times(tool)
    assert front.complete
    cost = tw.Evaluator(name, small)
    for point in front:
        assert cost(point.mapping)[:3] == (True, point.energy_pj, point.cycles)


def test_networks_are_mapped_as_by_the_tool(run_tool):
    best = tw.map("eyeriss", model="alexnet", threads=1)
    tool = printed(run_tool, "map", "-a", "eyeriss", "--model", "alexnet", "--threads", "1", "--json")
    assert without_times(best.to_dict()) == without_times(tool)
    assert best.complete and best.proven and len(best) == 8
    assert best.layers[0].result is not None
    assert best["0"].cycles == best.layers[0].result.cycles == best[0].cycles
    assert sum(l.count * l.result.cycles for l in best.layers) == best.cycles
    with pytest.raises(KeyError):
        best["no such layer"]
    with pytest.raises(IndexError):
        best[8]


def test_options_mean_what_they_mean_to_the_tool(run_tool):
    cases = [
        ({"mapspace": "ruby-s", "objective": "latency"}, ["--mapspace", "ruby-s", "-o", "latency"]),
        ({"mapper": "random", "seed": 3, "evaluations": 2000},
         ["--mapper", "random", "--seed", "3", "--evaluations", "2000"]),
        ({"mapper": "loma", "most_loops": 4, "unrollings": 2},
         ["--mapper", "loma", "--most-loops", "4", "--unrollings", "2"]),
        ({"mapper": "genetic", "population": 20, "generations": 5},
         ["--mapper", "genetic", "--population", "20", "--generations", "5"]),
        ({"mapper": "genetic", "generations": 5, "brood": "factors"},
         ["--mapper", "genetic", "--generations", "5", "--brood", "factors"]),
        ({"mapper": "quickflow", "bits": 16}, ["--mapper", "quickflow", "--bits", "16"]),
        ({"constrain": ["SACols.x: M <= 4", "SARows.y: M <= 2"]},
         ["-c", "SACols.x: M <= 4", "-c", "SARows.y: M <= 2"]),
        ({"roles": "any"}, ["--roles", "any"]),
        ({"accounting": "timeloop", "objective": "energy^2*cycles"},
         ["--accounting", "timeloop", "-o", "energy^2*cycles"]),
        ({"rename": "M=N,N=M"}, ["--rename", "M=N,N=M"]),
        ({"mapspace": "pfm-pad"}, ["--mapspace", "pfm-pad"]),
    ]  # fmt: skip
    for options, words in cases:
        best = tw.map("eyeriss", WORK, threads=1, **options)
        tool = printed(run_tool, "map", "-a", "eyeriss", "-w", WORK, "--threads", "1", "--json", *words)
        assert without_times(best.to_dict()) == without_times(tool), options


def test_every_option_of_every_mapper_has_a_name_here():
    import inspect

    from tilewright import _ask, _native

    names = set(inspect.signature(_ask.map).parameters)
    for _, _, options in _native.mapper_table():
        assert {name.replace("-", "_") for name, _, _ in options} <= names
    assert set(_ask.MapOptions.__annotations__) == names - {"arch", "workload", "model", "layer"}


def test_a_flexible_architecture_is_set_up(run_tool):
    flex = "T=soft,O=all,P={CK,YX},S=blocks(16x16)"
    best = tw.map("flex_1024", WORK, flex=flex, threads=1)
    tool = printed(run_tool, "map", "-a", "flex_1024", "-w", WORK, "--flex", flex, "--threads", "1",
                   "--json")  # fmt: skip
    assert without_times(best.to_dict()) == without_times(tool)
    cost = tw.evaluate("flex_1024", WORK, best.mapping, flex=flex)
    assert (cost.energy_pj, cost.cycles) == (best.energy_pj, best.cycles)


def test_a_front_of_a_flexible_architecture_is_that_of_the_tool(run_tool):
    flex = "P={CK,YX},S=blocks(16x16)"
    front = tw.pareto("flex_1024", WORK, flex=flex, threads=1)
    tool = printed(run_tool, "pareto", "-a", "flex_1024", "-w", WORK, "--flex", flex, "--threads",
                   "1", "--json")  # fmt: skip
    assert [point.cycles for point in front] == [point["cycles"] for point in tool["points"]]
    assert front.to_dict()["settings"] == tool["settings"]


def test_a_design_is_that_of_the_tool(run_tool):
    flex = "P={CK,YX},S=blocks(16x16),O=KCYXRS"
    design = tw.flex.design("alexnet", layer="3", flex=flex, nodes=500, threads=1)
    tool = printed(run_tool, "flex", "design", "--model", "alexnet", "-l", "3", "--flex", flex,
                   "--nodes", "500", "--threads", "1", "--json")  # fmt: skip
    assert design.flexibility == tool["design"]
    assert design.proven == tool["proven"]
    assert {**design.to_dict(), "seconds": 0} == {**tool, "seconds": 0}


def test_flexibility_is_measured_as_by_the_tool(run_tool):
    assert tw.flex.classify("flex_1024") == printed(run_tool, "flex", "classify", "flex_1024", "--json")
    assert tw.flex.measure("flex_1024", WORK).to_dict() == printed(
        run_tool, "flex", "measure", "-a", "flex_1024", "-w", WORK, "--json"
    )
    layer = tw.flex.measure("flex_1024", model="alexnet", layer="1")
    assert layer.to_dict() == printed(
        run_tool, "flex", "measure", "-a", "flex_1024", "--model", "alexnet", "--layer", "1", "--json"
    )
    assert layer.venn().startswith("<svg")
    with pytest.raises(tw.InputError, match="does not say what it can be set to"):
        tw.flex.classify("eyeriss")


def test_studies_are_those_of_the_tool(run_tool):
    study = tw.flex.isolate("alexnet", layer="1", threads=1, mapper="quickflow")
    tool = printed(run_tool, "flex", "isolate", "--model", "alexnet", "--layer", "1", "--threads",
                   "1", "--mapper", "quickflow", "--json")  # fmt: skip
    assert without_times(study.to_dict()) == without_times(tool)
    assert study.gaps == []
    assert "InFlex-0000" in str(study)
    with pytest.raises(tw.InputError, match="--baseline"):
        tw.flex.isolate("alexnet", baseline="nothing")


def test_certificates_are_made_and_checked(run_tool, tmp_path):
    path = tmp_path / "best.cert.json"
    best = tw.map("toy_array", "gemm: m=16 n=16 k=16", certificate=path)
    assert best.proven and path.exists()
    checked = tw.check(path)
    assert checked and checked.verified and checked.optimal
    assert float(checked.value) == pytest.approx(best.value)
    assert tw.check(best).cells == checked.cells
    assert run_tool("check", str(path))[2] == 0
    text = path.read_text()
    wrong = json.loads(text)
    wrong["cycles"] = wrong["cycles"] - 1
    refused = tw.check(json.dumps(wrong))
    assert not refused and refused.problems
    with pytest.raises(tw.InputError):
        tw.check('{"not": "a certificate"}')
    with pytest.raises(tw.InputError, match="no certificate"):
        tw.check(tw.map("toy_array", "gemm: m=4 n=4 k=4"))


def test_certificates_say_what_they_are_about():
    for uneven, among in ((False, "even mappings"), (True, "all mappings, even and uneven")):
        best = tw.map("toy_array", "gemm: m=16 n=16 k=16", uneven=uneven, certificate=True)
        checked = tw.check(best)
        assert checked.optimal and checked.among == among


def test_a_proof_says_what_is_known():
    best = tw.map("eyeriss", WORK)
    assert best.proof is not None
    assert best.proven and best.gap == 0 and best.bound == pytest.approx(best.value)
    drawn = tw.map("eyeriss", WORK, mapper="random", evaluations=100)
    assert drawn.proof is None and drawn.bound is None and not drawn.proven
    assert drawn.found_by == "random"
    assert drawn.value >= best.value


def test_evaluations_have_their_figures():
    best = tw.map("eyeriss", WORK)
    data = best.to_dict()["result"]
    assert best.energy_pj == data["energy_pj"]
    assert best.edp == data["edp_pj_cycles"]
    assert best.utilisation == data["utilisation"]
    assert best.macs == 32 * 24 * 16
    assert best.bottleneck
    assert "Energy" in best.explain()
    assert "Loop nest" in str(best)


def test_a_mapping_moves_to_another_architecture():
    best = tw.map("eyeriss", WORK)
    costly = tw.Architecture("eyeriss").with_(DRAM={"read": "128 pJ", "write": "128 pJ"})
    assert tw.evaluate(costly, WORK, best.mapping).energy_pj > best.energy_pj
    with pytest.raises(tw.InputError):
        tw.evaluate("tpu_v1", WORK, best.mapping)
    with pytest.raises(tw.InputError):
        tw.evaluate("eyeriss", "gemm: m=7 n=24 k=16", best.mapping)


def test_a_padded_mapping_comes_back():
    work = "gemm: m=13 n=17 k=11"
    best = tw.map("toy_array", work, mapspace="pfm-pad")
    cost = tw.evaluate("toy_array", work, best.mapping)
    assert (cost.energy_pj, cost.cycles) == (best.energy_pj, best.cycles)


def test_frames_have_a_row_for_each_thing():
    pandas = pytest.importorskip("pandas")
    best = tw.map("eyeriss", WORK)
    frame = best.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    memories = best.to_dict()["result"]["memories"]
    assert frame["energy_pj"].sum() == pytest.approx(
        sum(t["energy_pj"]["sum"] for m in memories for t in m["tensors"])
    )
    network = tw.map("eyeriss", model="alexnet").to_frame(kind="pandas")
    assert list(network["layer"].astype(str)) == [l.name for l in tw.Network("alexnet")]
    front = tw.pareto("toy_array", WORK)
    assert len(front.to_frame()) == len(front)
    with pytest.raises(ValueError, match="pandas or polars"):
        best.to_frame(kind="excel")


def test_columns_of_frames_have_one_type(monkeypatch):
    """Polars, which is not among the packages of the tests, takes no others."""
    seen = {}
    fake = types.SimpleNamespace(DataFrame=seen.update)
    monkeypatch.setitem(sys.modules, "polars", fake)
    tw.map("eyeriss", model="alexnet").to_frame(kind="polars")
    tw.map("eyeriss", WORK).to_frame(kind="polars")
    assert seen
    for values in seen.values():
        assert len({type(value) for value in values if value is not None}) <= 1


@pytest.mark.parametrize("missing", [("pandas", "polars")])
def test_frames_say_what_is_missing(monkeypatch, missing):
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(tw.MissingDependency, match="pip install"):
        tw.map("toy_array", WORK).to_frame()


def test_pictures_in_notebooks_name_the_levels_and_escape_names():
    best = tw.map("eyeriss", tw.Workload(WORK).with_(workload="<script>"))
    page = best._repr_html_()
    assert "GlobalBuffer" in page and "proven" in page
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert tw.Architecture("eyeriss")._repr_html_().count("<tr>") == 9
    assert "par_for" in best.mapping._repr_html_()
    assert tw.map("eyeriss", model="alexnet")._repr_html_().count("<tr>") == 9
    front = tw.pareto("toy_array", WORK)
    assert front._repr_html_().count("<tr>") == len(front) + 1
    assert "toy_array" in repr(front) and "complete" in repr(front)
    assert "cycles" in repr(best)
