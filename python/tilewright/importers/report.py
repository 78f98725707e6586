"""What became of every part of an imported file: exact, approximated, or left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from tilewright._errors import InputError, Problem
from tilewright.importers.values import Items, Place, Scalar, Table, Value, problem_at

Fate = Literal["exact", "approximated", "left out"]
_ORDER: dict[Fate, int] = {"approximated": 0, "left out": 1, "exact": 2}
_HEADINGS: dict[Fate, str] = {
    "exact": "Exact",
    "approximated": "Approximated",
    "left out": "Left out",
}
_LABELS = ("name", "target")
_MEANINGS: dict[Fate, str] = {
    "exact": "These mean the same here, and give the same numbers.",
    "approximated": "These are here, but may give other numbers, for the reason beside them.",
    "left out": "These have no counterpart here, or no effect on what is computed.",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One part of a file and its fate."""

    fate: Fate
    what: str
    place: Place
    note: str = ""

    def __str__(self) -> str:
        note = f": {self.note}" if self.note else ""
        return f"{self.place}: {self.what}{note}" if self.place.file else f"{self.what}{note}"


@dataclass(slots=True)
class Report:
    """Collects lines, warnings, and complaints that forbid an import."""

    lines: list[Line] = field(default_factory=list[Line])
    warnings: list[Problem] = field(default_factory=list[Problem])
    problems: list[Problem] = field(default_factory=list[Problem])

    def exact(self, what: str, place: Place, note: str = "") -> None:
        self.lines.append(Line("exact", what, place, note))

    def approximated(self, what: str, place: Place, note: str) -> None:
        self.lines.append(Line("approximated", what, place, note))

    def left_out(self, what: str, place: Place, note: str = "") -> None:
        self.lines.append(Line("left out", what, place, note))

    def warn(self, message: str, hint: str, place: Place) -> None:
        self.warnings.append(problem_at(message, hint, place))

    def complain(self, message: str, hint: str, place: Place) -> None:
        self.problems.append(problem_at(message, hint, place))

    def raise_problems(self) -> None:
        if self.problems:
            raise InputError(dict.fromkeys(self.problems))

    def of(self, fate: Fate) -> list[Line]:
        found = dict.fromkeys(line for line in self.lines if line.fate == fate)
        return sorted(found, key=lambda line: (line.place.file, line.place.line))

    def leave_out_all(self, value: Value | None, name: str, note: str) -> None:
        """Names everything inside a value as left out, down to its texts."""
        self._leave_out_all(value, name, note, set())

    def _leave_out_all(self, value: Value | None, name: str, note: str, known: set[int]) -> None:
        if value is None or id(value) in known:  # an alias has been named where it is written
            return
        known.add(id(value))
        if isinstance(value, Table):
            for key, entry in value.entries.items():
                if isinstance(entry, Scalar) and key not in ("version", *_LABELS):
                    self.left_out(f"{name}.{key}{_shown(entry)}", value.place_of(key), note)
                self._leave_out_all(entry, f"{name}.{key}", note, known)
        elif isinstance(value, Items):
            texts = [entry.text for entry in value.entries if isinstance(entry, Scalar)]
            if texts:
                self.left_out(f"{name} = {', '.join(texts)}", value.place, note)
            for entry in value.entries:
                self._leave_out_all(entry, f"{name} {_label(entry)}".strip(), note, known)

    def rest(self, value: Value | None, name: str, note: str) -> None:
        """Names all keys of a value that nobody has read as left out."""
        self._rest(value, name, note, set())

    def _rest(self, value: Value | None, name: str, note: str, known: set[int]) -> None:
        if value is None or id(value) in known:
            return
        known.add(id(value))
        if isinstance(value, Table):
            unread = set(value.unread())
            for key, entry in value.entries.items():
                if key in unread:
                    if key != "version":
                        text = f"{name}.{key}{_shown(entry)}"
                        self.left_out(text, value.places.get(key, value.place), note)
                else:
                    self._rest(entry, f"{name}.{key}", note, known)
        elif isinstance(value, Items):
            for entry in value.entries:
                if isinstance(entry, Table):
                    self._rest(entry, f"{name} {_label(entry)}".strip(), note, known)


def _label(value: Value) -> str:
    """What an entry of a list is called, or nothing."""
    labels = [value.peek(key) for key in _LABELS] if isinstance(value, Table) else []
    return next((label.text for label in labels if isinstance(label, Scalar)), "")


def _shown(value: Value) -> str:
    """A short value, as it is read in a report."""
    return f" = {value.text}" if isinstance(value, Scalar) and len(value.text) <= 40 else ""


def report_text(report: Report, title: str, remarks: Iterable[str]) -> str:
    """The report as a page of Markdown."""
    parts = [f"# {title}\n", *(f"{remark}\n" for remark in remarks)]
    counts = {fate: len(report.of(fate)) for fate in _HEADINGS}
    summary = ", ".join(f"{count} {fate}" for fate, count in counts.items())
    parts.append(f"In numbers: {summary}.\n")
    if report.warnings:
        parts.append("## Warnings\n")
        parts.append("".join(f"- {warning}\n" for warning in report.warnings))
    for fate in sorted(_HEADINGS, key=_ORDER.__getitem__):
        lines = report.of(fate)
        if lines:
            parts.append(f"## {_HEADINGS[fate]}\n")
            parts.append(f"{_MEANINGS[fate]}\n")
            parts.append("".join(f"- {line}\n" for line in lines))
    return "\n".join(parts)
