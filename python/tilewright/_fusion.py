"""Several contractions as one: cascades, plans, what they cost and which is best."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping as MappingABC
from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

from tilewright import _html, _native
from tilewright._documents import read_document
from tilewright._errors import InputError, Problem, both
from tilewright._values import (
    Architecture,
    Document,
    Network,
    PathLike,
    Sizes,
    Value,
    architecture_of,
    network_of,
    read_text,
    size_lines,
)


class Cascade(Value[_native.Cascade]):
    """Einsums in which later ones read what earlier ones write.

    One of those that ship (``attention``, ``mlp`` and others), a file, or a dictionary with the
    keys of a file (``tilewright explain cascade`` lists them):

    >>> import tilewright as tw
    >>> tw.Cascade("attention", sizes={"tokens": 4096}).einsums["QK"]
    'S[h,m,p] += Q[h,m,e]*K[h,p,e]'
    >>> pair = tw.Cascade({"cascade": "pair", "sizes": {"m": 8, "k": 4, "n": 6, "q": 2},
    ...     "einsums": [{"Up": "T[m,n] += X[m,k] * W1[k,n]"}, {"Down": "Y[m,q] += T[m,n] * W2[n,q]"}]})
    >>> pair
    <Cascade pair: Up, Down>
    """

    __slots__ = ()

    def __init__(self, source: str | Document, sizes: Sizes | None = None) -> None:
        """From a name or a file (a text), or from a dictionary; sizes are values in place of
        those that it has."""
        lines = size_lines(sizes)
        if isinstance(source, str):
            self._handle = _native.Cascade.load(source, lines)
        else:
            self._handle = read_document(
                source, lambda text: _native.Cascade.read(text, "cascade", lines)
            )

    @classmethod
    def from_yaml(cls, text: str, file: str = "cascade") -> Cascade:
        """Reads the text of a file; complaints carry the name of the file."""
        return cls._hold(_native.Cascade.read(text, file, []))

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def einsums(self) -> dict[str, str]:
        """What each einsum computes, by its name, in order."""
        return dict(self._handle.einsums)

    def __reduce__(self) -> tuple[Any, ...]:
        return Cascade.from_yaml, (self.to_yaml(),)

    def __len__(self) -> int:
        return len(self._handle.einsums)

    def __str__(self) -> str:
        return self.to_yaml()

    def __repr__(self) -> str:
        return f"<Cascade {self.name}: {', '.join(self.einsums)}>"


class Plan(Value[_native.Plan]):
    """One way to run a cascade on an architecture: groups, trees of shared loops, what stays in
    the shared memory, and a nest for each einsum. Nests may be left out:
    :func:`evaluate_plan` finds those of least energy then.

    >>> import tilewright as tw
    >>> flash = tw.Plan("toy_array", "attention",
    ...                 {"plan": [{"for": ["h 16", "m 16", "p 16"], "do": ["QK", "AV"]}]})
    >>> flash.cascade.name
    'attention'
    """

    __slots__ = ()

    def __init__(
        self,
        arch: Architecture | PathLike | Document,
        cascade: Cascade | PathLike | Document,
        plan: str | Document,
    ) -> None:
        """From the text of a file or a dictionary with its keys (``tilewright explain plan``)."""
        on, of = both(lambda: architecture_of(arch), lambda: cascade_of(cascade))
        if isinstance(plan, str):
            self._handle = _native.Plan.read(plan, "plan", on._handle, of._handle)
        else:
            self._handle = read_document(
                plan, lambda text: _native.Plan.read(text, "plan", on._handle, of._handle)
            )

    @classmethod
    def load(
        cls,
        arch: Architecture | PathLike | Document,
        cascade: Cascade | PathLike | Document,
        path: PathLike,
    ) -> Plan:
        """Reads a file."""
        on, of = both(lambda: architecture_of(arch), lambda: cascade_of(cascade))
        text = read_text(path)
        return cls._hold(_native.Plan.read(text, os.fspath(path), on._handle, of._handle))

    @property
    def architecture(self) -> Architecture:
        """What it runs on."""
        return Architecture._hold(self._handle.architecture)

    @property
    def cascade(self) -> Cascade:
        """What it runs."""
        return Cascade._hold(self._handle.cascade)

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan, (self.architecture, self.cascade, self.to_yaml())

    def __str__(self) -> str:
        return self.to_yaml()

    def __repr__(self) -> str:
        return f"<Plan of {self.cascade.name} on {self.architecture.name}>"


class _Answer:
    """What has energies, and prints as the command line does."""

    def __init__(self, handle: _native.Fusion | _native.PlanResult | _native.FusedNetwork) -> None:
        self._handle = handle

    @cached_property
    def _dict(self) -> dict[str, Any]:
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    @property
    def energy_pj(self) -> float:
        return float(self._dict["energy_pj"])

    def to_dict(self) -> dict[str, Any]:
        """What the command line prints with ``--json``."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self._handle.text()

    def _repr_html_(self) -> str:
        return _html.nest_text(str(self))


