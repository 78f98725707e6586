"""Misuse ends in exceptions, and nothing is left behind."""

from __future__ import annotations

import gc
import multiprocessing
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import tilewright as tw
from tilewright import _native

WORK = "gemm: m=16 n=12 k=8"


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True,
                          text=True, check=False, timeout=120)  # fmt: skip


def everything() -> None:
    """Uses every kind of value, and some of them wrongly."""
    arch, work = tw.Architecture("eyeriss"), tw.Workload(WORK)
    best = tw.map(arch, work, certificate=True)
    best.to_dict(), repr(best), best.mapping.to_row(), best._repr_html_()
    tw.check(best)
    tw.evaluate(arch, work, best.mapping).to_frame()
    space, cost = tw.space(arch, work), tw.Evaluator(arch, work)
    cost.scores(space.neighbours(space.sample(100)[0]))
    tw.pareto("toy_array", work)[0].mapping.to_yaml()
    network = tw.Network.of("one", [("a", work)])
    tw.map(arch, network)[0].mapping.workload.to_dict()
    tw.flex.measure("flex_1024", work)
    tw.Constraints(arch, ["SACols.x: M <= 4"])
    with pytest.raises(tw.InputError):
        arch.with_(DRAM={"reed": 1})
    with pytest.raises(tw.Infeasible):
        tw.map(arch, work, constrain="SARows.y: M = 5")
    with pytest.raises(ZeroDivisionError):
        tw.map(arch, work, mapper="random", patience=2**60, progress=lambda now: 1 / 0)


def test_nothing_leaks():
    everything()
    gc.collect()
    before = _native.live_objects()
    for _ in range(3):
        everything()
    gc.collect()
    assert _native.live_objects() == before


def test_threads_are_used_again():
    def threads() -> int:
        return len(list(pathlib.Path("/proc/self/task").iterdir()))

    tw.map("eyeriss", WORK, threads=1)
    before = threads()
    for _ in range(20):
        tw.map("eyeriss", WORK, threads=1)
    assert threads() == before


def test_parts_outlive_what_they_are_of():
    mapping = tw.map("eyeriss", WORK).mapping
    rows = tw.space("eyeriss", WORK).sample(10)
    around = tw.space("eyeriss", WORK).neighbours(mapping).rows
    work = tw.Network("alexnet").layers[3].workload
    point = tw.pareto("toy_array", WORK)[0]
    gc.collect()
    assert tw.evaluate("eyeriss", WORK, mapping).cycles > 0
    assert rows[3] in tw.space("eyeriss", WORK)
    assert tw.Evaluator("eyeriss", WORK).scores(around).fits.any()
    assert work.macs > 0
    assert point.mapping.nest


@pytest.mark.parametrize("wrong", [None, 17, 1.5, b"bytes", object(), [], ("a",), "", "\0", "x" * 5000,
                                   "\udc80", {"a": 1}, {}, True])  # fmt: skip
def test_wrong_arguments_raise_ordinary_exceptions(wrong):
    expected = (TypeError, ValueError, tw.Error, AttributeError, UnicodeError, KeyError)
    space, cost = tw.space("toy_array", WORK), tw.Evaluator("toy_array", WORK)
    attempts = [
        lambda: tw.Architecture(wrong), lambda: tw.Workload(wrong), lambda: tw.Network(wrong),
        lambda: tw.Constraints("eyeriss", [wrong]), lambda: tw.Mapping("eyeriss", WORK, wrong),
        lambda: tw.map(wrong, WORK), lambda: tw.map("eyeriss", wrong),
        lambda: tw.evaluate("eyeriss", WORK, wrong), lambda: cost(wrong),
        lambda: tw.space("eyeriss", WORK, mapspace=wrong) if wrong is not None else tw.space(None),
        lambda: tw.check(wrong), lambda: space.neighbours(wrong), lambda: space.why_not(wrong),
        lambda: tw.Network.of("n", [("a", wrong)]), lambda: cost.mapping([wrong]),
    ]  # fmt: skip
    for attempt in attempts:
        with pytest.raises(expected):
            attempt()


def test_native_methods_refuse_what_is_not_theirs():
    with pytest.raises(TypeError):
        _native.Workload()
    with pytest.raises(TypeError):
        _native.Workload.yaml(_native.Architecture.load("eyeriss"))
    uninitialised = _native.Workload.__new__(_native.Workload)
    with pytest.raises(TypeError), pytest.warns(RuntimeWarning, match="uninitialized"):
        uninitialised.yaml()
    empty = tw.Workload.__new__(tw.Workload)
    with pytest.raises(AttributeError):
        empty.to_yaml()


def test_huge_arrays_are_refused():
    space = tw.space("toy_array", WORK)
    with pytest.raises((MemoryError, ValueError)):
        space.sample(2**60)
    with pytest.raises(ValueError):
        space.sample(-1)
    with pytest.raises(ValueError):
        space.sample(1, seed=-1)
    cost = tw.Evaluator("toy_array", WORK)
    row = space.sample(1).rows
    many = np.broadcast_to(row, (100_000, row.shape[1]))
    assert cost.scores(many).energy_pj.shape == (100_000,)


def test_values_cannot_be_changed():
    arch = tw.Architecture("eyeriss")
    with pytest.raises(AttributeError):
        arch.name = "other"
    with pytest.raises(AttributeError):
        arch.anything = 1


def test_arrays_may_be_read_by_several_threads():
    import threading

    space, cost = tw.space("eyeriss", WORK), tw.Evaluator("eyeriss", WORK)
    rows = space.sample(20_000).rows
    expected = cost.scores(rows).energy_pj
    parts = np.array_split(np.arange(len(rows)), 4)
    found = [None] * 4

    def score(i: int) -> None:
        found[i] = cost.scores(rows[parts[i]]).energy_pj

    threads = [threading.Thread(target=score, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(np.concatenate(found), expected)


def _cycles_of(work: str) -> int:
    return tw.map("eyeriss", work).cycles


def test_a_forked_process_searches():
    _cycles_of(WORK)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_cycles_of, [WORK] * 4) == [_cycles_of(WORK)] * 4


def test_a_process_forked_during_a_search_searches_and_ends():
    program = f"""
        import os, threading, tilewright as tw
        searching = threading.Event()
        thread = threading.Thread(target=lambda: tw.map(
            "eyeriss", {WORK!r}, mapper="random", patience=2**60, time=2,
            progress=lambda now: searching.set()))
        thread.start()
        searching.wait()
        child = os.fork()
        if child == 0:
            print("child", tw.map("eyeriss", {WORK!r}).cycles, flush=True)
            raise SystemExit(0)
        assert os.waitpid(child, 0)[1] == 0
        thread.join()
    """
    done = run_python(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("child ")


@pytest.mark.parametrize("daemon", [True, False])
def test_the_interpreter_ends_during_a_search(daemon):
    program = f"""
        import threading, tilewright as tw
        searching = threading.Event()
        threading.Thread(daemon={daemon}, target=lambda: tw.map(
            "eyeriss", {WORK!r}, mapper="random", patience=2**60,
            time={"None" if daemon else 1}, progress=lambda now: searching.set())).start()
        searching.wait()
        print("ends")
    """
    done = run_python(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")


def test_the_module_needs_nothing_but_the_c_library():
    """A wheel has to work where none of the libraries that it was built with is installed."""
    native = pathlib.Path(_native.__file__).read_bytes()
    for library in (b"libyaml-cpp.so", b"libfmt.so", b"libstdc++.so", b"libgcc_s.so"):
        assert library not in native, library
