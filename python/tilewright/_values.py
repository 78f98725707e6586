"""What users describe: workloads, architectures, networks, constraints, mappings.

Values never change. They compare, hash, pickle and copy by what they say.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingABC
from typing import Any, NamedTuple, TypeAlias

from tilewright import _html, _native
from tilewright._documents import merged, parse, read_document
from tilewright._errors import InputError, Problem

PathLike: TypeAlias = "str | os.PathLike[str]"
Document: TypeAlias = MappingABC[str, Any]
Sizes: TypeAlias = MappingABC[str, "int | str"]


def _text_of(path: PathLike) -> str:
    """A path or a name as a text."""
    return os.fspath(path)


def _size_lines(sizes: Sizes | None) -> list[str]:
    """Sizes of a network as they stand behind ``--size``."""
    return [f"{name}={value}" for name, value in (sizes or {}).items()]


class Workload:
    """A tensor contraction: dimensions, and tensors that are indexed by sums of them.

    Made of a line, a file in YAML or a dictionary with the keys of such a file
    (``tilewright explain workload`` lists them):

    >>> import tilewright as tw
    >>> tw.Workload("gemm: m=64 n=64 k=32")
    Workload('O[M,N] += W[M,K]*I[K,N]; M=64 N=64 K=32')
    >>> conv = tw.Workload({"workload": "conv", "conv2d": {"in_channels": 3,
    ...     "out_channels": 64, "p": 112, "q": 112, "r": 7, "s": 7, "stride": 2}})
    >>> conv.macs
    118013952
    >>> conv.with_(sizes={"M": 32}).dims["M"]
    32
    """

    __slots__ = ("_handle",)
    _handle: _native.Workload

    def __init__(self, source: str | Document) -> None:
        """From a line or a file (a text), or from a dictionary."""
        if isinstance(source, str):
            self._handle = _native.Workload.load(source)
        else:
            self._handle = read_document(
                source, lambda text: _native.Workload.read(text, "workload")
            )

    @classmethod
    def _hold(cls, handle: _native.Workload) -> Workload:
        held = cls.__new__(cls)
        held._handle = handle
        return held

    @classmethod
    def load(cls, path: PathLike) -> Workload:
        """Reads a file, or a workload on one line."""
        return cls._hold(_native.Workload.load(_text_of(path)))

    @classmethod
    def from_yaml(cls, text: str, file: str = "workload") -> Workload:
        """Reads the text of a file; complaints carry the name of the file."""
        return cls._hold(_native.Workload.read(text, file))

    @classmethod
    def from_dict(cls, document: Document) -> Workload:
        """From a dictionary with the keys of a file."""
        return cls(document)

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def dims(self) -> dict[str, int]:
        """The size of every dimension, in order."""
        return dict(self._handle.dims)

    @property
    def macs(self) -> int:
        """Multiply-accumulates."""
        return self._handle.macs

    @property
    def einsum(self) -> str:
        """What is computed: ``O[M,N] += W[M,K]*I[K,N]``."""
        return self._handle.einsum

    def with_(self, changes: Document | None = None, /, **named: Any) -> Workload:
        """The workload with other values of some keys; dictionaries are merged."""
        document = merged(merged(self.to_dict(), changes or {}), named)
        return Workload.from_dict(document)

    def to_dict(self) -> dict[str, Any]:
        """The keys of a file, from which :meth:`from_dict` makes an equal value."""
        return parse(self.to_yaml())

    def to_yaml(self) -> str:
        """The text of a file."""
        return self._handle.yaml()

    def summary(self) -> dict[str, Any]:
        """What ``tilewright workload show --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Workload) and self._handle.equals(other._handle)

    def __hash__(self) -> int:
        return hash(("Workload", self.to_yaml()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored_workload, (self.to_yaml(), self._handle.roles_by_rule)

    def __copy__(self) -> Workload:
        return self

    def __deepcopy__(self, memo: object) -> Workload:
        return self

    def __str__(self) -> str:
        return self._handle.text()

    def __repr__(self) -> str:
        sizes = " ".join(f"{name}={size}" for name, size in self._handle.dims)
        return f"Workload({f'{self.einsum}; {sizes}'!r})"


def _restored_workload(text: str, roles_by_rule: list[str]) -> Workload:
    """For pickles. Whether a role was given is no part of the value, but of its remarks."""
    handle = _native.Workload.read(text, "workload")
    return Workload._hold(handle.with_roles_by_rule(roles_by_rule))


class Architecture:
    """An accelerator: levels from the outermost memory to the multipliers.

    Made of the name of one that ships, a file, or a dictionary with the keys of such a
    file (``tilewright explain architecture`` lists them):

    >>> import tilewright as tw
    >>> eyeriss = tw.Architecture("eyeriss")
    >>> larger = eyeriss.with_(GlobalBuffer={"capacity": "256 KiB"})
    >>> larger == eyeriss
    False
    >>> larger.levels["GlobalBuffer"]
    'memory'
    """

    __slots__ = ("_handle",)
    _handle: _native.Architecture

    def __init__(self, source: str | Document) -> None:
        """From a name or a file (a text), or from a dictionary."""
        if isinstance(source, str):
            self._handle = _native.Architecture.load(source)
        else:
            self._handle = read_document(
                source, lambda text: _native.Architecture.read(text, "architecture")
            )

    @classmethod
    def _hold(cls, handle: _native.Architecture) -> Architecture:
        held = cls.__new__(cls)
        held._handle = handle
        return held

    @classmethod
    def load(cls, path: PathLike) -> Architecture:
        """Reads a file, or takes one that ships by its name."""
        return cls._hold(_native.Architecture.load(_text_of(path)))

    @classmethod
    def from_yaml(cls, text: str, file: str = "architecture") -> Architecture:
        """Reads the text of a file; complaints carry the name of the file."""
        return cls._hold(_native.Architecture.read(text, file))

    @classmethod
    def from_dict(cls, document: Document) -> Architecture:
        """From a dictionary with the keys of a file."""
        return cls(document)

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def levels(self) -> dict[str, str]:
        """What each level is, outermost first: ``memory``, ``fanout`` or ``compute``."""
        return dict(self._handle.levels)

    @property
    def compute_instances(self) -> int:
        """How many multipliers there are."""
        return self._handle.compute_instances

    @property
    def area_um2(self) -> float:
        """Of all levels; 0 if the architecture gives no areas."""
        return self._handle.area_um2

    @property
    def is_flexible(self) -> bool:
        """Whether it can be set up in several ways, layer by layer."""
        return self._handle.is_flexible

    def with_(self, changes: Document | None = None, /, **named: Any) -> Architecture:
        """The architecture with changes to levels or to keys of the file.

        A name of a level takes a dictionary of its keys; None takes a key away.

        >>> import tilewright as tw
        >>> toy = tw.Architecture("toy_linear")
        >>> toy.with_(accounting="timeloop", name="mine").name
        'mine'
        """
        document = self.to_dict()
        for name, change in [*(changes or {}).items(), *named.items()]:
            document = self._changed(document, "architecture" if name == "name" else name, change)
        return Architecture.from_dict(document)

    def _changed(self, document: dict[str, Any], name: str, change: Any) -> dict[str, Any]:
        levels = list(document["levels"])
        for number, level in enumerate(levels):
            if name not in (level.get("memory"), level.get("fanout"), level.get("compute")):
                continue
            if not isinstance(change, MappingABC):
                raise InputError([Problem("a level takes a dictionary of its keys", path=name)])
            levels[number] = merged(level, change)  # pyright: ignore[reportUnknownArgumentType]
            return {**document, "levels": levels}
        if isinstance(change, MappingABC) and name != "flexibility":
            known = ", ".join(self.levels)
            raise InputError([Problem("there is no level of this name", f"the levels are {known}",
                                      path=name)])  # fmt: skip
        return merged(document, {name: change})

    def estimated_by(self, estimator: Callable[[dict[str, Any]], Document]) -> Architecture:
        """The architecture with the numbers of another estimator.

        It is asked about every level that says how it is made (docs/energy.md): it gets the keys
        of the level, and ``technology``, ``voltage`` and ``clock`` of the architecture, and gives
        keys and values such as ``{"read": "3 pJ"}``, and under ``from`` a word for itself. They
        are imported: they take the place of estimates, and numbers that the file gives stay.

        >>> import tilewright as tw
        >>> chip = tw.Architecture({
        ...     "architecture": "chip", "technology": "28 nm",
        ...     "levels": [{"memory": "DRAM", "capacity": "unlimited", "word": "8 bits",
        ...                 "dram": "lpddr4"},
        ...                {"compute": "MAC", "energy": "1 pJ"}]})
        >>> other = chip.estimated_by(lambda level: {"read": "9 pJ/bit"})
        >>> other.summary()["levels"][0]["read_pj"]
        72.0
        """
        document = self.to_dict()
        names = ("technology", "voltage", "clock")
        around: dict[str, Any] = {key: document[key] for key in names if key in document}
        changes: dict[str, Any] = {}
        for level in document["levels"]:
            if not any(key in level for key in ("class", "dram", "mac", "wire")):
                continue
            name = level.get("memory") or level.get("fanout") or level["compute"]
            numbers = {"from": "another estimator", **estimator({**around, **level})}
            changes[name] = {"imported": {**level.get("imported", {}), **numbers}}
        return self.with_(changes)

    def to_dict(self) -> dict[str, Any]:
        """The keys of a file, from which :meth:`from_dict` makes an equal value."""
        return parse(self.to_yaml())

    def to_yaml(self) -> str:
        """The text of a file."""
        return self._handle.yaml()

    def summary(self) -> dict[str, Any]:
        """What ``tilewright arch show --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Architecture) and self._handle.equals(other._handle)

    def __hash__(self) -> int:
        return hash(("Architecture", self.to_yaml()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Architecture.from_yaml, (self.to_yaml(),)

    def __copy__(self) -> Architecture:
        return self

    def __deepcopy__(self, memo: object) -> Architecture:
        return self

    def __str__(self) -> str:
        return self._handle.text(0)

    def __repr__(self) -> str:
        return f"<Architecture {self.name}: {', '.join(self.levels)}>"

    def _repr_html_(self) -> str:
        return _html.architecture(self.summary())


class Layer(NamedTuple):
    """A layer of a network, and how often the network has it."""

    name: str
    workload: Workload
    count: int = 1  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]
    source: str = ""
    note: str = ""


class Network:
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

    __slots__ = ("_handle",)
    _handle: _native.Network

    def __init__(self, source: str, sizes: Sizes | None = None) -> None:
        """From a name or a file."""
        self._handle = _native.Network.load(source, _size_lines(sizes))

    @classmethod
    def _hold(cls, handle: _native.Network) -> Network:
        held = cls.__new__(cls)
        held._handle = handle
        return held

    @classmethod
    def load(cls, path: PathLike, sizes: Sizes | None = None) -> Network:
        """Reads a file, or takes one that ships by its name."""
        return cls._hold(_native.Network.load(_text_of(path), _size_lines(sizes)))

    @classmethod
    def from_csv(cls, text: str, file: str = "network") -> Network:
        """Reads the text of a file; complaints carry the name of the file."""
        return cls._hold(_native.Network.read(text, file, []))

    @classmethod
    def from_yaml(cls, text: str, file: str = "network", sizes: Sizes | None = None) -> Network:
        """Reads the text of a graph; complaints carry the name of the file."""
        return cls._hold(_native.Network.read(text, file, _size_lines(sizes)))

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Network) and self._handle.equals(other._handle)

    def __hash__(self) -> int:
        return hash(("Network", self._handle.yaml()))

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._handle.is_list:
            return Network.from_yaml, (self.to_yaml(),)
        return Network.of, (self.name, self.layers, self.description, self.source)

    def __copy__(self) -> Network:
        return self

    def __deepcopy__(self, memo: object) -> Network:
        return self

    def __str__(self) -> str:
        return self._handle.text(0)

    def __repr__(self) -> str:
        return f"<Network {self.name}: {len(self)} layers, {self.macs} MACs>"


class Constraints:
    """What mappings must keep to beside what the architecture says.

    >>> import tilewright as tw
    >>> rules = tw.Constraints("eyeriss", ["SARows.y: S = all", "SACols.x: M <= 2"])
    >>> rules.lines
    ('SARows.y: S = all', 'SACols.x: M <= 2')
    """

    __slots__ = ("_arch", "_handle")
    _handle: _native.Constraints
    _arch: Architecture

    def __init__(
        self, arch: Architecture | str, lines: str | Sequence[str] | Document = ()
    ) -> None:
        """Lines such as ``Rows.y: S = all, M <= 4``, or a dictionary with the keys of a file."""
        self._arch = architecture_of(arch)
        native = self._arch._handle
        if isinstance(lines, MappingABC):
            self._handle = read_document(
                lines, lambda text: _native.Constraints.read(text, "constraints", native)
            )
            return
        several = [lines] if isinstance(lines, str) else list(lines)
        self._handle = _native.Constraints.join(
            [_native.Constraints.read_line(line, "constraint", native) for line in several]
        )

    @classmethod
    def _hold(cls, arch: Architecture, handle: _native.Constraints) -> Constraints:
        held = cls.__new__(cls)
        held._arch = arch
        held._handle = handle
        return held

    @classmethod
    def load(cls, arch: Architecture | str, path: PathLike) -> Constraints:
        """Reads a file."""
        of = architecture_of(arch)
        return cls._hold(of, _native.Constraints.load(_text_of(path), of._handle))

    @classmethod
    def from_yaml(
        cls, arch: Architecture | str, text: str, file: str = "constraints"
    ) -> Constraints:
        """Reads the text of a file; complaints carry the name of the file."""
        of = architecture_of(arch)
        return cls._hold(of, _native.Constraints.read(text, file, of._handle))

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(self._handle.lines)

    def to_dict(self) -> dict[str, Any]:
        """The keys of a file."""
        return parse(self.to_yaml())

    def to_yaml(self) -> str:
        """The text of a file."""
        return self._handle.yaml()

    def __add__(self, other: Constraints) -> Constraints:
        joined = _native.Constraints.join([self._handle, other._handle])
        return Constraints._hold(self._arch, joined)

    def __len__(self) -> int:
        return len(self._handle.lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraints) and self._handle.equals(other._handle)

    def __hash__(self) -> int:
        return hash(("Constraints", self.lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return Constraints, (self._arch, self.lines)

    def __copy__(self) -> Constraints:
        return self

    def __deepcopy__(self, memo: object) -> Constraints:
        return self

    def __repr__(self) -> str:
        return f"Constraints({self._arch.name!r}, {list(self.lines)!r})"


class Mapping:
    """One way to run a workload on an architecture.

    >>> import tilewright as tw
    >>> mapping = tw.Mapping("toy_linear", "O[X] += I[X]; X=100",
    ...                      {"levels": {"DRAM": {"loops": ["X 20"]}, "PEs": {"x": ["X 5"]}}})
    >>> tw.evaluate("toy_linear", "O[X] += I[X]; X=100", mapping).cycles
    20
    """

    __slots__ = ("_handle",)
    _handle: _native.Mapping

    def __init__(
        self, arch: Architecture | str, workload: Workload | str, levels: str | Document
    ) -> None:
        """From the text of a file or a dictionary with its keys."""
        on, of = architecture_of(arch)._handle, workload_of(workload)._handle
        if isinstance(levels, str):
            self._handle = _native.Mapping.read(levels, "mapping", on, of)
        else:
            self._handle = read_document(
                levels, lambda text: _native.Mapping.read(text, "mapping", on, of)
            )

    @classmethod
    def _hold(cls, handle: _native.Mapping) -> Mapping:
        held = cls.__new__(cls)
        held._handle = handle
        return held

    @classmethod
    def load(cls, arch: Architecture | str, workload: Workload | str, path: PathLike) -> Mapping:
        """Reads a file."""
        on, of = architecture_of(arch)._handle, workload_of(workload)._handle
        return cls._hold(_native.Mapping.read(read_text(path), _text_of(path), on, of))

    @classmethod
    def from_yaml(
        cls, arch: Architecture | str, workload: Workload | str, text: str
    ) -> Mapping:
        """Reads the text of a file."""
        return cls(arch, workload, text)

    @property
    def architecture(self) -> Architecture:
        """What it runs on; of a flexible one, as it is set up for the mapping."""
        return Architecture._hold(self._handle.architecture)

    @property
    def workload(self) -> Workload:
        """What it runs, before any padding."""
        return Workload._hold(self._handle.workload)

    @property
    def nest(self) -> str:
        """The loop nest, in words."""
        return self._handle.nest()

    def to_row(self) -> list[int]:
        """The mapping as whole numbers; see :class:`Mappings`."""
        return self._handle.row()

    def to_dict(self) -> dict[str, Any]:
        """The keys of a file."""
        return parse(self.to_yaml())

    def to_yaml(self) -> str:
        """The text of a file."""
        return self._handle.yaml()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self._handle.equals(other._handle)

    def __hash__(self) -> int:
        return hash(("Mapping", tuple(self._handle.row())))

    def __reduce__(self) -> tuple[Any, ...]:
        return Mapping, (self.architecture, self.workload, self.to_yaml())

    def __copy__(self) -> Mapping:
        return self

    def __deepcopy__(self, memo: object) -> Mapping:
        return self

    def __str__(self) -> str:
        return self.nest

    def __repr__(self) -> str:
        levels = self.to_dict()["levels"]
        return f"<Mapping of {self.workload.name} on {self.architecture.name}: {levels}>"

    def _repr_html_(self) -> str:
        return _html.nest_text(self.nest)


def read_text(path: PathLike, most: int = 1 << 20) -> str:
    """The text of a file; complaints as of the command line."""
    return _native.read_file(_text_of(path), most)


def architecture_of(source: Architecture | PathLike | Document) -> Architecture:
    """An architecture, or what one can be made of."""
    if isinstance(source, Architecture):
        return source
    if isinstance(source, MappingABC):
        return Architecture.from_dict(source)
    return Architecture.load(source)


def workload_of(source: Workload | PathLike | Document) -> Workload:
    """A workload, or what one can be made of."""
    if isinstance(source, Workload):
        return source
    if isinstance(source, MappingABC):
        return Workload.from_dict(source)
    return Workload.load(source)


def network_of(source: Network | PathLike) -> Network:
    """A network, or the name or file of one."""
    return source if isinstance(source, Network) else Network.load(source)


def architecture(name: str) -> Architecture:
    """One of the architectures that ship, or a file."""
    return Architecture(name)


def network(name: str, sizes: Sizes | None = None) -> Network:
    """One of the networks that ship, or a file."""
    return Network(name, sizes)


def architectures() -> list[str]:
    """The names of the architectures that ship."""
    return _native.builtin_architectures()


def networks() -> list[str]:
    """The names of the networks that ship."""
    return _native.builtin_networks()


def explain(kind: str) -> str:
    """A file format, key by key: ``architecture``, ``workload``, ``mapping``, ``network``,
    ``constraints``, ``cascade`` or ``plan``."""
    kinds = _native.format_kinds()
    if kind not in kinds:
        raise InputError([Problem(f"{kind!r} is no file format",
                                  f"write one of {', '.join(kinds)}", file="format")])  # fmt: skip
    return _native.describe_format(kind)
