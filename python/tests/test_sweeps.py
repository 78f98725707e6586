"""Sweeps: answers equal those of map, are computed once, and survive being killed."""

from __future__ import annotations

import itertools
import json
import math

import pytest
import tilewright as tw
from hypothesis import given, settings
from hypothesis import strategies as st
from tilewright.sweeps import runner
from tilewright.sweeps.key import MODEL_VERSION
from tilewright.sweeps.remarks import remarks_on
from tilewright.sweeps.results import (
    columns_of,
    number_of,
    pareto,
    split_settings,
    write_parquet,
)
from tilewright.sweeps.read import load_sweep, read_sweep, sweep_of
from tilewright.sweeps.runner import run, solve_here
from tilewright.sweeps.sample import at_random, grid, read_values, sobol
from tilewright.sweeps.store import Store
from tilewright.sweeps.stored import sweep_of_document

SMALL = {
    "sweep": "small", "architecture": "toy_array", "networks": ["ncf"],
    "parameters": {"Array.x": [2, 4], "Buffer.capacity": ["4 KiB", "8 KiB"]},
    "objectives": ["energy", "latency"],
}  # fmt: skip


@pytest.fixture(scope="module")
def small() -> tw.SweepResult:
    return tw.sweep(SMALL, workers=2)


def test_answers_equal_those_of_map(small):
    assert len(small) == 8
    for row in small.rows:
        settings_ = dict(word.split("=") for word in split_settings(row.design))
        arch = tw.Architecture("toy_array").with_(
            Array={"x": {"size": int(settings_["Array.x"])}},
            Buffer={"capacity": settings_["Buffer.capacity"]})  # fmt: skip
        best = tw.map(arch, model="ncf", objective=row.objective, mapspace="pfm")
        assert (row.energy_pj, row.cycles) == (best.energy_pj, best.cycles)
        assert row.proven and row.value == row.bound


STUDIES = {"flexibility_fig13": 16, "ruby_fig13_14": 13, "ten_thousand": 10_000, "which_array": 336}


def test_studies_have_as_many_designs_as_they_say(checkout):
    files = [path.stem for path in (checkout / "examples" / "studies").glob("*.yaml")]
    assert {*STUDIES, "chip", "mlp"} == set(files)
    for name, designs in STUDIES.items():
        study = load_sweep(checkout / "examples" / "studies" / f"{name}.yaml")
        assert sum(1 for _ in study.designs()) == designs, name


def test_the_edp_of_a_network_is_that_of_the_whole():
    row, each = (
        tw.sweep({"architecture": "eyeriss", "networks": ["alexnet"], "each_layer": how}).rows[0]
        for how in ("false", "true")
    )
    whole = tw.map("eyeriss", model="alexnet")
    assert (row.energy_pj, row.cycles, row.proven) == (whole.energy_pj, whole.cycles, True)
    alone = tw.map("eyeriss", model="alexnet", each_layer=True)
    assert (each.energy_pj, each.cycles) == (alone.energy_pj, alone.cycles)


def test_answers_are_the_same_with_any_number_of_workers(small):
    assert tw.sweep(SMALL, workers=1).rows == small.rows
    assert tw.sweep(SMALL, workers=5).rows == small.rows


def test_nothing_is_computed_twice(tmp_path, monkeypatch):
    asked: list[bytes] = []
    real = runner.solve

    def counting(task, *rest):
        asked.append(task.key)
        return real(task, *rest)

    monkeypatch.setattr(runner, "solve", counting)
    first = tw.sweep(SMALL, tmp_path / "s.db")
    assert len(asked) == len(set(asked))
    shapes = {layer.workload.with_(workload="w") for layer in tw.Network("ncf").layers}
    assert len(asked) == 4 * 2 * len(shapes)
    before = len(asked)
    larger = {**SMALL, "networks": ["ncf", "ncf"], "objectives": ["energy"]}
    assert tw.sweep(SMALL, tmp_path / "s.db").rows == first.rows
    tw.sweep(larger, tmp_path / "s.db")
    assert len(asked) == before


