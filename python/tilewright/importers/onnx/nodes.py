"""A node of a model with all that is known of it at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tilewright.importers.onnx.model import Model
from tilewright.importers.onnx.network import Kept, numbers_text


class Unknown(Exception):
    """Something that must be known of a node is not."""


class Names:
    """Names of operators, each given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def own(self, name: str) -> str:
        """The name itself, or with a number behind it."""
        free, number = name, 2
        while free in self._taken:
            free, number = f"{name}_{number}", number + 1
        self._taken.add(free)
        return free


class Node:
    """A node with its attributes and shapes; ``name`` is that of its operator."""

    def __init__(self, proto: Any, model: Model, name: str, names: Names) -> None:
        self.proto = proto
        self.model = model
        self.name = name
        self._names = names
        self.op: str = proto.op_type
        self.inputs: list[str] = list(proto.input)
        self.outputs: list[str] = list(proto.output)

    def attribute(self, name: str) -> Any:
        for attribute in self.proto.attribute:
            if attribute.name == name:
                if attribute.ints:
                    return [int(value) for value in attribute.ints]
                if attribute.s:
                    return attribute.s.decode("utf-8", errors="replace")
                return attribute.f if attribute.type == 1 else int(attribute.i)
        return None

    def input(self, number: int) -> str:
        """The tensor that is an input; nothing where it is left out."""
        return self.inputs[number] if number < len(self.inputs) else ""

    def shape(self, number: int) -> tuple[int, ...]:
        """The shape of an input."""
        return self.shape_of(self.input(number))

    @property
    def written(self) -> str:
        """What it writes first; whatever is mapped has to write something."""
        if not self.outputs or not self.outputs[0]:
            raise Unknown("it writes nothing")
        return self.outputs[0]

    def out(self) -> tuple[int, ...]:
        return self.shape_of(self.written)

    def shape_of(self, name: str) -> tuple[int, ...]:
        shape = self.model.shapes.get(name)
        if shape is None:
            raise Unknown(f"the shape of {name or 'an input'} is not known")
        return shape

    def is_weight(self, number: int) -> bool:
        return self.input(number) in self.model.weights

    # --- what an operator of a model needs beside itself ----------------------------

    def part(self, suffix: str) -> str:
        """The name of an operator that the node becomes; without a suffix its own."""
        return self._names.own(f"{self.name}{suffix}") if suffix else self.name

    def tensor(self, suffix: str, shape: Sequence[int], like: str) -> str:
        """A tensor that the model does not have, of the width of another."""
        base, number = f"{self.name}.{suffix}", 2
        name = base
        while name in self.model.shapes or name in self.model.bits:
            name, number = f"{base}_{number}", number + 1
        self.model.shapes[name] = tuple(shape)
        self.model.bits[name] = self.model.bits.get(like, 0)
        return name

    def reshaped(self, of: str, suffix: str, shape: Sequence[int]) -> tuple[str, list[Kept]]:
        """A tensor in another shape, and the operator for that; a constant needs none."""
        if math.prod(self.shape_of(of)) != math.prod(shape):
            raise Unknown("its shapes do not fit together")
        made = self.tensor(suffix, shape, of)
        if of in self.model.constants:
            return made, []
        return made, [Kept(self.part(f".{suffix}"), "reshape", numbers_text(shape), [of], made)]

    def reshape_into(self, of: str, suffix: str, written: str) -> Kept:
        """The operator that gives a tensor of the model its shape."""
        shape = numbers_text(self.shape_of(written))
        return Kept(self.part(f".{suffix}"), "reshape", shape, [of], written)

    def other(self, suffix: str, function: str, reads: list[str], written: str) -> Kept:
        """An operator of which no more is known than what it writes."""
        shape = self.shape_of(written) or (1,)
        return Kept(
            self.part(suffix), "other", function, reads, written, {"shape": numbers_text(shape)}
        )
