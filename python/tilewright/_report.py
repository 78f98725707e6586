"""Results as one page that needs nothing beside it: no network, no other file."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Callable, Sequence
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from tilewright import _native
from tilewright._errors import InputError, Problem
from tilewright._values import PathLike


class _Kind(NamedTuple):
    """What the documents of a schema are."""

    command: str
    names: Callable[[dict[str, Any]], tuple[str, str]]  # the work and the design
    says_command: bool = True  # in the document


def _of_mapping(data: dict[str, Any]) -> tuple[str, str]:
    found = data.get("result", data if "workload" in data else None)
    return (found["workload"]["name"], found["architecture"]) if found else ("workload", "no mapping")


def _of_front(data: dict[str, Any]) -> tuple[str, str]:
    points = data["points"]
    return (points[0]["workload"]["name"] if points else "front"), data["hardware"]["name"]


def _of_comparison(data: dict[str, Any]) -> tuple[str, str]:
    return data["work"], f"{data['a']} and {data['b']}"


def _of_plan(data: dict[str, Any]) -> tuple[str, str]:
    return data["cascade"], data["hardware"]["name"]


def _of_fused_network(data: dict[str, Any]) -> tuple[str, str]:
    return data["network"], data["hardware"]["name"]


def _of_codesign(data: dict[str, Any]) -> tuple[str, str]:
    works = dict.fromkeys(row["work"] for row in data["results"])
    return f"design for {', '.join(works)}", data["architecture"]


def _of_sweep(data: dict[str, Any]) -> tuple[str, str]:
    return data["name"], ", ".join(data["architectures"])


def _of_study(data: dict[str, Any]) -> tuple[str, str]:
    return "flexibility", data["architecture"]


def _of_arena(data: dict[str, Any]) -> tuple[str, str]:
    def each(key: str) -> str:
        return ", ".join(dict.fromkeys(layer[key] for layer in data["layers"]))

    return f"mappers of {each('network')}", each("architecture")


_DRAWN = {
    "tilewright.evaluation.v1": _Kind("eval", _of_mapping),
    "tilewright.map.v1": _Kind("map", _of_mapping),
    "tilewright.mapped_network.v1": _Kind("map --model", itemgetter("network", "architecture")),
    "tilewright.pareto.v1": _Kind("pareto", _of_front),
    "tilewright.comparison.v1": _Kind("compare", _of_comparison),
    "tilewright.fusion.v1": _Kind("fuse", _of_plan),
    "tilewright.plan.v1": _Kind("eval --cascade", _of_plan),
    "tilewright.fused_network.v1": _Kind("fuse --model", _of_fused_network),
    "tilewright.sweep.v1": _Kind("sweep", _of_sweep, False),
    "tilewright.codesign.v1": _Kind("codesign", _of_codesign, False),
    "tilewright.arena.v1": _Kind("arena", _of_arena, False),
    "tilewright.space.v1": _Kind("space", itemgetter("workload", "architecture"), False),
    "tilewright.flex_space.v1": _Kind("space --flex", itemgetter("workload", "architecture"), False),
    "tilewright.flex_design.v1": _Kind("flex design", itemgetter("network", "architecture"), False),
    "tilewright.flexion.v1": _Kind("flex measure", itemgetter("name", "architecture"), False),
    "tilewright.flex_study.v1": _Kind("flex isolate", _of_study, False),
}
KINDS = ", ".join(f"`{kind.command}`" for kind in _DRAWN.values())
# Nothing is fetched, whatever stands in the documents.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

class Drawable(Protocol):
    """A result that says what the command line prints with ``--json``."""

    def to_dict(self) -> dict[str, Any]: ...


Reportable: TypeAlias = "Drawable | PathLike"


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
    return Document(file, _checked(data, file))


def _checked(data: object, file: str) -> dict[str, Any]:
    """What can be drawn; an :class:`InputError` if it cannot."""
    document = cast("dict[str, Any]", data if isinstance(data, dict) else {})
    kind = _DRAWN.get(document.get("schema", ""))
    if kind is None:
        hint = f"give what one of {KINDS} printed with --json"
        raise InputError([Problem("there is nothing to draw in it", hint, file)])
    if kind.says_command and "command" not in document:
        raise InputError([Problem("an earlier version wrote it", "run the command again", file)])
    return document


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
    return _DRAWN[data["schema"]].names(data)


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

    A result is what :func:`map`, :func:`evaluate`, :func:`pareto`, :func:`fuse`, :func:`sweep`,
    :func:`flex.measure` or :func:`flex.isolate` gave, or a file that a command printed with
    ``--json``. Several are shown side by side, with what makes the
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
        read_document(one)
        if isinstance(one, str | os.PathLike)
        else Document("from Python", _checked(one.to_dict(), "from Python"))
        for one in results
    ]
    write_whole(out, page_of(documents, title, labels).encode())
