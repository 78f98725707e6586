"""Sweeps that are killed go on, and end as if nothing had happened."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
import tilewright as tw
from tilewright.sweeps.store import Store

# A hundred and twenty take a minute: TILEWRIGHT_KILLS=120.
KILLS = int(os.environ.get("TILEWRIGHT_KILLS", "12"))
LAYERS = [("a", "gemm: m=2 n=2 k=2"), ("b", "gemm: m=4 n=2 k=2")]
_FILE = """
sweep: killed
architecture: toy_array
networks: [net.yaml]
objectives: [energy]
parameters: {Array.x: 1..6, Buffer.capacity: [1 KiB, 2 KiB]}
"""


@pytest.fixture
def file(tmp_path) -> pathlib.Path:
    (tmp_path / "net.yaml").write_text(tw.Network.of("net", LAYERS).to_yaml())
    (tmp_path / "s.yaml").write_text(_FILE)
    return tmp_path / "s.yaml"


def test_killed_anywhere_it_goes_on_and_exports_the_same(file):
    program = pathlib.Path(__file__).with_name("kill_sweeps.py")
    done = subprocess.run([sys.executable, str(program), str(file), str(file.parent), str(KILLS)],
                          check=True, capture_output=True, text=True)  # fmt: skip
    found = json.loads(done.stdout)
    assert found["different"] == []
    # What is killed from outside may have ended before.
    assert all(found["killed"][kind] == KILLS // 4 for kind in ("statement", "step", "answer"))


def test_a_command_that_is_killed_is_resumed(file, tool):
    words = [*tool, "sweep", str(file), "--quiet", "--format", "csv", "--store"]
    whole = subprocess.run([*words, str(file.parent / "whole.db")], check=True, capture_output=True)
    cut = file.parent / "cut.db"
    process = subprocess.Popen([*words, str(cut)], stdout=subprocess.DEVNULL)
    while not cut.exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    again = subprocess.run([*words, str(cut), "--resume"], check=True, capture_output=True)
    assert again.stdout == whole.stdout


def test_ctrl_c_ends_the_command_soon_and_it_goes_on(tmp_path, tool):
    words = [*tool, "sweep", "-a", "simba", "--model", "resnet50", "--mapspace", "ruby", "--set",
             "PEs.x=2,4", "-o", "energy", "--store", str(tmp_path / "s.db")]  # fmt: skip
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not _sweeps_of(tmp_path / "s.db") and process.poll() is None:
        time.sleep(0.01)  # until it has begun
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in err
    with Store(tmp_path / "s.db") as store:
        assert store.check() == []


def _sweeps_of(path: pathlib.Path) -> int:
    if not path.exists():
        return 0
    with Store(path) as store:
        return len(store.sweeps())