def test_a_design_that_fits_nothing_is_a_result():
    row = tw.sweep({"architecture": "toy_array", "networks": ["alexnet"],
                    "designs": [{"Registers.capacity": "1 B"}]}).rows[0]  # fmt: skip
    assert (row.status, row.energy_pj) == ("infeasible", None)
    assert row.reason


MIXED = {"Registers.class": ["regfile", "sram"], "Registers.capacity": ["64 B", "1 KiB"]}


def test_values_that_make_no_architecture_together_are_results_with_a_reason(tmp_path):
    (tmp_path / "chip.yaml").write_text(CHIP)
    asked = {"architecture": str(tmp_path / "chip.yaml"), "networks": ["ncf"],
             "objectives": ["energy"], "parameters": MIXED, "filters": ["MACs >= 1"]}  # fmt: skip
    found = tw.sweep(asked, tmp_path / "s.db")
    assert [row.status for row in found.rows] == ["found", "found", "infeasible", "found"]
    broken = found.rows[2]
    assert broken.reason.startswith("no architecture: ") and "64 B" in broken.design
    assert "outside of what estimates for sram cover" in broken.reason
    assert broken not in found.pareto("area", "MACs")
    assert tw.sweep(asked, tmp_path / "s.db").rows == found.rows
    with pytest.raises(tw.InputError, match="no design can be mapped: 1 are no architecture"):
        tw.sweep({**asked, "filters": ["MACs <= 1"]})


def test_a_value_that_makes_no_architecture_with_any_other_is_refused_at_its_place(tmp_path):
    (tmp_path / "chip.yaml").write_text(CHIP)
    text = ("architecture: chip.yaml\nnetworks: [ncf]\n"
            "parameters:\n  Registers.capacity: [64 B, 96 B]\n  Registers.class: sram\n")  # fmt: skip
    with pytest.raises(tw.InputError, match=r"s.yaml:5:20: .*estimates for sram"):
        read_sweep(text, "s.yaml", tmp_path)


def test_filters_leave_designs_out():
    found = tw.sweep({**SMALL, "filters": ["MACs <= 8"]})
    assert {row.macs for row in found.rows} == {8}
    with pytest.raises(tw.InputError, match="no design passes"):
        tw.sweep({**SMALL, "filters": ["MACs <= 7"]})


def test_estimates_follow_the_sizes(tmp_path):
    (tmp_path / "chip.yaml").write_text(CHIP)
    (tmp_path / "s.yaml").write_text("architecture: chip.yaml\nnetworks: [alexnet]\n"
                                     "objectives: [energy]\n"
                                     "parameters: {Buffer.capacity: [32 KiB, 4 MiB]}\n")  # fmt: skip
    small, large = tw.sweep(tmp_path / "s.yaml").rows
    assert large.area_um2 > 40 * small.area_um2
    assert large.energy_pj != small.energy_pj


CHIP = """
architecture: chip
technology: 28 nm
clock: 1 GHz
levels:
  - {memory: DRAM, capacity: unlimited, word: 8 bits, dram: lpddr4, bandwidth: 16 words/cycle}
  - {memory: Buffer, capacity: 64 KiB, word: 8 bits, block: 8 words, class: sram, width: 64 bits, bandwidth: 64 words/cycle}
  - {fanout: PEs, x: 8, y: 8}
  - {memory: Registers, capacity: 64 B, word: 8 bits, class: regfile}
  - {compute: MAC, mac: int8, area: 500 um2}
"""


# --- samples ----------------------------------------------------------------------


def test_capacities_that_no_energy_follows_are_remarked_on(tmp_path):
    (said,) = remarks_on(sweep_of({**SMALL, "architecture": "eyeriss",
                                   "parameters": {"GlobalBuffer.capacity": ["32 KiB", "64 KiB"],
                                                  "SACols.x": [8, 14]}}))  # fmt: skip
    assert said.startswith("GlobalBuffer.capacity: eyeriss gives 2.02 pJ for a read of GlobalBuffer")
    (tmp_path / "chip.yaml").write_text(CHIP, encoding="utf-8")
    estimated = {**SMALL, "architecture": str(tmp_path / "chip.yaml"),
                 "parameters": {"Buffer.capacity": ["16 KiB", "64 KiB"]}}  # fmt: skip
    assert remarks_on(sweep_of(estimated)) == []


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(1, 50), st.integers(0, 99))
def test_samples_are_different_choices(sizes, count, seed):
    everything = set(grid(sizes))
    assert len(everything) == math.prod(sizes)
    for some in (list(at_random(sizes, count, seed)), list(sobol(sizes, count))):
        assert len(set(some)) == len(some) == min(count, len(everything))
        assert set(some) <= everything


