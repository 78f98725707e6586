"""Networks: layers with the number of their occurrences, or a graph."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tilewright import _native
from tilewright._documents import parse, read_document
from tilewright._errors import InputError, Problem
from tilewright._value import Document, PathLike, Sizes, Value, size_lines
from tilewright._workload import Workload, workload_of


class Layer(NamedTuple):
    """A layer of a network, and how often the network has it."""

    name: str
    workload: Workload
    count: int = 1  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    source: str = ""
    note: str = ""


class Network(Value[_native.Network]):
    """Layers with the number of their occurrences, and the graph that they are of.

    Made of the name of one that ships, a file, or of layers. ``sizes`` are in place of those
    that a graph has (docs/networks.md):

    >>> import tilewright as tw
    >>> len(tw.Network("alexnet").layers)
    8
    >>> mlp = tw.Network.of("mlp", [("up", "gemm: m=256 n=16 k=64", 2),
    ...                             ("down", "gemm: m=64 n=16 k=256", 2)])
    >>> mlp
    <Network mlp: 2 layers, 1048576 MACs>
    >>> tw.Network("gpt2", sizes={"tokens": 1, "context": 512})
    <Network gpt2: 9 layers, 132969216 MACs>
    """

    __slots__ = ()

    def __init__(self, source: str, sizes: Sizes | None = None) -> None:
        """From a name or a file. A model in ONNX is imported (docs/import.md); ``sizes`` are
        those that it leaves open."""
        self._handle = _loaded(source, sizes)

    @classmethod
    def load(cls, path: PathLike, sizes: Sizes | None = None) -> Network:
        """Reads a file, or takes one that ships by its name."""
        return cls._hold(_loaded(os.fspath(path), sizes))

    @classmethod
    def from_csv(cls, text: str, file: str = "network") -> Network:
        """Reads the text of a file; complaints carry the name of the file."""
        return cls._hold(_native.Network.read(text, file, []))

    @classmethod
    def from_yaml(cls, text: str, file: str = "network", sizes: Sizes | None = None) -> Network:
        """Reads the text of a graph; complaints carry the name of the file."""
        return cls._hold(_native.Network.read(text, file, size_lines(sizes)))

    @classmethod
    def of(
        cls,
        name: str,
        layers: Iterable[Layer | tuple[str, Workload | str] | tuple[str, Workload | str, int]],
        description: str = "",
        source: str = "",
    ) -> Network:
        """Of layers: a name, a workload and how often it occurs."""
        parts: list[tuple[str, _native.Workload, int, str, str]] = []
        for layer in layers:
            if isinstance(layer, Layer):
                full = layer
            else:
                work = workload_of(layer[1])
                full = Layer(layer[0], work, layer[2] if len(layer) > 2 else 1)
            parts.append((full.name, full.workload._handle, full.count, full.source, full.note))
        return cls._hold(_native.Network.make(name, description, source, parts))

    @classmethod
    def from_dict(cls, document: Document) -> Network:
        """From what :meth:`to_dict` gives."""
        if "operators" in document:
            return read_document(document, cls.from_yaml)
        layers = [
            Layer(one["name"], Workload.from_dict(one["workload"]), one.get("count", 1),
                  one.get("source", ""), one.get("note", ""))
            for one in document["layers"]
        ]  # fmt: skip
        return cls.of(document["network"], layers, document.get("description", ""),
                      document.get("source", ""))  # fmt: skip

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def description(self) -> str:
        return self._handle.description

    @property
    def source(self) -> str:
        return self._handle.source

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(
            Layer(name, Workload._hold(work), count, source, note)
            for name, work, count, source, note in self._handle.layers
        )

    @property
    def macs(self) -> int:
        """Multiply-accumulates of all layers, each as often as it occurs."""
        return self._handle.macs

    def __getitem__(self, layer: str | int) -> Workload:
        """The workload of a layer, by its name or its place from 0."""
        if isinstance(layer, int):
            return self.layers[layer].workload
        return Workload._hold(self._handle.pick(layer))

    def __len__(self) -> int:
        return len(self._handle.layers)

    def __iter__(self) -> Iterator[Layer]:
        return iter(self.layers)

    def to_dict(self) -> dict[str, Any]:
        """Name, description, source and layers, each with its workload as a dictionary; of a
        graph the keys of a file."""
        if not self._handle.is_list:
            return parse(self.to_yaml())
        layers = [
            {"name": one.name, "count": one.count, "source": one.source, "note": one.note,
             "workload": one.workload.to_dict()}
            for one in self.layers
        ]  # fmt: skip
        return {"network": self.name, "description": self.description, "source": self.source,
                "layers": layers}  # fmt: skip

    def to_yaml(self) -> str:
        """The text of a file: the graph, every size as a number."""
        return self._handle.yaml()

    def summary(self) -> dict[str, Any]:
        """What ``tilewright models NAME --json`` prints, with the graph."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._handle.is_list:
            return Network.from_yaml, (self.to_yaml(),)
        return Network.of, (self.name, self.layers, self.description, self.source)

    def __str__(self) -> str:
        return self._handle.text(0)

    def __repr__(self) -> str:
        return f"<Network {self.name}: {len(self)} layers, {self.macs} MACs>"


def _loaded(source: str, sizes: Sizes | None) -> _native.Network:
    if not source.endswith(".onnx"):
        return _native.Network.load(source, size_lines(sizes))
    from tilewright.importers.onnx.convert import import_onnx

    files = import_onnx(pathlib.Path(source), _whole(sizes or {})).files
    return _native.Network.read(files["network.yaml"], source, [])


def _whole(sizes: Sizes) -> dict[str, int]:
    """Sizes of a model, which are numbers."""
    try:
        return {name: int(value) for name, value in sizes.items()}
    except ValueError as error:
        hint = "sizes of a model in ONNX are whole numbers"
        raise InputError([Problem(str(error), hint, "sizes")]) from None


def network_of(source: Network | PathLike) -> Network:
    """A network, or the name or file of one."""
    return source if isinstance(source, Network) else Network.load(source)


def network(name: str, sizes: Sizes | None = None) -> Network:
    """One of the networks that ship, or a file."""
    return Network(name, sizes)


def networks() -> list[str]:
    """The names of the networks that ship."""
    return _native.builtin_networks()
