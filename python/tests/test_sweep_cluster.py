"""Sweeps on real worker processes of Dask."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest
import tilewright as tw
from tilewright.sweeps.cluster import chunks_of
from tilewright.sweeps.expect import guess
from tilewright.sweeps.plan import Plan, machines_of
from tilewright.sweeps.spec import sweep_of

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="distributed is not installed"
)
LAYERS = [("a", "gemm: m=48 n=64 k=96"), ("b", "gemm: m=96 n=48 k=36"), ("c", "gemm: m=9 n=8 k=7")]

# At the third answer one worker is killed; its work has to be done by others.
_KILLER = """
import json, os, signal, sys
import psutil
from tilewright.sweeps.cluster import solve_on
from tilewright.sweeps.runner import run
from tilewright.sweeps.spec import load_sweep
from tilewright.sweeps.store import Store

def main():
    killed = []
    taken = []
    def tell(now):
        taken.append(now.done)
        if len(taken) == 3:
            workers = [p for p in psutil.Process().children(recursive=True)
                       if any("spawn_main" in word for word in p.cmdline())]
            os.kill(workers[0].pid, signal.SIGKILL)
            killed.append(workers[0].pid)
    with Store(sys.argv[2]) as store:
        rows = run(load_sweep(sys.argv[1]), store, solve_on("local", 2), tell)
    print(json.dumps([len(killed), len(taken), [[r.design, r.energy_pj, r.cycles] for r in rows]]))

if __name__ == "__main__":
    main()
"""


@needs_dask
def test_a_worker_that_is_killed_loses_nothing_and_doubles_nothing(tmp_path):
    (tmp_path / "net.yaml").write_text(tw.Network.of("net", LAYERS).to_yaml())
    file = tmp_path / "s.yaml"
    file.write_text("architecture: toy_array\nnetworks: [net.yaml]\nobjectives: [energy]\n"
                    "parameters: {Array.x: 1..40}\n")  # fmt: skip
    (tmp_path / "main.py").write_text(_KILLER)
    done = subprocess.run([sys.executable, "main.py", str(file), "cut.db"], cwd=tmp_path, check=True,
                          capture_output=True, text=True, timeout=120)  # fmt: skip
    killed, taken, rows = json.loads(done.stdout.splitlines()[-1])
    here = tw.sweep(file).rows
    assert killed == 1
    assert taken == 120
    assert rows == [[row.design, row.energy_pj, row.cycles] for row in here]


def test_chunks_hold_every_task_once_and_cost_about_the_same():
    sweep = sweep_of({"architecture": "toy_array", "networks": ["resnet50"],
                      "objectives": ["energy"]})  # fmt: skip
    tasks = list(Plan(sweep, machines_of(sweep)).tasks.values())
    chunks = chunks_of(tasks, 8)
    assert sorted(task.key for chunk in chunks for task in chunk) == sorted(t.key for t in tasks)
    assert 4 <= len(chunks) <= 8
    costs = [sum(guess(task.work) for task in chunk) for chunk in chunks[:-1]]
    assert max(costs) < 2 * min(costs)


def test_without_dask_the_command_says_what_to_install(run_tool, tmp_path):
    if importlib.util.find_spec("distributed") is not None:
        pytest.skip("distributed is installed")
    _, err, code = run_tool("sweep", "-a", "toy_array", "--model", "alexnet", "--cluster",
                            "--store", str(tmp_path / "s.db"))  # fmt: skip
    assert code == 2 and "pip install 'tilewright[cluster]'" in err