def test_a_sequence_of_sobol_fills_every_cell_of_a_binary_grid():
    for dimensions in (2, 3, 5, 16):
        some = list(sobol([16] * dimensions, 16))
        for axis in range(dimensions):
            assert {choice[axis] for choice in some} == set(range(16))


@pytest.mark.parametrize("text, values", [
    ("8..10", ["8", "9", "10"]), ("8..20 step 6", ["8", "14", "20"]),
    ("1..9 x2", ["1", "2", "4", "8"]), ("2..4 x2 KiB", ["2 KiB", "4 KiB"]), ("3 pJ", ["3 pJ"]),
])  # fmt: skip
def test_values_of_a_range(text, values):
    assert read_values(text) == values


# --- files --------------------------------------------------------------------------

_GOOD = "architecture: eyeriss\nnetworks: [alexnet]\n"


@pytest.mark.parametrize("text, complaint", [
    ("", "sweep.yaml: the file is empty; start with"),
    ("- a\n", "sweep.yaml:1:1: a sweep has keys; start with"),
    ("networks: [alexnet]\n", "sweep.yaml: there is no architecture; add"),
    ("architecture: eyeriss\n", "sweep.yaml: there are no networks; add"),
    ("architecture: eyerisss\nnetworks: [alexnet]\n", "sweep.yaml:1:15: "),
    ("architecture: eyeriss\nnetworks: [alexne]\n", "sweep.yaml:2:12: "),
    (_GOOD + "parameter: {}\n", 'sweep.yaml:3:1: unknown key "parameter"; did you mean parameters?'),
    (_GOOD + "parameters: {SACols.z: 8}\n", "sweep.yaml:3:24: "),
    (_GOOD + "parameters: {SAColz.x: 8}\n", "did you mean SACols"),
    (_GOOD + "parameters: {SACols.x: 32..8}\n", 'sweep.yaml:3:24: "32..8" ends before it starts'),
    (_GOOD + "parameters: {SACols.x: []}\n", "sweep.yaml:3:24: the list is empty"),
    (_GOOD + "mapspaces: [rubi]\n", 'sweep.yaml:3:13: "rubi" is none of mapspaces'),
    (_GOOD + "mappers: [best]\n", 'sweep.yaml:3:11: "best" is none of mappers'),
    (_GOOD + "objectives: [speed]\n", 'sweep.yaml:3:13: "speed" is no objective'),
    (_GOOD + "sample: {random: many}\n", "sweep.yaml:3:9: this is no sample; write grid"),
    (_GOOD + "filters: [area <= 2]\n", 'sweep.yaml:3:11: "2" has no unit of area'),
    (_GOOD + "filters: [energy <= 2 pJ]\n", "energy is not known before mapping"),
    (_GOOD + "filters: [aera <= 2 mm2]\n", "did you mean area?"),
    (_GOOD + "sizes: {tokens: 5}\n", "sweep.yaml:2:12: "),
    (_GOOD + "options: {tim: 5}\n", "did you mean time?"),
    (_GOOD + "sweep: {}\n", "sweep.yaml:3:8: a single value is needed here"),
    (_GOOD + "sample: [1]\n", "sweep.yaml:3:9: this is no sample"),
    (_GOOD + "each_layer: perhaps\n", '"perhaps" is neither true nor false'),
    (_GOOD + "networks: [vgg16]\n", 'sweep.yaml:3:1: the key "networks" stands twice'),
    (_GOOD + "designs: [{SACols.x: 8}]\nparameters: {SACols.x: 8}\n", "exclude each other"),
])  # fmt: skip
def test_what_is_wrong_with_a_file_is_said_with_its_place(text, complaint):
    with pytest.raises(tw.InputError) as error:
        read_sweep(text, "sweep.yaml")
    assert any(complaint in str(one) for one in error.value.problems), str(error.value)


