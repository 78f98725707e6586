"""Long searches: Ctrl-C, progress, threads, limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
import tilewright as tw

# A search that would not end by itself within any patience.
ENDLESS = {"mapper": "random", "patience": 2**60, "threads": 1}
WORK = "conv2d: in_channels=64 out_channels=64 p=56 q=56 r=3 s=3"


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True,
                          text=True, check=False, timeout=120)  # fmt: skip


class Enough(Exception):
    pass


def interrupt_when_found(now):
    if now["value"] is not None:
        os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_gives_the_best_so_far():
    best = tw.map("eyeriss", WORK, progress=interrupt_when_found, **ENDLESS)
    assert best.interrupted
    assert best.to_dict()["cancelled"]
    assert best.cycles > 0


def test_an_interrupt_gives_the_bound_of_a_proof():
    interrupted = []

    def interrupt(now):
        if not interrupted and now["value"] is not None and now["bound"]:
            interrupted.append(now)
            os.kill(os.getpid(), signal.SIGINT)

    best = tw.map("eyeriss", WORK, mapspace="ruby", mapper="optimal", threads=1, progress=interrupt)
    assert best.bound is not None and best.bound <= best.value
    assert best.interrupted if interrupted and not best.proven else best.proven


def test_an_interrupt_of_a_network_keeps_the_layers_that_are_done():
    def interrupt(now):
        if now["done"]:
            os.kill(os.getpid(), signal.SIGINT)

    found = tw.map("eyeriss", model="alexnet", progress=interrupt, **ENDLESS, time=0.5)
    assert found.interrupted
    assert not found.complete
    assert found.layers[0].result is not None
    assert found.layers[-1].result is None
    assert found.to_dict()["totals"] is None
    with pytest.raises(tw.NothingFound):
        found[-1]


def test_an_interrupt_before_anything_was_found_is_raised():
    program = """
        import os, signal, threading, tilewright as tw
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:  # so narrow that hardly any mapping fits
            tw.flex.isolate("resnet50", threads=1)
        except KeyboardInterrupt as error:
            print("interrupted:", error)
    """
    done = run_python(program)
    assert "interrupted: interrupted: not everything was mapped" in done.stdout, done.stderr


def test_what_a_progress_function_raises_arrives():
    def progress(now):
        raise Enough(now["what"])

    for _ in range(3):
        with pytest.raises(Enough):
            tw.map("eyeriss", WORK, progress=progress, **ENDLESS)


def test_what_a_signal_handler_raises_arrives():
    def handler(number, frame):
        raise Enough

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(Enough):
            tw.map("eyeriss", WORK, **ENDLESS)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_progress_is_told_with_all_its_keys():
    told: list[tw.Progress] = []
    tw.map("eyeriss", WORK, progress=told.append, **ENDLESS, time=1)
    assert told
    assert set(told[-1]) == set(tw.Progress.__annotations__)
    assert told[-1]["seen"] > 0
    assert told[-1]["value"] is not None


def test_progress_can_be_printed(capsys):
    tw.map("eyeriss", WORK, progress=True, **ENDLESS, time=1)
    assert "best" in capsys.readouterr().err


def test_a_progress_function_may_ask_questions_itself():
    cycles = []

    def progress(now):
        if not cycles:
            cycles.append(tw.map("toy_array", "gemm: m=8 n=8 k=8").cycles)

    tw.map("eyeriss", WORK, progress=progress, **ENDLESS, time=1)
    assert cycles == [tw.map("toy_array", "gemm: m=8 n=8 k=8").cycles]


def test_searches_of_several_threads_give_what_one_gives():
    works = [f"gemm: m={m} n=16 k=24" for m in (8, 12, 16, 24)]
    alone = [tw.map("eyeriss", work, threads=1).to_dict()["result"] for work in works]
    found: dict[str, object] = {}

    def search(work: str) -> None:
        found[work] = tw.map("eyeriss", work, threads=1).to_dict()["result"]

    threads = [threading.Thread(target=search, args=(work,)) for work in works * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[work] for work in works] == alone


def test_other_threads_work_while_a_search_runs():
    counted = []
    stop = threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted.append(1)
            stop.wait(0.01)

    thread = threading.Thread(target=count)
    thread.start()
    tw.map("eyeriss", WORK, **ENDLESS, time=1)
    stop.set()
    thread.join()
    assert len(counted) > 5


def test_a_limit_before_the_first_mapping_is_told():
    with pytest.raises(tw.NothingFound, match="no mapping found"):
        tw.map("eyeriss", WORK, mapper="random", time=1e-9)
    with pytest.raises(tw.NothingFound):
        tw.pareto("eyeriss", WORK, mapspace="ruby", time=1e-9)


def test_an_interrupt_ends_a_count():
    program = """
        import os, signal, threading, tilewright as tw
        layer = tw.Network("resnet50")["conv3_1b"]
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            tw.space("a100_like", layer, mapspace="ruby")
        except KeyboardInterrupt as error:
            print(error)
    """
    done = run_python(program)
    assert done.stdout == "interrupted before the mappings of the space were counted\n", done.stderr


# --- stopped by another thread -------------------------------------------------------


def test_a_stop_ends_a_search_with_the_best_so_far():
    stop = tw.Stop()

    def end_when_found(now):
        if now["value"] is not None:
            threading.Thread(target=stop.set).start()

    best = tw.map("eyeriss", WORK, progress=end_when_found, stop=stop, **ENDLESS)
    assert best.cycles > 0
    assert best.to_dict()["cancelled"]
    assert not best.interrupted


def test_a_stop_ends_what_is_asked_later_and_nothing_else():
    stop, other = tw.Stop(), tw.Stop()
    stop.set()
    assert stop.is_set and not other.is_set
    with pytest.raises(tw.NothingFound, match="stopped before"):
        tw.map("eyeriss", WORK, stop=stop)
    with pytest.raises(tw.NothingFound, match="stopped before"):
        tw.map("eyeriss", model="alexnet", stop=stop)
    assert tw.map("eyeriss", WORK, stop=other).proven
