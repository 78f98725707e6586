"""Results as one page that needs nothing beside it: no network, no other file."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Sequence
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple, TypeAlias, cast

from tilewright import _native
from tilewright._errors import InputError, Problem
from tilewright._results import Evaluation, Front, NetworkResult
from tilewright._values import PathLike

_DRAWN = {
    "tilewright.evaluation.v1": "eval",
    "tilewright.map.v1": "map",
    "tilewright.mapped_network.v1": "map --model",
    "tilewright.pareto.v1": "pareto",
    "tilewright.comparison.v1": "compare",
    "tilewright.flex_study.v1": "flex isolate",
    "tilewright.sweep.v1": "sweep",
}
# These do not say the command that made them.
_WITHOUT_COMMAND = ("tilewright.flex_study.v1", "tilewright.sweep.v1")
# Nothing is fetched, whatever stands in the documents.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

Reportable: TypeAlias = "Evaluation | NetworkResult | Front | PathLike"


class Document(NamedTuple):
    """What a command printed with ``--json``, and where it stands."""

    file: str
    data: dict[str, Any]


def read_document(path: PathLike) -> Document:
    """The document in a file; what is wrong with it is an :class:`InputError`."""
    file = os.fspath(path)
    try:
        data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError([Problem(error.strerror or "cannot be read", "", file)]) from None
    except json.JSONDecodeError as error:
        hint = "give what a command printed with --json"
        raise InputError([Problem(f"no JSON: {error.msg}", hint, file, error.lineno, error.colno)]) from None
    except UnicodeDecodeError:
        raise InputError([Problem("no text in UTF-8", "", file)]) from None
    document = cast("dict[str, Any]", data if isinstance(data, dict) else {})
    if document.get("schema") not in _DRAWN:
        commands = ", ".join(f"`{name}`" for name in _DRAWN.values())
        hint = f"give what one of {commands} printed with --json"
        raise InputError([Problem("there is nothing to draw in it", hint, file)])
    if "command" not in document and document["schema"] not in _WITHOUT_COMMAND:
        raise InputError([Problem("an earlier version wrote it", "run the command again", file)])
    return Document(file, document)


def read_documents(paths: Sequence[PathLike]) -> list[Document]:
    """The documents in files; everything that is wrong is told at once."""
    documents: list[Document] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            documents.append(read_document(path))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return documents


def _names(data: dict[str, Any]) -> tuple[str, str]:
    """The work and the design."""
    schema = data["schema"]
    if schema == "tilewright.mapped_network.v1":
        return data["network"], data["architecture"]
    if schema == "tilewright.comparison.v1":
        return data["work"], f"{data['a']} and {data['b']}"
    if schema == "tilewright.flex_study.v1":
        return "flexibility", data["architecture"]
    if schema == "tilewright.sweep.v1":
        return data["name"], ", ".join(data["architectures"])
    if schema == "tilewright.pareto.v1":
        points = data["points"]
        return (points[0]["workload"]["name"] if points else "front"), data["hardware"]["name"]
    found = data.get("result", data if "workload" in data else None)
    return (found["workload"]["name"], found["architecture"]) if found else ("workload", "no mapping")


def _labels(documents: Sequence[Document]) -> list[str]:
    """Short names that differ: the designs, or else the files."""
    works = {_names(one.data)[0] for one in documents}
    designs = [_names(one.data)[1] for one in documents]
    if len(set(designs)) == len(designs):
        return designs
    both = [f"{_names(one.data)[0]} on {_names(one.data)[1]}" for one in documents]
    if len(works) > 1 and len(set(both)) == len(both):
        return both
    stems = [pathlib.Path(one.file).stem for one in documents]
    if len(set(stems)) == len(stems):
        return stems
    return [f"{stem} ({number})" for number, stem in enumerate(stems, 1)]


def _title(documents: Sequence[Document]) -> str:
    works = list(dict.fromkeys(_names(one.data)[0] for one in documents))
    designs = list(dict.fromkeys(_names(one.data)[1] for one in documents))
    return f"{', '.join(works)} on {', '.join(designs)}"


def embedded(value: Any) -> str:
    """JSON that no parser of HTML takes for anything else."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page_of(documents: Sequence[Document], title: str = "", labels: Sequence[str] = ()) -> str:
    """The page, as text."""
    folder = resources.files("tilewright") / "_page"
    names = list(labels) or _labels(documents)
    title = title or _title(documents)
    data = {
        "title": title,
        "made_by": f"Made by tilewright {_native.VERSION}.",
        "given": [
            {"file": one.file, "label": label, "document": one.data}
            for one, label in zip(documents, names, strict=True)
        ],
    }
    return html_page(title, _POLICY, embedded(data), folder)


def html_page(title: str, policy: str, data: str, folder: Traversable) -> str:
    """A page of HTML with the script, the style and the licences in it."""
    script, style, licences = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("page.js", "style.css", "licences.txt")
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<div id="page"></div>\n<noscript>This page needs JavaScript.</noscript>\n'
        f'<script type="application/json" id="data">{data}</script>\n'
        f"<script>{script}</script>\n"
        f'<script type="text/plain" id="licences">{licences}</script>\n</body>\n</html>\n'
    )


def write_whole(path: PathLike, content: bytes) -> None:
    """Writes a file whole, or leaves it as it was."""
    target = pathlib.Path(path)
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".tilewright-", delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o666 & ~_umask())
        os.replace(file.name, target)
    except OSError as error:
        raise InputError([Problem(error.strerror or "cannot be written", "", os.fspath(path))]) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def report(
    *results: Reportable, out: PathLike, title: str = "", labels: Sequence[str] = ()
) -> None:
    """Writes results as one page that works without a network: mail it, print it.

    A result is what :func:`map`, :func:`evaluate` or :func:`pareto` gave, or a file that a
    command printed with ``--json``. Several are shown side by side, with what makes the
    difference; ``labels`` names them.

    >>> import pathlib, tempfile
    >>> import tilewright as tw
    >>> best = tw.map("eyeriss", "gemm: m=64 n=64 k=64")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tw.report(best, out=pathlib.Path(folder) / "report.html")
    """
    if not results:
        raise TypeError("give a result or more")
    if labels and len(labels) != len(results):
        raise ValueError(f"there are {len(results)} results and {len(labels)} labels")
    documents = [
        Document("from Python", one.to_dict())
        if isinstance(one, Evaluation | NetworkResult | Front)
        else read_document(one)
        for one in results
    ]
    write_whole(out, page_of(documents, title, labels).encode())