def test_all_complaints_come_at_once():
    with pytest.raises(tw.InputError) as error:
        read_sweep("architecture: eyeris\nnetworks: [alexne]\nmapspaces: [x]\n", "s")
    assert len(error.value.problems) == 3


@given(st.dictionaries(st.sampled_from(["Array.x", "Array.y", "Buffer.read"]),
                       st.lists(st.integers(1, 9), min_size=1, max_size=4), max_size=3),
       st.sampled_from(["grid", {"random": 5, "seed": 2}, {"sobol": 3}]))  # fmt: skip
@settings(max_examples=25)
def test_files_made_at_random_are_read_as_they_were_meant(parameters, sample):
    written = {path: [f"{v} pJ" if "read" in path else v for v in vs]
               for path, vs in parameters.items()}  # fmt: skip
    sweep = sweep_of({"architecture": "toy_array", "networks": ["alexnet"], "sample": sample,
                      "parameters": written})  # fmt: skip
    designs = list(sweep.designs())
    whole = math.prod(len(set(vs)) for vs in parameters.values())
    count = {"grid": whole}.get(sample, 0) if isinstance(sample, str) else next(iter(sample.values()))
    assert len(designs) == min(whole, count)
    for design in designs:
        for path, value in design.settings:
            assert value.removesuffix(" pJ") in {str(one) for one in parameters[path]}


_FILE = """
sweep: mutated
architecture: toy_array
parameters: {Array.x: 2..8 step 2, Buffer.capacity: [4 KiB, 8 KiB]}
networks: [{model: ncf}]
sample: {random: 3, seed: 1}
filters: ["MACs <= 64", area <= 2 mm2]
mapspaces: [pfm, ruby-s]
objectives: [edp, energy^2*cycles]
constrain: ["Array.x: M <= 2"]
options: {time: 10s, bits: 16, full: false}
"""


@given(st.integers(0, len(_FILE) - 1), st.integers(0, 12), st.text("abx:[]{}#-, \n\"'0.9=<", max_size=6))
@settings(max_examples=150)
def test_a_damaged_file_is_read_or_complained_about_with_places(at, gone, put):
    text = _FILE[:at] + put + _FILE[at + gone :]
    try:
        sweep = read_sweep(text, "sweep.yaml")
    except tw.InputError as error:
        assert all(problem.message and problem.file == "sweep.yaml" for problem in error.problems)
    else:
        assert sweep_of_document(sweep.document()) == sweep
        assert sum(1 for _ in sweep.designs()) >= 1


@given(st.text("abc:[]{}#-, \n\"'0.9*&!", max_size=60))
def test_no_text_breaks_the_reader(text):
    with pytest.raises(tw.InputError):
        read_sweep(text, "sweep.yaml")


# --- results -----------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)), max_size=30),
       st.sampled_from([("energy", "cycles"), ("energy", "cycles", "area"), ("edp", "area")]))  # fmt: skip
def test_a_front_has_what_no_other_beats(points, names):
    rows = [_made(*point) for point in points]
    values = [tuple(number_of(row, name) for name in names) for row in rows]
    kept = {tuple(number_of(row, name) for name in names) for row in pareto(rows, names)}

    def beaten(one):
        return any(other != one and all(a <= b for a, b in zip(other, one)) for other in values)

    assert kept == {one for one in values if not beaten(one)}


def _made(energy: int, cycles: int, area: int):
    from test_sweep_store import row

    return row(1, energy_pj=float(energy), cycles=cycles, area_um2=float(area))


def test_the_best_designs(small):
    best = small.best("energy")["ncf"]
    assert best.energy_pj == min(row.energy_pj for row in small.rows)
    assert small.best_overall("energy")[0].mean == pytest.approx(best.energy_pj)
    for weights in ({"vgg": 1.0}, {"ncf": 0.0}, {"ncf": -1.0}):
        with pytest.raises(tw.InputError, match="networks of the sweep"):
            small.best_overall("energy", weights)


