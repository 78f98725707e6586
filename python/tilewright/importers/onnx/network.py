"""The network that is written: operators that read and write tensors (docs/networks.md)."""

from __future__ import annotations

import collections
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tilewright.importers.onnx.model import Model
from tilewright.importers.writing import name_text

_DEFAULT_BITS = 8
_LONGEST_NAME = 200


@dataclass(slots=True)
class Mapped:
    """A contraction. Of its tensors W is the weight and O what it writes."""

    name: str
    einsum: str
    sizes: dict[str, int]
    uses: dict[str, str]
    """Tensors of the model by their names in the einsum."""
    each: list[str] = field(default_factory=list[str])
    note: str = ""

    @property
    def reads(self) -> list[str]:
        return [tensor for role, tensor in self.uses.items() if role != "O"]

    @property
    def writes(self) -> str:
        return self.uses["O"]

    @property
    def slides_over_output(self) -> bool:
        """Whether what it writes can have another size than its indices say."""
        return "+" in self.einsum.partition("+=")[0]


@dataclass(slots=True)
class Kept:
    """An operator that is not mapped: the key that says what it is, and the others.

    The value of the key is a shape, an order of axes, or the name of a function.
    """

    name: str
    key: str
    value: str
    reads: list[str]
    writes: str
    more: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Block:
    """Operators that are done several times; ``carry`` says what a repetition hands on."""

    name: str
    repeat: int
    carry: dict[str, str]
    items: list[Mapped | Kept]


Item: TypeAlias = Mapped | Kept | Block


def operators_of(items: Iterable[Item]) -> Iterator[Mapped | Kept]:
    """Those inside blocks as well."""
    for item in items:
        if isinstance(item, Block):
            yield from item.items
        else:
            yield item


def numbers_text(numbers: Iterable[int]) -> str:
    return f"[{', '.join(str(number) for number in numbers)}]"


class Writer:
    """The text of a network; tensors that its reader cannot know are declared."""

    def __init__(self, model: Model, items: list[Item]) -> None:
        self._model = model
        self._items = items
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._bits = self._most_common_width()

    def text(self, name: str) -> str:
        file = self._model.path.name
        lines = [
            "# Written by `tilewright import onnx`; report.md says what is left out.",
            f"network: {name_text(name)}",
            f"source: {_quoted(file)}",
            f"bits: {self._bits}",
        ]
        declared = list(self._declared())
        if declared:
            lines += ["tensors:", *declared]
        lines.append("operators:")
        for item in self._items:
            lines += self._item(item, "  ")
        return "\n".join(lines) + "\n"

    # --- tensors --------------------------------------------------------------------

    def _most_common_width(self) -> int:
        names = {name for one in operators_of(self._items) for name in (*one.reads, one.writes)}
        widths = collections.Counter(
            self._model.bits[name] for name in sorted(names) if self._model.bits.get(name)
        )
        return widths.most_common(1)[0][0] if widths else _DEFAULT_BITS

    def _declared(self) -> Iterator[str]:
        written = {one.writes for one in operators_of(self._items)}
        windows = {
            one.writes
            for one in operators_of(self._items)
            if isinstance(one, Mapped) and one.slides_over_output
        }
        weights = self._model.constants - {
            name for one in operators_of(self._items) for name in _inputs_of(one)
        }
        used = [name for one in operators_of(self._items) for name in (*one.reads, one.writes)]
        for name in dict.fromkeys(used):
            bits = self._model.bits.get(name) or self._bits
            given = name not in written and name not in weights
            if bits != self._bits or given or name in windows:
                yield f"  {self._name(name)}: {self._tensor(name, bits)}"

    def _tensor(self, name: str, bits: int) -> str:
        shape = self._model.shapes.get(name)
        sizes = "" if shape is None else numbers_text(shape or (1,))
        if bits == self._bits:
            return sizes
        return f"{{shape: {sizes}, bits: {bits}}}" if sizes else f"{{bits: {bits}}}"

    def _name(self, tensor: str) -> str:
        """The name of a tensor in the file: its own, unless it is far too long."""
        known = self._names.get(tensor)
        if known is None:
            short, number = tensor[:_LONGEST_NAME], 2
            known = short
            while known in self._taken:
                known, number = f"{short}_{number}", number + 1
            self._taken.add(known)
            self._names[tensor] = known
        return _quoted(known)

    # --- operators ------------------------------------------------------------------

    def _item(self, item: Item, margin: str) -> list[str]:
        if isinstance(item, Kept):
            return [f"{margin}- {{{', '.join(self._kept(item))}}}"]
        first, *rest = self._block(item) if isinstance(item, Block) else self._mapped(item)
        lines = [f"{margin}- {first}", *(f"{margin}  {line}" for line in rest)]
        if isinstance(item, Block):
            for one in item.items:
                lines += self._item(one, margin + "    ")
        return lines

    def _kept(self, item: Kept) -> list[str]:
        reads = ", ".join(self._name(name) for name in item.reads)
        value = item.value if item.key in ("reshape", "transpose") else _quoted(item.value)
        parts = [f"operator: {_quoted(item.name)}", f"{item.key}: {value}"]
        parts += [f"{key}: {value}" for key, value in item.more.items()]
        return [*parts, f"reads: [{reads}]", f"writes: {self._name(item.writes)}"]

    def _mapped(self, item: Mapped) -> list[str]:
        lines = [
            f"operator: {_quoted(item.name)}",
            f"einsum: {_quoted(item.einsum)}",
            f"sizes: {_map_text(item.sizes)}",
        ]
        if item.each:
            lines.append(f"each: [{', '.join(item.each)}]")
        lines.append(f"uses: {_map_text({key: self._name(of) for key, of in item.uses.items()})}")
        return [*lines, f"note: {_quoted(item.note)}"] if item.note else lines

    def _block(self, item: Block) -> list[str]:
        carry = ", ".join(f"{self._name(to)}: {self._name(of)}" for to, of in item.carry.items())
        return [
            f"block: {_quoted(item.name)}",
            f"repeat: {item.repeat}",
            f"carry: {{{carry}}}",
            "operators:",
        ]


def _inputs_of(one: Mapped | Kept) -> list[str]:
    """What an operator reads, but for weights, which need no declaration."""
    if isinstance(one, Kept):
        return one.reads
    return [tensor for role, tensor in one.uses.items() if role not in ("O", "W")]


def _map_text(entries: Mapping[str, object]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in entries.items())}}}"


def _quoted(text: str) -> str:
    """A text that YAML takes for nothing else, with any character."""
    plain = name_text(text)
    return plain if plain == text else json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")