class _Certified(_Answer):
    """What may have a certificate."""

    certificate: str = ""
    """The text of the certificate, if one was asked for; or empty."""

    def write_certificate(self, path: PathLike) -> None:
        """Writes the certificate to a file."""
        if not self.certificate:
            raise InputError([Problem(
                "the result has no certificate", "fuse with certificate=True", "certificate")])  # fmt: skip
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.certificate)

    def _take(self, text: str, asked: bool | PathLike) -> None:
        """The text of its certificate, to be written where that was asked for."""
        self.certificate = text
        if asked and not isinstance(asked, bool):
            self.write_certificate(asked)


class _AnswerWithPlan(_Answer):
    """A plan of one cascade with what it costs."""

    _handle: _native.PlanResult | _native.Fusion

    @cached_property
    def plan(self) -> Plan:
        """The plan, with the nests that were found for it."""
        return Plan._hold(self._handle.plan)

    @property
    def cycles(self) -> int:
        return int(self._dict["cycles"])


class PlanResult(_AnswerWithPlan):
    """A plan with what it costs; see :func:`evaluate_plan`."""

    @property
    def edp(self) -> float:
        """Energy times cycles, in pJ * cycles."""
        return float(self._dict["edp_pj_cycles"])

    @property
    def above_optimum(self) -> float | None:
        """How much more energy it takes than the best plan, as a share of that; None unless
        the best plan was asked for."""
        best = self._dict["optimum"]
        return None if best is None else self.energy_pj / float(best["energy_pj"]) - 1

    def __repr__(self) -> str:
        return f"<PlanResult {self._dict['cascade']}: {self.energy_pj:.6g} pJ>"


class FuseResult(_AnswerWithPlan, _Certified):
    """The best plan of a cascade; see :func:`fuse`."""

    @property
    def unfused_pj(self) -> float:
        """The least energy with every einsum on its own."""
        return float(self._dict["unfused_pj"])

    @property
    def bound_pj(self) -> float:
        """No plan has less energy."""
        return float(self._dict["bound_pj"])

    @property
    def proven(self) -> bool:
        """No plan that was searched for is better; of several memories to be shared, no plan whose
        groups have everything in one each takes less than `one_memory_pj`."""
        return bool(self._dict["proven"])

    @property
    def one_memory_pj(self) -> float | None:
        """The least energy of plans whose groups have everything in one memory each, before tensors
        were moved between several; None where groups share one."""
        return self._dict.get("one_memory_pj")

    def __repr__(self) -> str:
        state = "proven" if self.proven else "not proven"
        return f"<FuseResult {self._dict['cascade']}: {self.energy_pj:.6g} pJ, {state}>"


class FusedNetworkResult(_Certified):
    """The best plans of the parts of a network; see :func:`fuse`."""

    _handle: _native.FusedNetwork

    @property
    def unfused_pj(self) -> float:
        """The least energy with every contraction on its own."""
        return float(self._dict["unfused_pj"])

    @property
    def proven(self) -> bool:
        """No plans of these parts that were searched for are better."""
        return bool(self._dict["proven"])

    @property
    def cycles(self) -> int:
        """Of all parts, one after the other."""
        return int(self._dict["cycles"])

    @property
    def value(self) -> float:
        """Of the objective, in pJ and cycles."""
        return float(self._dict["value"])

    @property
    def bound(self) -> float:
        """No plans of these parts fall below it."""
        return float(self._dict["bound"])

    @property
    def parts(self) -> list[dict[str, Any]]:
        """A dictionary per part, as in JSON."""
        return list(self._dict["parts"])

    def __repr__(self) -> str:
        return f"<FusedNetworkResult {self._dict['network']}: {self.energy_pj:.6g} pJ>"


def cascade_of(source: Cascade | PathLike | Document) -> Cascade:
    """A cascade, or what one can be made of."""
    if isinstance(source, Cascade):
        return source
    if isinstance(source, MappingABC):
        return Cascade(source)
    return Cascade(os.fspath(source))


def cascades() -> list[str]:
    """The names of the cascades that ship."""
    return _native.builtin_cascades()


@overload
def fuse(
    arch: Architecture | PathLike | Document,
    cascade: Cascade | PathLike | Document,
    *,
    objective: str = "energy",
    shared: str | Sequence[str] | None = None,
    longest_group: int = 6,
    recompute: bool = False,
    remainders: bool = False,
    uneven: bool = False,
    time: str | float | None = None,
    certificate: bool | PathLike = False,
) -> FuseResult: ...