def test_what_does_not_matter_has_a_ratio_of_one(small):
    ratios = {one.parameter: one for one in small.sensitivity("MACs")}
    assert ratios["Buffer.capacity"].largest_ratio == 1
    assert ratios["Array.x"].mean_ratio == pytest.approx(2)


def test_files_of_results_say_the_same(small):
    lines = small.to_csv().splitlines()
    assert lines[0].startswith("architecture,Array.x,Buffer.capacity,work,mapspace")
    assert len(lines) == 9
    frame = small.to_frame("pandas")
    assert list(frame["energy_pj"]) == [row.energy_pj for row in small.rows]
    document = small.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert [one["cycles"] for one in document["results"]] == [row.cycles for row in small.rows]


def test_parquet_has_the_columns_of_the_frame(small, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_parquet(small.rows, tmp_path / "s.parquet")
    table = parquet.read_table(tmp_path / "s.parquet")
    assert table.column_names == list(columns_of(small.rows))
    assert table["cycles"].to_pylist() == [row.cycles for row in small.rows]


def test_the_answers_of_this_version_of_the_model():
    """If this fails, answers have changed: raise MODEL_VERSION in sweeps/key.py, and renew."""
    found = tw.sweep({"architecture": ["eyeriss", "simba"], "networks": ["alexnet"],
                      "objectives": ["energy"]}).rows  # fmt: skip
    assert MODEL_VERSION == 1
    assert [(f"{row.energy_pj:.9g}", row.cycles) for row in found] == EXPECTED


EXPECTED = [("8.11434747e+09", 26827552), ("1.83596878e+10", 22802528)]


# --- the command --------------------------------------------------------------------

def test_ctrl_c_stores_what_was_finished(tmp_path):
    sweep = sweep_of({**SMALL, "parameters": {"Array.x": [2, 3, 4, 5]}})
    with Store(tmp_path / "s.db") as store:
        seen = itertools.count(1)

        def interrupt(_):
            if next(seen) == 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run(sweep, store, solve_here(2), interrupt)
        assert len(store) == 5


def test_the_command_takes_options(run_tool, tmp_path):
    words = ["sweep", "-a", "toy_array", "--model", "ncf", "--set", "Array.x=2,4", "-o", "energy",
             "--store", str(tmp_path / "s.db")]  # fmt: skip
    out, err, code = run_tool(*words, "--format", "jsonl")
    assert (code, err) == (0, "")
    assert [json.loads(line)["Array.x"] for line in out.splitlines()] == ["2", "4"]
    out, _, code = run_tool("results", str(tmp_path / "s.db"), "--filter", "kind == network")
    assert code == 0 and "2 of 2 results" in out
    out, _, _ = run_tool(*words, "--pareto", "energy,cycles", "--format", "csv")
    assert len(out.splitlines()) == 2
    out, _, _ = run_tool(*words, "--best", "energy")
    assert "Array.x=" in out
    out, _, _ = run_tool(*words, "--sensitivity", "MACs")
    assert out.startswith("Array.x: changes MACs by a factor of 2 ")
    both, _, _ = run_tool(*words, "--best", "energy", "--sensitivity", "MACs")
    assert "proven" in both and both.endswith(out)


@pytest.mark.parametrize("words, complaint", [
    (["sweep", "-a", "toy_array", "--model", "alexnet", "--set", "Arry.x=2"], "did you mean Array"),
    (["sweep", "-a", "toy_array", "--model", "alexnet", "--set", "Array.x"], "gives nothing a value"),
    (["sweep", "none.yaml"], "none.yaml"),
    (["results", "none.db"], "no such store"),
    (["codesign", "-a", "toy_array", "--model", "alexnet", "--set", "Array.x=2", "--trials", "few"],
     "is no number of designs"),
])  # fmt: skip
def test_the_command_refuses_what_means_nothing(run_tool, tmp_path, words, complaint):
    store = [] if words[0] == "results" else ["--store", str(tmp_path / "s.db")]
    _, err, code = run_tool(*words, *store)
    assert code == 2 and complaint in err
