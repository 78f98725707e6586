"""The mapper section as options of ``tilewright map``."""

from __future__ import annotations

from tilewright.importers.report import Report
from tilewright.importers.values import Items, Scalar, Table, Value, number_in
from tilewright.importers.writing import line

_OBJECTIVES = {"edp": "edp", "energy": "energy", "delay": "latency"}
_NOTE = "the optimal mapper needs no such setting"


def mapper_lines(section: Value | None, template: str, report: Report) -> list[str]:
    """Options, by their names on the command line and in Python."""
    lines: list[str] = []
    if isinstance(section, Table):
        section.get("version")
        lines += _objective(section, report) + _threads(section, report)
        for key in list(section.unread()):
            value = section.entries[key]
            if not (isinstance(value, Scalar) and value.is_null):
                shown = f" = {value.text}" if isinstance(value, Scalar) else ""
                place = section.places.get(key, section.place)
                report.left_out(f"mapper.{key}{shown}", place, _NOTE)
        section.see_all()
    if template:
        ours = "ruby" if template == "ruby" else "pfm"
        lines.append(line(f"mapspace: {ours}", f"template {template}"))
    return lines


def _objective(section: Table, report: Report) -> list[str]:
    value = section.get("optimization_metrics", "optimization_metric")
    section.get("optimization_metric")
    if value is None:
        return []
    entries = value.entries if isinstance(value, Items) else [value]
    metrics = [entry.text.replace("-", "_") for entry in entries if isinstance(entry, Scalar)]
    if not metrics:
        return []
    objective = _OBJECTIVES.get(metrics[0])
    if objective is None:
        report.left_out(f"metric {metrics[0]}", value.place, "it cannot be made small here")
        return []
    report.exact(f"metric {metrics[0]}", value.place)
    usual = (["energy", "delay"], ["delay", "energy"])
    if len(metrics) > 1 and metrics[:2] not in usual:
        report.left_out(
            f"metrics {', '.join(metrics[1:])}", value.place, "ties are broken otherwise"
        )
    return [line(f"objective: {objective}", str(value.place))]


def _threads(section: Table, report: Report) -> list[str]:
    value = section.get("num_threads")
    number = number_in(value.text) if isinstance(value, Scalar) else None
    if value is None or not isinstance(number, int) or number < 1:
        return []
    report.exact("num_threads", value.place)
    return [line(f"threads: {number}", str(value.place))]