@overload
def fuse(
    arch: Architecture | PathLike | Document,
    *,
    model: Network | PathLike,
    objective: str = "energy",
    shared: str | None = None,
    longest_group: int = 6,
    recompute: bool = False,
    remainders: bool = False,
    uneven: bool = False,
    time: str | float | None = None,
    certificate: bool | PathLike = False,
    threads: int = 1,
) -> FusedNetworkResult: ...


def fuse(
    arch: Architecture | PathLike | Document,
    cascade: Cascade | PathLike | Document | None = None,
    *,
    model: Network | PathLike | None = None,
    objective: str = "energy",
    shared: str | Sequence[str] | None = None,
    longest_group: int = 6,
    recompute: bool = False,
    remainders: bool = False,
    uneven: bool = False,
    time: str | float | None = None,
    certificate: bool | PathLike = False,
    threads: int = 1,
) -> FuseResult | FusedNetworkResult:
    """The plan of least energy, or another objective, of a cascade, proven; or of a network, part by
    part. With ``recompute`` also groups that make whole tiles again; with
    ``remainders`` also shared loops that leave a remainder, of which nothing is proven; with
    ``uneven`` also uneven nests. Of several memories in
    ``shared``, each group of a cascade shares the best one; tensors are then moved between these, one
    at a time, and ``one_memory_pj`` is what the best plan took before, which ``proven`` is about.
    ``certificate=True`` makes the certificate that :func:`check` verifies; a path writes it
    there, too. ``time`` holds for both together, or for all parts of a network, of which ``threads``
    are searched at a time.

    >>> import tilewright as tw
    >>> chip = {"architecture": "chip", "levels": [
    ...     {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
    ...     {"memory": "Buffer", "capacity": "4096 words", "read": "3 pJ"},
    ...     {"memory": "Registers", "capacity": "16 words", "read": "0.1 pJ"},
    ...     {"compute": "MAC", "energy": "0.2 pJ"}]}
    >>> best = tw.fuse(chip, tw.Cascade("attention", {"tokens": 64, "heads": 1}))
    >>> best.proven, best.energy_pj < best.unfused_pj
    (True, True)
    >>> abs(tw.evaluate_plan(best.plan).energy_pj / best.energy_pj - 1) < 1e-9
    True
    """
    if (cascade is None) == (model is None):
        raise TypeError("give either a cascade or a model")
    limit = None if time is None else str(time)
    memories = [] if shared is None else [shared] if isinstance(shared, str) else list(shared)
    if model is not None:
        if len(memories) > 1:
            raise TypeError("groups of networks share one memory")
        if objective != "energy" and certificate:
            raise TypeError("there are no certificates yet of networks where time counts")
        if uneven and certificate:
            raise TypeError("there are no certificates yet of networks with uneven nests")
        on, network = both(lambda: architecture_of(arch), lambda: network_of(model))
        found = _native.fuse_network(
            on._handle, network._handle, memories, longest_group, limit, objective, recompute,
            remainders, uneven, threads, bool(certificate),
        )  # fmt: skip
        parts = FusedNetworkResult(found)
        parts._take(found.certificate, certificate)
        return parts
    assert cascade is not None
    if threads != 1:
        raise TypeError("threads are for the parts of a network")
    on, of = both(lambda: architecture_of(arch), lambda: cascade_of(cascade))
    handle = _native.fuse(
        on._handle, of._handle, memories, longest_group, limit, objective, recompute,
        remainders, uneven, bool(certificate),
    )  # fmt: skip
    result = FuseResult(handle)
    result._take(handle.certificate, certificate)
    return result


def evaluate_plan(plan: Plan, *, optimum: bool = False) -> PlanResult:
    """What a plan costs. Nests that it does not have are found; with ``optimum`` the best plan is
    found, too, and :attr:`PlanResult.above_optimum` says how far this one is above it.

    Raises :class:`Infeasible` for a plan that does not fit.

    >>> import tilewright as tw
    >>> chip = {"architecture": "chip", "levels": [
    ...     {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
    ...     {"memory": "Buffer", "capacity": "4096 words", "read": "3 pJ"},
    ...     {"memory": "Registers", "capacity": "16 words", "read": "0.1 pJ"},
    ...     {"compute": "MAC", "energy": "0.2 pJ"}]}
    >>> flash = tw.Plan(chip, tw.Cascade("attention", {"tokens": 64, "heads": 1}), {"plan": [
    ...     {"for": ["m 4", "p 4"], "keep": {"Q": "m", "O": "m"}, "do": ["QK", "AV"]}]})
    >>> tw.evaluate_plan(flash, optimum=True).above_optimum >= 0
    True
    """
    return PlanResult(_native.evaluate_plan(plan._handle, optimum))
