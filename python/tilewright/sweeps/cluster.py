"""Sweeps on a Dask cluster: its workers compute, this process alone writes the store."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from tilewright._errors import Error, MissingDependency
from tilewright.sweeps.expect import guess
from tilewright.sweeps.plan import Task
from tilewright.sweeps.runner import Answer, Solver, Take, timed

_CHUNKS_PER_WORKER = 16
_QUEUES = {"slurm": "SLURMCluster", "pbs": "PBSCluster"}
# How often a chunk may be on a worker that dies before it is taken for its cause.
_MOST_DEATHS = 10


def solve_on(where: str, workers: int) -> Solver:
    """Solves tasks on a cluster: ``local``, the address of a scheduler, ``slurm`` or ``pbs``."""

    def run(tasks: Sequence[Task], take: Take) -> None:
        if not tasks:
            return
        distributed = _module("distributed")
        with _client(where, workers, distributed) as client:
            chunks = chunks_of(tasks, _CHUNKS_PER_WORKER * workers)
            futures = [client.submit(solve_chunk, chunk, pure=False) for chunk in chunks]
            # Dask gives the work of a worker that has died to another one.
            for _, answers in distributed.as_completed(futures, with_results=True):
                for answer in answers:
                    take(answer)

    return run


def solve_chunk(tasks: Sequence[Task]) -> list[Answer]:
    """Runs on a worker."""
    return [timed(task) for task in tasks]


def chunks_of(tasks: Sequence[Task], count: int) -> list[list[Task]]:
    """Chunks of about the same expected cost, the most expensive first."""
    costs = [(guess(task.work), number) for number, task in enumerate(tasks)]
    share = sum(cost for cost, _ in costs) / max(1, count)
    chunks: list[list[Task]] = []
    room = 0.0
    for cost, number in sorted(costs, key=lambda one: (-one[0], one[1])):
        if room <= 0:
            chunks.append([])
            room = share
        chunks[-1].append(tasks[number])
        room -= cost
    return chunks


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.replace("_", "-")
        raise MissingDependency(
            f"--cluster needs {package}: pip install 'tilewright[cluster]'"
        ) from None


def _client(where: str, workers: int, distributed: Any) -> Any:
    _module("dask").config.set({"distributed.scheduler.allowed-failures": _MOST_DEATHS})
    try:
        if where == "local":
            return distributed.Client(n_workers=workers, threads_per_worker=1)
        if where in _QUEUES:
            cluster = getattr(_module("dask_jobqueue"), _QUEUES[where])()
            cluster.scale(workers)
            return distributed.Client(cluster)
        return distributed.Client(where)
    except (OSError, ValueError) as error:
        raise Error(f"--cluster {where}: {error}; write local, slurm, pbs or an address such as "
                    "tls://host:8786") from None  # fmt: skip
