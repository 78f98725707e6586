"""The questions: evaluate, map, pareto, space, check."""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Mapping as MappingABC
from typing import TypedDict, Unpack, overload

from tilewright import _native
from tilewright._documents import read_document
from tilewright._errors import InputError, NothingFound, Problem, both
from tilewright._fusion import FusedNetworkResult, FuseResult
from tilewright._fusion_checks import NetworkCheck, PlanCheck, check_network, check_plan
from tilewright._options import Lines, Rules, lines_of, rules_of, texts
from tilewright._results import (
    CheckResult,
    Evaluation,
    Front,
    MapResult,
    NetworkResult,
    Progress,
    check_result,
    told,
)
from tilewright._spaces import Space
from tilewright._values import (
    Architecture,
    Document,
    Mapping,
    Network,
    PathLike,
    Workload,
    architecture_of,
    certificate_text,
    network_of,
    read_text,
    workload_of,
)

_STOPPED = "stopped before there was a mapping"


def _work_of(
    workload: Workload | Network | PathLike | Document | None,
    model: Network | PathLike | None,
    layer: str | None,
) -> Workload | Network:
    """What to work on: a workload, a network, or a layer of it."""
    if (workload is None) == (model is None):
        raise TypeError("give either a workload or a model")
    if model is not None:
        network = network_of(model)
    elif isinstance(workload, Network):
        network = workload
    else:
        assert workload is not None
        if layer is not None:
            raise TypeError("only a network has layers; give a model")
        return workload_of(workload)
    return network if layer is None else network[layer]


def _workload_of(
    workload: Workload | PathLike | Document | None,
    model: Network | PathLike | None,
    layer: str | None,
) -> Workload:
    work = _work_of(workload, model, layer)
    if isinstance(work, Network):
        raise TypeError("one workload is meant here; name a layer of the network")
    return work


def evaluate(
    arch: Architecture | PathLike | Document,
    workload: Workload | PathLike | Document | None = None,
    mapping: Mapping | PathLike | Document | None = None,
    *,
    model: Network | PathLike | None = None,
    layer: str | None = None,
    accounting: str | None = None,
    bits: int | str | None = None,
    rename: str | None = None,
    constraints: Rules = None,
    constrain: Lines = None,
    full: bool = False,
    flex: str | None = None,
) -> Evaluation:
    """What a mapping costs: counts, energy, cycles, utilisation, and where they go.

    The mapping is a value, a file or a dictionary with the keys of one. One that was made
    for another architecture is taken as its file would be.

    Raises :class:`InputError` for an input that means nothing, :class:`Infeasible` for a
    mapping that the hardware cannot run.

    >>> import tilewright as tw
    >>> cost = tw.evaluate("toy_linear", "O[X] += I[X]; X=100",
    ...                    {"levels": {"DRAM": {"loops": ["X 20"]}, "PEs": {"x": ["X 5"]}}})
    >>> cost.cycles
    20
    """
    on, of = both(lambda: architecture_of(arch), lambda: _workload_of(workload, model, layer))
    given = texts(accounting=accounting, bits=bits, rename=rename, flex=flex, full=full)
    rules, lines = rules_of(constraints, on), lines_of(constrain)

    def ask(text: str, file: str, held: _native.Mapping | None) -> _native.Evaluation:
        return _native.evaluate(on._handle, of._handle, text, file, held, given, lines, rules)

    if isinstance(mapping, Mapping):
        return Evaluation(ask("", "", mapping._handle))
    if isinstance(mapping, MappingABC):
        return Evaluation(read_document(mapping, lambda text: ask(text, "mapping", None)))
    if mapping is None:
        raise TypeError("a mapping is needed")
    return Evaluation(ask(read_text(mapping), os.fspath(mapping), None))


class Stop:
    """Ends searches from another thread: they give the best so far.

    >>> import tilewright as tw
    >>> stop = tw.Stop()
    >>> stop.set()
    >>> tw.map("eyeriss", "gemm: m=64 n=64 k=64", stop=stop)
    Traceback (most recent call last):
    tilewright.NothingFound: stopped before there was a mapping
    """

    def __init__(self) -> None:
        self._handle = _native.Stop()

    def set(self) -> None:
        """Ends all searches that were given this value, and those that will be."""
        self._handle.set()

    @property
    def is_set(self) -> bool:
        return self._handle.is_set


class MapOptions(TypedDict, total=False):
    """The options of :func:`map`."""

    accounting: str | None
    bits: int | str | None
    rename: str | None
    constraints: Rules
    constrain: Lines
    full: bool
    flex: str | None
    mapspace: str | None
    mapper: str | None
    objective: str
    roles: str
    each_layer: bool
    uneven: bool | None
    time: str | float | None
    threads: int | None
    evaluations: int | None
    target: float | None
    gap: float | None
    memory: str | None
    seed: int | None
    patience: int | None
    population: int | None
    generations: int | None
    brood: str | None
    most_loops: int | None
    unrollings: int | None
    iterations: int | None
    dataflows: int | None
    timeout: int | None
    victory_condition: int | None
    max_permutations_per_if_visit: int | None
    quickflow: str | None
    starts: int | None
    parallelism_hops: int | None
    tiling_hops: int | None
    both_hops: int | None
    best_hops: int | None
    beam: int | None
    widenings: int | None
    tie_break: str | None
    certificate: bool | PathLike
    progress: Callable[[Progress], object] | bool | None
    stop: Stop | None


