"""Our values as files of Timeloop: what comes back evaluates to the same numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from test_import_timeloop import evaluated
from tilewright.exporters.timeloop import export_timeloop
from tilewright.importers.timeloop.convert import import_timeloop

CONV = "conv2d: in_channels=8 out_channels=16 p=14 q=7 r=3 s=3 stride=2"
WORKLOADS = {
    "gemm": "gemm: m=48 n=32 k=24",
    "conv": CONV,
    "matmul": "matmul: batch=2 m=8 n=12 k=6",
    "long names": "Out[row,col] += Left[row,inner]*Right[inner,col]; row=8 col=6 inner=12",
}


def round_trip(folder, arch, workload, mapping):
    folder.mkdir(exist_ok=True)
    paths = []
    for name, text in export_timeloop(arch, workload, mapping).items():
        (folder / name).write_text(text, encoding="utf-8")
        if name != "report.md":
            paths.append(folder / name)
    return import_timeloop(paths).files


@pytest.mark.parametrize("arch", ["eyeriss", "simba", "gemmini", "toy_array"])
@pytest.mark.parametrize("kind", WORKLOADS)
def test_a_round_trip_gives_the_same_numbers(tmp_path, arch, kind):
    on = tw.Architecture(arch).with_(accounting="timeloop")
    of = tw.Workload(WORKLOADS[kind])
    found = tw.map(on, of, mapper="quickflow")
    try:
        files = round_trip(tmp_path / "files", on, of, found.mapping)
    except tw.InputError as error:  # a dimension on both axes
        assert arch == "toy_array"
        assert "Timeloop has one loop of a dimension in a fan-out" in str(error)
        return
    again = evaluated(files)
    assert again.cycles == found.cycles
    assert again.energy_pj == pytest.approx(found.energy_pj, rel=1e-12)


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_random_mappings_come_back(tmp_path, seed):
    on = tw.Architecture("eyeriss").with_(accounting="timeloop")
    of = tw.Workload(CONV)
    rows = tw.space(on, of).sample(1, seed=seed)
    cost = tw.Evaluator(on, of)
    mapping = rows[0]
    if not cost(mapping).fits:
        return
    files = round_trip(tmp_path / "files", on, of, mapping)
    again = evaluated(files)
    expected = tw.evaluate(on, of, mapping)
    assert again.cycles == expected.cycles
    assert again.energy_pj == pytest.approx(expected.energy_pj, rel=1e-12)


SMALL = {
    "architecture": "small",
    "levels": [
        {"memory": "DRAM", "capacity": "unlimited", "read": "64 pJ"},
        {"fanout": "array", "x": 4, "y": 4},
        {"memory": "RF", "capacity": "64 B", "read": "1 pJ", "double_buffered": True},
        {"compute": "MAC", "energy": "0.5 pJ"},
    ],
}
REFUSALS = {
    "in place": ({"RF": {"accumulate": "in_place"}}, "RF accumulates in place"),
    "partitions": ({"RF": {"partitions": {"weight": "8 B"}}}, "RF has partitions"),
    "no multicast": ({"array": {"multicast": False}}, "array has no multicast"),
    "halo": ({"array": {"halo": "shared"}}, "array shares halos"),
    "network": ({"array": {"word_energy": "1 pJ"}}, "words cost energy in array"),
    "systolic": (
        {"array": {"stationary": "weight", "fill": "diagonal"}},
        "array is a systolic array that fills or preloads",
    ),
    "energies of bits": (
        {"RF": {"word": "16 bits", "read": "1 pJ per 16 bits"}},
        "energies of RF follow the width of elements",
    ),
    "several at once": ({"MAC": {"macs": 4}}, "MAC does other than one multiply-accumulate"),
    "idle leakage": (
        {"leakage_of": "all", "RF": {"leakage": "1 pJ/cycle"}},
        "idle instances of RF",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_timeloop_cannot_say_is_refused(case):
    changes, message = REFUSALS[case]
    arch = tw.Architecture(SMALL).with_(changes)
    with pytest.raises(tw.InputError, match=message) as caught:
        export_timeloop(arch, tw.Workload("gemm: m=8 n=8 k=8"))
    assert caught.value.problems[0].hint


def test_remainders_and_widths_are_refused():
    arch = tw.Architecture(SMALL)
    work = tw.Workload("gemm: m=7 n=8 k=8")
    levels = {"levels": {"DRAM": {"loops": ["M 2", "N 8", "K 8"]}, "array": {"x": ["M 4 last 3"]}}}
    mapping = tw.Mapping(arch, work, levels)
    with pytest.raises(tw.InputError, match="leaves a remainder; Timeloop only approximates"):
        export_timeloop(arch, work, mapping)
    with pytest.raises(tw.InputError, match="tensors have several widths"):
        export_timeloop(arch, work.with_(bits={"W": 8, "I": 8, "O": 16}))


def test_uneven_mappings_are_refused():
    arch = tw.Architecture(SMALL)
    work = tw.Workload("gemm: m=8 n=8 k=8")
    points = {"RF(W)": ["N 8"], "RF(I, O)": ["K 8"]}
    mapping = tw.Mapping(arch, work, {"levels": {"DRAM": ["M 8"], **points}})
    with pytest.raises(tw.InputError, match="the mapping is uneven"):
        export_timeloop(arch, work, mapping)


def test_bytes_become_words(tmp_path):
    arch = tw.Architecture(SMALL)
    files = export_timeloop(arch, tw.Workload("gemm: m=8 n=8 k=8; bits=16"))
    assert "entries: 32, multiple_buffering: 2" in files["architecture.yaml"]


def test_the_command(tmp_path, run_tool):
    out = tmp_path / "out"
    printed, said, code = run_tool(
        "export", "timeloop", "-a", "eyeriss", "-w", CONV, "-o", str(out)
    )
    assert (said, code) == ("", 0)
    assert str(out / "architecture.yaml") in printed
    printed, said, code = run_tool(
        "export", "timeloop", "-a", "nowhere", "-w", CONV, "-o", str(out)
    )
    assert (printed, code) == ("", 2)
