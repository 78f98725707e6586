"""Sweeps on real worker processes of Dask."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import types

import pytest
import tilewright as tw
from tilewright.sweeps import cluster
from tilewright.sweeps.cluster import Shards, chunks_of, solve_on
from tilewright.sweeps.expect import guess
from tilewright.sweeps.plan import Plan, machines_of
from tilewright.sweeps.read import sweep_of
from tilewright.sweeps.runner import run
from tilewright.sweeps.spec import Sweep
from tilewright.sweeps.store import Store

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="distributed is not installed"
)
LAYERS = [("a", "gemm: m=8 n=4 k=6"), ("b", "gemm: m=6 n=8 k=4"), ("c", "gemm: m=3 n=4 k=2")]
# A worker that is silent for so long has its work taken away.
PATIENCE = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1s"}


class Dask:
    """A scheduler and workers, each a process."""

    def __init__(self, folder) -> None:
        self.file = folder / "scheduler.json"
        self.address = ""
        self.processes: list[subprocess.Popen] = []
        self.start("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--no-show")

    def start(self, module: str, *words: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-m", module, "--scheduler-file", str(self.file), *words],
            env={**os.environ, **PATIENCE}, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # fmt: skip
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen:
        return self.start("distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1",
                          "--no-dashboard")  # fmt: skip

    def end(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    made = Dask(tmp_path_factory.mktemp("dask"))
    yield made
    made.end()


@pytest.fixture(scope="module")
def workers(dask) -> list[subprocess.Popen]:
    """Two, of which the first is there when a sweep begins."""
    from distributed import Client

    first = dask.worker()
    with Client(scheduler_file=str(dask.file)) as client:
        client.wait_for_workers(1)
        dask.address = client.scheduler.address
    return [first, dask.worker()]


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> Sweep:
    net = tmp_path_factory.mktemp("net") / "net.yaml"
    net.write_text(tw.Network.of("net", LAYERS).to_yaml())
    return sweep_of({"architecture": "toy_array", "networks": [str(net)], "objectives": ["energy"],
                     "parameters": {"Array.x": "1..20"}})  # fmt: skip


@pytest.fixture(scope="module")
def here(asked):
    return tuple(tw.sweep(asked).rows)


@needs_dask
def test_workers_stall_die_and_join_and_every_result_lands_once(dask, workers, asked, here):
    told: list[int] = []

    def trouble(now) -> None:
        told.append(now.done)
        if len(told) == 3:  # the other one takes over, now or as soon as it is there
            workers[0].send_signal(signal.SIGSTOP)
        if len(told) == 55:
            workers[0].send_signal(signal.SIGKILL)

    with Store(":memory:") as store:
        rows = run(asked, store, solve_on(dask.address, 2), trouble)
        assert len(store) == 60 + 20
    assert told == list(range(1, 61))
    assert tuple(rows) == here
    assert workers[0].wait() == -signal.SIGKILL


@needs_dask
def test_workers_write_stores_of_their_own_which_are_merged(dask, workers, asked, here, tmp_path):
    shards = Shards(tmp_path / "shards")
    told: list[int] = []
    with Store(tmp_path / "s.db") as store:
        solver = solve_on(dask.address, 1, shards)
        rows = run(asked, store, solver, lambda now: told.append(now.done),
                   lambda: shards.merge_into(store))  # fmt: skip
        assert len(store.times([row.key for row in store.rows()])) == 60
    assert told == list(range(1, 61))
    assert tuple(rows) == here
    assert list((tmp_path / "shards").iterdir()) == []


def test_what_workers_had_stored_when_the_sweep_was_killed_is_taken_over(asked, here, tmp_path):
    shards = Shards(tmp_path)
    tasks = list(Plan(asked, machines_of(asked)).tasks.values())
    left = cluster.solve_chunk(tasks[:30], shards)
    assert [answer.row for answer in left] == [None] * 30
    with Store(":memory:") as store:
        shards.merge_into(store)
        assert len(store) == 30
    assert list(tmp_path.iterdir()) == []


def test_chunks_hold_every_task_once_and_cost_about_the_same():
    sweep = sweep_of({"architecture": "toy_array", "networks": ["resnet50"],
                      "objectives": ["energy"]})  # fmt: skip
    tasks = list(Plan(sweep, machines_of(sweep)).tasks.values())
    chunks = chunks_of(tasks, 8)
    assert sorted(task.key for chunk in chunks for task in chunk) == sorted(t.key for t in tasks)
    assert 4 <= len(chunks) <= 8
    costs = [sum(guess(task.work) for task in chunk) for chunk in chunks[:-1]]
    assert max(costs) < 2 * min(costs)


@pytest.mark.parametrize("where, module, name", [
    ("slurm", "dask_jobqueue", "SLURMCluster"), ("pbs", "dask_jobqueue", "PBSCluster"),
    ("kubernetes", "dask_kubernetes.operator", "KubeCluster"),
])  # fmt: skip
def test_batch_systems_are_asked_for_workers_through_their_packages(monkeypatch, where, module, name):
    scaled: list[int] = []
    made = types.SimpleNamespace(scale=scaled.append)
    modules = {"dask": types.SimpleNamespace(config=types.SimpleNamespace(set=lambda _: None)),
               module: types.SimpleNamespace(**{name: lambda: made})}  # fmt: skip
    monkeypatch.setattr(cluster, "_module", lambda asked: modules[asked])
    distributed = types.SimpleNamespace(Client=lambda cluster: ("client of", cluster))
    assert cluster._client(where, 7, distributed) == ("client of", made)
    assert scaled == [7]


@pytest.mark.parametrize("words, complaint", [
    (["--cluster", "kubernetes"], "pip install 'tilewright[cluster]' dask-kubernetes"),
    (["--cluster", "nonsense://x"], "write local, slurm, pbs, kubernetes or an address"),
    (["--cluster", "tls://127.0.0.1:1"], "perhaps check your TLS configuration?"),
    (["--shards", "folder"], "--shards: workers of this process write one store; add --cluster"),
])  # fmt: skip
@needs_dask
def test_the_command_says_what_a_cluster_needs(monkeypatch, capsys, tmp_path, words, complaint):
    from tilewright.sweeps import command

    monkeypatch.setitem(sys.modules, "dask_kubernetes", None)
    monkeypatch.chdir(tmp_path)
    code = command.main("sweep", ["-a", "toy_array", "--model", "ncf", "-o", "energy", *words])
    assert code == 2 and complaint in capsys.readouterr().err


def test_without_dask_the_command_says_what_to_install(monkeypatch, capsys, tmp_path):
    from tilewright.sweeps import command

    monkeypatch.setitem(sys.modules, "distributed", None)
    code = command.main("sweep", ["-a", "toy_array", "--model", "ncf", "--cluster", "--store",
                                  str(tmp_path / "s.db")])  # fmt: skip
    assert code == 2 and "pip install 'tilewright[cluster]'" in capsys.readouterr().err
