"""What constraints say of a place, as it is written in the files of this tool."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilewright.importers.report import Report
from tilewright.importers.values import Place

_USUAL_ROLES = {"weights": "weight", "inputs": "input", "outputs": "output"}


@dataclass(slots=True)
class Rules:
    """Rules for one place: a memory, or an axis of a fan-out."""

    place: str
    factors: dict[str, str] = field(default_factory=dict[str, str])
    innermost: list[str] = field(default_factory=list[str])  # from the inside out
    outermost: list[str] = field(default_factory=list[str])
    dims: list[str] | None = None
    keep: list[str] = field(default_factory=list[str])
    bypass: list[str] = field(default_factory=list[str])
    least_use: float | None = None
    sources: list[Place] = field(default_factory=list[Place])


@dataclass(slots=True)
class Fanout:
    """The fan-out inside a storage."""

    name: str
    x: int
    y: int


def settle(
    rules: Rules, keep: list[str], bypass: list[str], roles: dict[str, str], report: Report
) -> None:
    """Rules about tensors are by role here; a role of several tensors must be of one mind."""
    for tensors, target in ((keep, rules.keep), (bypass, rules.bypass)):
        for tensor in tensors:
            role = roles.get(tensor) or _USUAL_ROLES.get(tensor.lower())
            what, place = f"{tensor} at {rules.place}", _source(rules)
            if role is None:
                report.left_out(what, place, "the problem has no such tensor")
                continue
            same = [other for other, its in roles.items() if its == role]
            if any(other not in tensors for other in same):
                both = f"{' and '.join(same)} are both {role} to the hardware"
                report.approximated(what, place, f"{both}; the rule is left out")
            elif role not in target:
                target.append(role)


def keep_all(rules: Rules, bypass: list[str], report: Report) -> None:
    """Takes rules about tensors off the outermost memory, which keeps everything anyway."""
    if bypass:
        note = "the outermost memory keeps all"
        report.left_out(f"bypass of {rules.place}", _source(rules), note)
    rules.keep.clear()
    rules.bypass.clear()


def _source(rules: Rules) -> Place:
    return rules.sources[0] if rules.sources else Place()
