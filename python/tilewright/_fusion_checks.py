"""What the checker says of certificates of plans and of networks that were fused."""

from __future__ import annotations

from typing import NamedTuple

from tilewright import _native
from tilewright._fusion import FusedNetworkResult, FuseResult
from tilewright._options import texts
from tilewright._values import PathLike, certificate_text


class PlanCheck(NamedTuple):
    """What the checker says of a certificate of a plan; true if it is verified."""

    verified: bool
    """Whether everything in it holds."""
    problems: tuple[str, ...]
    """The first step that fails, if one does."""
    energy_pj: str
    """Of the plan; an exact decimal, as are `value` and `bound`."""
    groups: int
    """Groups of einsums that were closed one by one."""
    objective: str = "energy"
    """What the plan makes small, such as ``edp``."""
    value: str = ""
    """Of the objective, in pJ and cycles."""
    bound: str = ""
    """No plan has a lower value."""

    @property
    def bound_pj(self) -> str:
        """No plan takes less energy; of a plan of least energy, and empty otherwise."""
        return self.bound if self.objective == "energy" else ""

    @property
    def optimal(self) -> bool:
        """Whether it proves that no plan is better, not only a bound."""
        return self.verified and self.value == self.bound

    def __bool__(self) -> bool:
        return self.verified


def check_plan(certificate: PathLike | FuseResult) -> PlanCheck:
    """Verifies the certificate of a plan: a file, its text, or that of a result.

    The checker shares no code with the search.

    >>> import tilewright as tw
    >>> chip = {"architecture": "chip", "levels": [
    ...     {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
    ...     {"memory": "Buffer", "capacity": "4096 words", "read": "3 pJ"},
    ...     {"memory": "Registers", "capacity": "16 words", "read": "0.1 pJ"},
    ...     {"compute": "MAC", "energy": "0.2 pJ"}]}
    >>> attention = tw.Cascade("attention", {"tokens": 16, "heads": 1, "head_dim": 4})
    >>> tw.check_plan(tw.fuse(chip, attention, certificate=True)).optimal
    True
    """
    given = certificate.certificate if isinstance(certificate, FuseResult) else certificate
    text, file = certificate_text(given, "fuse with certificate=True")
    held = _native.check_plan(text, file)
    refusals = tuple(held.refusals)
    return PlanCheck(
        not refusals, refusals, held.energy_pj, held.groups, held.objective, held.value, held.bound
    )


class PartCheck(NamedTuple):
    """What the checker says of the parts of a network that are the same work."""

    known: str
    """``optimal``: no plan takes less; ``bounded``: none goes below what counts for the bound;
    ``bounded, plan unchecked``: the same, and what its plan takes is what the search says; ``mapped
    one by one``: as mappings these are the best, but plans of them together may take less;
    ``unproven``: what the search says."""
    contractions: tuple[str, ...]
    times: int
    """How often the network has it."""
    energy_pj: str
    """Of all of them; an exact decimal."""


class NetworkCheck(NamedTuple):
    """What the checker says of a certificate of a network; true if it is verified."""

    verified: bool
    """Whether everything in it holds."""
    problems: tuple[str, ...]
    """The first step that fails, if one does."""
    network: str
    energy_pj: str
    """Of all parts; an exact decimal, as is `bound`."""
    bound: str
    """No plans of these parts take less; parts without a proof count with nothing."""
    parts: tuple[PartCheck, ...]

    @property
    def optimal(self) -> bool:
        """Whether it proves that no plans of these parts take less."""
        return self.verified and self.energy_pj == self.bound

    def __bool__(self) -> bool:
        return self.verified


def check_network(
    certificate: PathLike | FusedNetworkResult, *, threads: int | None = None
) -> NetworkCheck:
    """Verifies the certificate of a network that was fused: a file, its text, or that of a result.

    How a network is cut into parts is a rule, not part of the proof. The checker shares no code with
    the search.

    >>> import tilewright as tw
    >>> chip = {"architecture": "chip", "levels": [
    ...     {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
    ...     {"memory": "Buffer", "capacity": "4096 words", "read": "3 pJ"},
    ...     {"memory": "Registers", "capacity": "16 words", "read": "0.1 pJ"},
    ...     {"compute": "MAC", "energy": "0.2 pJ"}]}
    >>> network = tw.Network("gpt2", sizes={"tokens": 16, "layers": 1})
    >>> tw.check_network(tw.fuse(chip, model=network, certificate=True)).optimal
    True
    """
    given = certificate.certificate if isinstance(certificate, FusedNetworkResult) else certificate
    text, file = certificate_text(given, "fuse with certificate=True")
    held = _native.check_network(text, file, texts(threads=threads))
    refusals = tuple(held.refusals)
    parts = tuple(PartCheck(known, tuple(names), times, energy)
                  for known, names, times, energy in held.parts)  # fmt: skip
    return NetworkCheck(not refusals, refusals, held.network, held.energy_pj, held.bound, parts)
