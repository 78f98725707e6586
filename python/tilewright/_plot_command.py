"""``tilewright plot``: results as figures, from the command line."""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from tilewright import _figures, _nest_figure, _plan_figure, _study_figures
from tilewright._errors import InputError, MissingDependency, Problem
from tilewright._report import Document, read_documents
from tilewright.importers.command import exit_code_of

_ENDINGS = (".svg", ".pdf", ".png")


def main(words: Sequence[str]) -> int:
    """Runs the command with these words; gives its exit code."""
    arguments = _parser().parse_args(words)
    return exit_code_of(lambda: _plot(arguments))


def _plot(arguments: argparse.Namespace) -> None:
    out: pathlib.Path = arguments.out
    if out.suffix not in _ENDINGS:
        hint = f"name a file that ends in {', '.join(_ENDINGS)}"
        raise InputError([Problem("no figure can be written as that", hint, str(out))])
    documents = read_documents(arguments.results)
    try:
        import matplotlib
    except ImportError:
        raise MissingDependency("figures need matplotlib: pip install 'tilewright[plot]'") from None
    matplotlib.use("Agg")
    from tilewright import plot

    axes = _KINDS[arguments.figure](documents)
    try:
        plot.save(axes, out)
    except OSError as error:
        raise InputError([Problem(error.strerror or "cannot be written", "", str(out))]) from None


def _layers(document: Document) -> list[tuple[int, dict[str, Any]]]:
    """The mappings of a document, with how often each occurs."""
    data = document.data
    if data["schema"] == "tilewright.evaluation.v1":
        return [(1, data)]
    if data["schema"] == "tilewright.map.v1":
        return [(1, data["result"])] if "result" in data else []
    if data["schema"] == "tilewright.mapped_network.v1":
        return [(layer["count"], layer["result"]) for layer in data["layers"] if "result" in layer]
    return []


def _mapped(documents: Sequence[Document]) -> list[tuple[int, dict[str, Any]]]:
    """The mappings of all documents, at least one each."""
    missing = [Problem("there is no mapping in it", "", one.file) for one in documents if not _layers(one)]
    if missing:
        raise InputError(missing)
    return [layer for document in documents for layer in _layers(document)]


def _of_schema(documents: Sequence[Document], schema: str, command: str) -> list[dict[str, Any]]:
    problems = [
        Problem("this figure is not of such a result", f"give what `{command}` printed", one.file)
        for one in documents
        if one.data["schema"] != schema
    ]
    if problems:
        raise InputError(problems)
    return [one.data for one in documents]


def _only(documents: Sequence[Document]) -> Document:
    if len(documents) > 1:
        raise InputError([Problem("this figure is of one result", "give one file", documents[1].file)])
    return documents[0]


def _energy(documents: Sequence[Document]) -> Any:
    document = _only(documents)
    layers = _mapped([document])
    network = document.data.get("network")
    first = layers[0][1]
    title = f"{network} on {document.data['architecture']}" if network else _figures.title_of(first)
    return _figures.energy(layers, title)


def _roofline(documents: Sequence[Document]) -> Any:
    return _figures.roofline([data for _, data in _mapped(documents)])


def _pareto(documents: Sequence[Document]) -> Any:
    fronts = _of_schema(documents, "tilewright.pareto.v1", "pareto --json")
    points = [[(point["cycles"], point["energy_pj"]) for point in one["points"]] for one in fronts]
    return _figures.pareto(points, [one["hardware"]["name"] for one in fronts])


def _utilisation(documents: Sequence[Document]) -> Any:
    schema = "tilewright.mapped_network.v1"
    return _figures.utilisation(_of_schema(documents, schema, "map --model NAME --json"))


def _nest(documents: Sequence[Document]) -> Any:
    layers = _mapped([_only(documents)])
    if len(layers) > 1:
        hint = "map a layer of it (--layer)"
        raise InputError([Problem("a loop nest is of one layer", hint, documents[0].file)])
    return _nest_figure.nest(layers[0][1])


def _plan(documents: Sequence[Document]) -> Any:
    document = _only(documents)
    if document.data["schema"] not in ("tilewright.fusion.v1", "tilewright.plan.v1"):
        hint = "give what `fuse --cascade F --json` or `eval --cascade F --mapping PLAN --json` printed"
        raise InputError([Problem("this figure is not of such a result", hint, document.file)])
    return _plan_figure.plan(document.data)


def _sweep(documents: Sequence[Document]) -> Any:
    return _study_figures.sweep(_of_schema(documents, "tilewright.sweep.v1", "sweep --format json"))


def _arena(documents: Sequence[Document]) -> Any:
    return _study_figures.arena(_of_schema([_only(documents)], "tilewright.arena.v1", "arena --json")[0])


_KINDS: dict[str, Callable[[Sequence[Document]], Any]] = {
    "energy": _energy,
    "roofline": _roofline,
    "pareto": _pareto,
    "layers": _utilisation,
    "nest": _nest,
    "plan": _plan,
    "sweep": _sweep,
    "arena": _arena,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tilewright plot", description="Draw results for papers and slides.", allow_abbrev=False
    )
    parser.add_argument("figure", choices=list(_KINDS), help="what to draw")
    parser.add_argument(
        "results",
        nargs="+",
        metavar="RESULT",
        type=pathlib.Path,
        help="a file that `map`, `eval`, `fuse`, `pareto`, `sweep` or `arena` printed with --json",
    )
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        type=pathlib.Path,
        required=True,
        help="the figure: .svg, .pdf or .png",
    )
    return parser