@overload
def map(
    arch: Architecture | PathLike | Document,
    workload: Workload | PathLike | Document,
    **options: Unpack[MapOptions],
) -> MapResult: ...


@overload
def map(
    arch: Architecture | PathLike | Document,
    workload: Network,
    *,
    layer: None = None,
    **options: Unpack[MapOptions],
) -> NetworkResult: ...


@overload
def map(
    arch: Architecture | PathLike | Document,
    workload: Network,
    *,
    layer: str,
    **options: Unpack[MapOptions],
) -> MapResult: ...


@overload
def map(
    arch: Architecture | PathLike | Document,
    *,
    model: Network | PathLike,
    layer: None = None,
    **options: Unpack[MapOptions],
) -> NetworkResult: ...


@overload
def map(
    arch: Architecture | PathLike | Document,
    *,
    model: Network | PathLike,
    layer: str,
    **options: Unpack[MapOptions],
) -> MapResult: ...


def map(  # noqa: A001 - the command has this name
    arch: Architecture | PathLike | Document,
    workload: Workload | Network | PathLike | Document | None = None,
    *,
    model: Network | PathLike | None = None,
    layer: str | None = None,
    accounting: str | None = None,
    bits: int | str | None = None,
    rename: str | None = None,
    constraints: Rules = None,
    constrain: Lines = None,
    full: bool = False,
    flex: str | None = None,
    mapspace: str | None = None,
    mapper: str | None = None,
    objective: str = "edp",
    roles: str = "given",
    each_layer: bool = False,
    uneven: bool | None = None,
    time: str | float | None = None,
    threads: int | None = None,
    evaluations: int | None = None,
    target: float | None = None,
    gap: float | None = None,
    memory: str | None = None,
    seed: int | None = None,
    patience: int | None = None,
    population: int | None = None,
    generations: int | None = None,
    brood: str | None = None,
    most_loops: int | None = None,
    unrollings: int | None = None,
    iterations: int | None = None,
    dataflows: int | None = None,
    timeout: int | None = None,
    victory_condition: int | None = None,
    max_permutations_per_if_visit: int | None = None,
    quickflow: str | None = None,
    starts: int | None = None,
    parallelism_hops: int | None = None,
    tiling_hops: int | None = None,
    both_hops: int | None = None,
    best_hops: int | None = None,
    beam: int | None = None,
    widenings: int | None = None,
    tie_break: str | None = None,
    certificate: bool | PathLike = False,
    progress: Callable[[Progress], object] | bool | None = None,
    stop: Stop | None = None,
) -> MapResult | NetworkResult:
    """The best mapping of a workload, or of every layer of a network, with its proof.

    The options are those of ``tilewright map``, with the same defaults. ``time`` is a number
    of seconds or a text such as ``"2min"``. ``certificate=True`` makes the certificate that
    :func:`check` verifies, a path also writes it. ``progress=True`` prints a line; a function
    is called with a :class:`Progress` some times a second, and what it raises ends the search
    and arrives here. ``uneven`` is ``--uneven`` or, if it is false, ``--even``; without it the
    memories of the architecture say.

    Ctrl-C ends the search and gives the best so far with its bound: ``result.interrupted`` is
    true then. Another thread ends it with a :class:`Stop`.

    Raises :class:`InputError` for an input that means nothing, :class:`Infeasible` if no mapping
    fits, :class:`NothingFound` if a limit or the stop came before the first mapping.

    >>> import tilewright as tw
    >>> best = tw.map("eyeriss", "gemm: m=64 n=64 k=64")
    >>> best.proven, best.cycles
    (True, 4096)
    >>> tw.map("eyeriss", model="alexnet", layer="1").mapping.workload.name
    'alexnet/1'
    """
    on, of = both(lambda: architecture_of(arch), lambda: _work_of(workload, model, layer))
    given = texts(
        accounting=accounting, bits=bits, rename=rename, full=full, flex=flex, mapspace=mapspace,
        mapper=mapper, objective=objective, roles=roles, each_layer=each_layer,
        uneven=uneven is True, even=uneven is False, time=time, threads=threads,
        evaluations=evaluations, target=target, gap=gap, memory=memory,
        seed=seed, patience=patience, population=population, generations=generations, brood=brood,
        most_loops=most_loops, unrollings=unrollings, iterations=iterations,
        dataflows=dataflows, timeout=timeout, victory_condition=victory_condition,
        max_permutations_per_if_visit=max_permutations_per_if_visit,
        quickflow=quickflow, starts=starts, parallelism_hops=parallelism_hops,
        tiling_hops=tiling_hops, both_hops=both_hops, best_hops=best_hops, beam=beam,
        widenings=widenings, tie_break=tie_break,
        certificate="certificate" if certificate else None,
    )  # fmt: skip
    rules, lines = rules_of(constraints, on), lines_of(constrain)
    end = stop._handle if stop is not None else None
    if stop is not None and stop.is_set:
        raise NothingFound([_STOPPED])
    with told(progress) as tell:
        if isinstance(of, Network):
            whole = _native.map_network(on._handle, of._handle, given, lines, rules, tell, end)
            return NetworkResult(whole)
        one = _native.map_workload(on._handle, of._handle, given, lines, rules, tell, end)
    if stop is not None and stop.is_set and not one.found:
        raise NothingFound([_STOPPED])
    result = MapResult(one)
    if certificate and not isinstance(certificate, bool):
        result.write_certificate(certificate)
    return result


