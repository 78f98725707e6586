"""Names the sections that are not taken over, so that nothing is dropped in silence."""

from __future__ import annotations

from tilewright.importers.report import Report
from tilewright.importers.timeloop.specification import Specification

DENSE = "all data is taken as dense"
_FIRST = "the first one counts, as in Timeloop"
_ACCELERGY = "inputs of Accelergy; the energy tables count"
_RESULT = "a result, not an input"
_NO_EFFECT = "no effect on what is computed here"
_RESULTS = "ERT_summary ART_summary action_counts energy_estimation flattened_architecture".split()

def name_leftovers(specification: Specification, report: Report) -> None:
    """Adds a line for each section, and each key, that has no counterpart."""
    for name in ("compound_components", "components"):
        _name(specification, name, _ACCELERGY, report)
    for name in _RESULTS:
        _name(specification, name, _RESULT, report)
    for name, note in (
        ("sparse_optimizations", DENSE),
        ("globals", _NO_EFFECT),
        ("model", _NO_EFFECT),
        ("layout", _NO_EFFECT),
    ):
        _name(specification, name, note, report)
        report.leave_out_all(specification.sections.get(name), name, note)
    for name, place in specification.ignored:
        report.left_out(f"section {name}", place, "it is empty, or only holds anchors")
    for name, place in specification.others:
        note = "Timeloop does not know it, or it holds an anchor"
        report.left_out(f"section {name}", place, note)
    for name, place in specification.twice:
        report.left_out(f"second section {name}", place, _FIRST)
    for name, place in specification.repeated:
        report.left_out(f"second key {name}", place, _FIRST)
    report.rest(
        specification.table("variables"), "variables", "nothing that was taken over uses it"
    )
    if "problem" not in specification.sections:
        _name(specification, "shape", "it means nothing without the sizes of a problem", report)
    if "architecture" not in specification.sections:
        _name_homeless(specification, report)

def _name(specification: Specification, name: str, note: str, report: Report) -> None:
    if name in specification.sections:
        report.left_out(name, specification.places[name], note)

def _name_homeless(specification: Specification, report: Report) -> None:
    note = "it means nothing without its architecture"
    for name in ("mapping", "ERT", "ART", "mapspace"):
        _name(specification, name, note, report)
    for name, section in specification.constraints:
        report.left_out(name, section.place, note)
