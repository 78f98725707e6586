"""Sweeps on a Dask cluster: its workers compute, and this process writes the store, or merges the
stores that workers have written where one writer would be too slow."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pathlib
import socket
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tilewright._errors import Error, InputError, MissingDependency, Problem
from tilewright.sweeps.expect import guess
from tilewright.sweeps.plan import Task
from tilewright.sweeps.runner import Answer, Solver, Take, add_answers, timed
from tilewright.sweeps.store import Store

# Many chunks even out what layers cost; the scheduler takes 2 ms for each (docs/sweeps_measured.md).
_CHUNKS_PER_WORKER = 16
_MOST_CHUNKS = 4000
_LEAST_CHUNKS_PER_WORKER = 4
_MOST_TASKS = 256  # of a chunk: what is in flight is lost if this process is killed
# How often a chunk may be on a worker that dies before it is taken for its cause.
_MOST_DEATHS = 10


class _Kind(NamedTuple):
    """A kind of cluster that a package of Dask starts."""

    module: str
    name: str


_STARTED = {
    "slurm": _Kind("dask_jobqueue", "SLURMCluster"), "pbs": _Kind("dask_jobqueue", "PBSCluster"),
    "kubernetes": _Kind("dask_kubernetes.operator", "KubeCluster"),
}  # fmt: skip


class Shards:
    """Stores of workers in a folder that all of them see, one for each process.

    None of them is written by two processes, so that the folder may be on a network.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        try:
            pathlib.Path(self.folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError([Problem(f"cannot be made: {error.strerror}", "name another folder",
                                      self.folder)]) from None  # fmt: skip

    def add(self, answers: Sequence[Answer]) -> list[Answer]:
        """Runs on a worker; gives the answers without their rows."""
        path = pathlib.Path(self.folder) / f"{socket.gethostname()}-{os.getpid()}.db"
        with Store(path, alone=True) as shard:
            add_answers(shard, answers)
        return [answer._replace(row=None) for answer in answers]

    def merge_into(self, store: Store) -> None:
        """Also what workers have left when this process was killed."""
        for path in sorted(pathlib.Path(self.folder).glob("*.db")):
            with Store(path, create=False, alone=True) as shard:
                shard.check_out()
            store.merge_file(path)
            path.unlink()


def solve_on(
    where: str, workers: int, shards: Shards | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Solver:  # fmt: skip
    """Solves tasks on a cluster: ``local``, ``slurm``, ``pbs``, ``kubernetes``, or the address of a
    scheduler. With shards the rows are there when all is done, and not in the answers."""

    def run(tasks: Sequence[Task], take: Take) -> None:
        if not tasks:
            return
        distributed = _module("distributed")
        with _client(where, workers, distributed) as client:
            if where != "local" or importlib.util.find_spec("bokeh"):
                say(f"dashboard: {client.dashboard_link}")
            at_once = max(workers, sum(client.nthreads().values()))
            futures = [
                client.submit(solve_chunk, chunk, shards, pure=False, key=_name(chunk, number))
                for number, chunk in enumerate(chunks_of(tasks, chunk_count(at_once)))
            ]
            # Dask gives the work of a worker that has died to another one.
            for _, answers in distributed.as_completed(futures, with_results=True):
                for answer in answers:
                    take(answer)

    return run


def solve_chunk(tasks: Sequence[Task], shards: Shards | None = None) -> list[Answer]:
    """Runs on a worker."""
    answers = [timed(task) for task in tasks]
    return answers if shards is None else shards.add(answers)


def _name(chunk: Sequence[Task], number: int) -> str:
    """What the dashboard calls a chunk; it sums up what has the same text before the number."""
    return f"{chunk[0].label}-{number}-{chunk[0].key.hex()}"


def chunk_count(workers: int) -> int:
    """How many chunks are made for so many workers."""
    return max(_LEAST_CHUNKS_PER_WORKER * workers, min(_CHUNKS_PER_WORKER * workers, _MOST_CHUNKS))


def chunks_of(tasks: Sequence[Task], count: int) -> list[list[Task]]:
    """Chunks of about the same expected cost, the most expensive first."""
    costs = [(guess(task.work), number) for number, task in enumerate(tasks)]
    share = sum(cost for cost, _ in costs) / max(1, count)
    chunks: list[list[Task]] = []
    room = 0.0
    for cost, number in sorted(costs, key=lambda one: (-one[0], one[1])):
        if room <= 0 or len(chunks[-1]) == _MOST_TASKS:
            chunks.append([])
            room = share
        chunks[-1].append(tasks[number])
        room -= cost
    return chunks


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.split(".")[0].replace("_", "-")
        raise MissingDependency(
            f"--cluster needs {package}: pip install 'tilewright[cluster]'"
            + (f" {package}" if "kubernetes" in package else "")
        ) from None


def _client(where: str, workers: int, distributed: Any) -> Any:
    _module("dask").config.set({"distributed.scheduler.allowed-failures": _MOST_DEATHS})
    try:
        if where == "local":
            return distributed.Client(n_workers=workers, threads_per_worker=1)
        if where in _STARTED:
            kind = _STARTED[where]
            cluster = getattr(_module(kind.module), kind.name)()
            cluster.scale(workers)
            return distributed.Client(cluster)
        return distributed.Client(where)
    except (OSError, ValueError, TypeError) as error:  # TypeError: TLS without a certificate
        raise Error(f"--cluster {where}: {error}; write local, {', '.join(_STARTED)} or an address "
                    "such as tls://host:8786") from None  # fmt: skip