def pareto(
    arch: Architecture | PathLike | Document,
    workload: Workload | PathLike | Document | None = None,
    *,
    model: Network | PathLike | None = None,
    layer: str | None = None,
    accounting: str | None = None,
    bits: int | str | None = None,
    rename: str | None = None,
    constraints: Rules = None,
    constrain: Lines = None,
    full: bool = False,
    flex: str | None = None,
    mapspace: str | None = None,
    uneven: bool | None = None,
    time: str | float | None = None,
    memory: str = "2GiB",
    threads: int | None = None,
    progress: Callable[[Progress], object] | bool | None = None,
) -> Front:
    """Every mapping that no other beats in both energy and cycles, fastest first.

    Of a flexible architecture, over all its settings; ``mapspace`` is ``ruby`` then unless it is
    given, and ``pfm`` otherwise.

    >>> import tilewright as tw
    >>> front = tw.pareto("toy_array", "gemm: m=16 n=16 k=16")
    >>> front.complete
    True
    >>> front[0].cycles <= front[-1].cycles
    True
    """
    on, of = both(lambda: architecture_of(arch), lambda: _workload_of(workload, model, layer))
    given = texts(accounting=accounting, bits=bits, rename=rename, full=full, flex=flex,
                  mapspace=mapspace, uneven=uneven is True, even=uneven is False, time=time,
                  memory=memory, threads=threads)  # fmt: skip
    rules, lines = rules_of(constraints, on), lines_of(constrain)
    with told(progress) as tell:
        held = _native.pareto(on._handle, of._handle, given, lines, rules, tell)
    return Front(held)


def space(
    arch: Architecture | PathLike | Document,
    workload: Workload | PathLike | Document | None = None,
    *,
    model: Network | PathLike | None = None,
    layer: str | None = None,
    accounting: str | None = None,
    bits: int | str | None = None,
    rename: str | None = None,
    constraints: Rules = None,
    constrain: Lines = None,
    full: bool = False,
    mapspace: str = "pfm",
) -> Space:
    """All mappings there are: their exact number, samples, neighbours.

    >>> import tilewright as tw
    >>> gemms = tw.space("toy_array", "gemm: m=16 n=16 k=16")
    >>> gemms.size > 1000 and gemms[0] in gemms
    True
    """
    on, of = both(lambda: architecture_of(arch), lambda: _workload_of(workload, model, layer))
    given = texts(accounting=accounting, bits=bits, rename=rename, full=full, mapspace=mapspace)
    rules, lines = rules_of(constraints, on), lines_of(constrain)
    return Space(_native.Space.make(on._handle, of._handle, given, lines, rules))


@overload
def check(certificate: PathLike | MapResult, *, threads: int | None = None) -> CheckResult: ...


@overload
def check(certificate: FuseResult, *, threads: int | None = None) -> PlanCheck: ...


@overload
def check(certificate: FusedNetworkResult, *, threads: int | None = None) -> NetworkCheck: ...


def check(
    certificate: PathLike | MapResult | FuseResult | FusedNetworkResult,
    *,
    threads: int | None = None,
) -> CheckResult | PlanCheck | NetworkCheck:
    """Verifies a certificate: that of a result, or a file or the text of one of a mapping. Files of
    plans and of networks are for :func:`check_plan` and :func:`check_network`.

    The checker shares no code with the search.

    >>> import tilewright as tw
    >>> best = tw.map("toy_array", "gemm: m=16 n=16 k=16", certificate=True)
    >>> tw.check(best).verified
    True
    """
    if isinstance(certificate, FuseResult):
        return check_plan(certificate)
    if isinstance(certificate, FusedNetworkResult):
        return check_network(certificate, threads=threads)
    given = certificate.certificate if isinstance(certificate, MapResult) else certificate
    text, file = certificate_text(given, "map with certificate=True")
    for key, what, how in (
        ("tilewright_network_certificate", "a network", "check_network"),
        ("tilewright_plan_certificate", "a plan", "check_plan"),
    ):
        if f'"{key}"' in text:
            raise InputError([Problem(
                f"this is a certificate of {what}", f"verify it with tilewright.{how}", file)])  # fmt: skip
    return check_result(_native.check(text, file, texts(threads=threads)))
