"""Files of any kind, of this tool and of others, as values."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass
from typing import Any, TypeVar

from tilewright import _native
from tilewright._documents import parse
from tilewright._errors import InputError, Problem
from tilewright._values import (
    Architecture,
    Constraints,
    Mapping,
    Network,
    PathLike,
    Workload,
    read_text,
)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What :func:`load` found in files; None is what they do not have."""

    architecture: Architecture | None = None
    workload: Workload | None = None
    constraints: Constraints | None = None
    mapping: Mapping | None = None
    network: Network | None = None
    report: str = ""
    """Of files of other tools: what is exact, what is approximated, what is left out."""


def load(
    *files: PathLike,
    define: MappingABC[str, Any] | None = None,
    size: MappingABC[str, int] | None = None,
) -> Loaded:
    """Reads files of this tool, of Timeloop and Accelergy in any of their dialects, or of ONNX.

    Several files that belong together are given at once. ``define`` gives variables of
    Timeloop's templates, ``size`` gives sizes that a model in ONNX leaves open, or
    others than a network has. Other tools' files need ``pip install 'tilewright[import]'``.

    >>> import pathlib, tempfile
    >>> import tilewright as tw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "workload.yaml"
    ...     _ = path.write_text(tw.Workload("gemm: m=4 n=4 k=4").to_yaml())
    ...     tw.load(path).workload.macs
    64
    """
    if not files:
        raise TypeError("give a file or more")
    paths = [pathlib.Path(file) for file in files]
    networks = [path for path in paths if path.suffix in (".csv", ".onnx") or _is_graph(path)]
    foreign = [path for path in paths if path not in networks and _is_foreign(path)]
    own = [path for path in paths if path not in networks and path not in foreign]
    texts = {str(path): read_text(path) for path in own}
    report = ""
    if foreign:
        from tilewright.importers.timeloop.convert import import_timeloop

        imported = import_timeloop(foreign, define or {})
        report = imported.files["report.md"]
        texts |= {name: text for name, text in imported.files.items() if name.endswith("yaml")}
        texts.pop("mapper.yaml", None)
    if len(networks) > 1:
        raise InputError([Problem("there are two networks", "give one", str(networks[1]))])
    network: Network | None = None
    if networks and networks[0].suffix == ".onnx":
        network, report = _network_of_onnx(networks[0], size or {})
    elif networks:
        network = Network.load(networks[0], size)
    return _values(texts, network, report)


def _network_of_onnx(path: pathlib.Path, size: MappingABC[str, int]) -> tuple[Network, str]:
    """A model in ONNX as a network, and the report of its import."""
    from tilewright.importers.onnx.convert import import_onnx

    files = import_onnx(path, size).files
    held = _native.Network.read(files["network.yaml"], str(path), [])
    return Network._hold(held), files["report.md"]


def _is_graph(path: pathlib.Path) -> bool:
    """Whether a file of this tool is a network with edges."""
    if path.suffix not in (".yaml", ".yml"):
        return False
    lines = read_text(path, 16 << 20).splitlines()
    return any(line.startswith("network:") for line in lines) and any(
        line.startswith("operators:") for line in lines
    )


def _is_foreign(path: pathlib.Path) -> bool:
    """Whether the readers of this tool say that a file is one of Timeloop's."""
    if path.suffix == ".cfg":
        return True
    try:
        _native.Architecture.read(read_text(path, 16 << 20), str(path))
    except InputError as error:
        return any(problem.message.endswith("a file of Timeloop") for problem in error.problems)
    return False


def _values(texts: dict[str, str], network: Network | None, report: str) -> Loaded:
    found: dict[str, tuple[str, str]] = {}
    for file, text in texts.items():
        kind = _kind_of(text, file)
        if kind in found:
            raise InputError([Problem(f"there are two files with {kind}", "give one", file)])
        found[kind] = (text, file)
    arch = Architecture.from_yaml(*found["architecture"]) if "architecture" in found else None
    work = Workload.from_yaml(*found["workload"]) if "workload" in found else None
    rules = mapping = None
    if "constraints" in found:
        rules = Constraints.from_yaml(_needed(arch, found["constraints"][1]), *found["constraints"])
    if "mapping" in found:
        text, file = found["mapping"]
        on, of = _needed(arch, file), _needed(work, file)
        mapping = Mapping._hold(_native.Mapping.read(text, file, on._handle, of._handle))
    return Loaded(arch, work, rules, mapping, network, report)


def _kind_of(text: str, file: str) -> str:
    """The key that says what a file of this tool is; a mapping may go without its name."""
    keys = parse(text)
    for kind in ("architecture", "workload", "mapping", "constraints"):
        if kind in keys:
            return kind
    if "levels" in keys:
        return "mapping"
    hint = "it should have architecture, workload, mapping or constraints"
    raise InputError([Problem("this file is of no known kind", hint, file)])


def _needed(value: _T | None, file: str) -> _T:
    if value is None:
        hint = "give the files of its architecture and its workload as well"
        raise InputError([Problem("this file means nothing alone", hint, file)])
    return value
