"""Matrix products and einsums. Axes are told apart by labels, which get plain names at the end:
M for features, N for columns, K for what is summed over, B for stacks of products."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tilewright.importers.onnx.network import Item, Mapped
from tilewright.importers.onnx.nodes import Node, Unknown


@dataclass(slots=True)
class Operand:
    """A tensor, and a label for each of its axes."""

    tensor: str
    labels: list[str]


@dataclass(slots=True)
class Product:
    """A product of two operands; the second may be the first's weight, or the reverse."""

    first: Operand
    second: Operand
    written: Operand
    sizes: dict[str, int]
    weight_first: bool = False
    one_by_one: set[str] = field(default_factory=set[str])
    """Labels that only one operand has whose values are taken one by one all the same."""

    def mapped(self, name: str, note: str = "") -> Mapped:
        groups = self._groups()
        names, each = _named(groups, self.sizes)
        weight, data = (
            (self.first, self.second) if self.weight_first else (self.second, self.first)
        )

        def indices(operand: Operand) -> str:
            return ", ".join(names[label] for label in operand.labels)

        einsum = (
            f"O[{indices(self.written)}] += W:weight[{indices(weight)}] * I[{indices(data)}]"
        )
        uses = {"W": weight.tensor, "I": data.tensor, "O": self.written.tensor}
        sizes = {names[label]: self.sizes[label] for group in groups.values() for label in group}
        return Mapped(name, einsum, sizes, uses, each, note)

    def _groups(self) -> dict[str, list[str]]:
        """Labels by the letter that they get, in the order of sizes."""
        a, b, out = (set(part.labels) for part in (self.first, self.second, self.written))
        groups: dict[str, list[str]] = {letter: [] for letter in "MNKXBZ"}
        own = ("M", "N") if self.weight_first else ("N", "M")
        for label in dict.fromkeys(self.written.labels + self.first.labels + self.second.labels):
            if label not in a and label not in b:
                letter = "Z"  # an axis of one element that the written tensor has
            elif label in self.one_by_one or (label in a and label in b and label in out):
                letter = "B"
            elif label in a and label in b:
                letter = "K"
            elif label in out:
                letter = own[0] if label in a else own[1]
            else:
                letter = "X" if self.sizes[label] > 1 else "Z"
            groups[letter].append(label)
        return groups


def _named(groups: dict[str, list[str]], sizes: dict[str, int]) -> tuple[dict[str, str], list[str]]:
    """Names of the labels, and those names whose values are taken one by one.

    Axes of one element are among them, so that a stack of one product is the plain product. The
    largest axis of a group has the plain letter, which architectures know.
    """
    for letter in "MNK":
        group = groups[letter]
        if len(group) > 1:
            large = [label for label in group if sizes[label] > 1] or group[-1:]
            groups["Z"] += [label for label in group if label not in large]
            groups[letter] = sorted(large, key=lambda label: -sizes[label])
    names: dict[str, str] = {}
    for letter, group in groups.items():
        for number, label in enumerate(group, 1):
            names[label] = letter if number == 1 else f"{letter}{number}"
    each = [names[label] for label in groups["B"] + groups["Z"]]
    if not any(groups[letter] for letter in "MNKX"):
        each = each[1:]  # something has to be mapped
    return names, each


# --- operators ----------------------------------------------------------------------


def general_product(node: Node) -> list[Item]:
    """Gemm: both operands may be transposed."""
    a, b = node.shape(0), node.shape(1)
    if len(a) != 2 or len(b) != 2:
        raise Unknown("its operands are no matrices")
    return matrix_product(node)


def matrix_product(node: Node, first: int = 0, second: int = 1) -> list[Item]:
    """MatMul and its kin: stacks of matrices, of which one may serve several of the other."""
    a, b = node.shape(first), node.shape(second)
    if not a or not b:
        raise Unknown("an operand is a single number")
    stack_a, stack_b = len(a[:-2]), len(b[:-2])
    length = max(stack_a, stack_b)
    stack = [f"b{number}" for number in range(length)]
    left = stack[length - stack_a :] + (["row", "sum"] if len(a) > 1 else ["sum"])
    right = stack[length - stack_b :] + (["sum", "column"] if len(b) > 1 else ["sum"])
    out = stack + ["row"] * (len(a) > 1) + ["column"] * (len(b) > 1)
    for labels, key in ((left, "transA"), (right, "transB")):
        if node.attribute(key) and len(labels) > 1:
            labels[-1], labels[-2] = labels[-2], labels[-1]
    if a[left.index("sum")] != b[right.index("sum")]:
        raise Unknown("its shapes do not fit together")
    product = _spread(node, [(node.input(first), left), (node.input(second), right)], out)
    product.weight_first = node.is_weight(first) and not node.is_weight(second)
    many_a, many_b = (_many(part, stack, product.sizes) for part in (product.first, product.second))
    shared = not many_b or (product.weight_first and not many_a)
    if not shared:
        product.one_by_one = {label for label in stack if label in product.sizes}
    return [product.mapped(node.name)]


def _many(operand: Operand, stack: Sequence[str], sizes: dict[str, int]) -> bool:
    return any(sizes[label] > 1 for label in operand.labels if label in stack)


def _spread(node: Node, operands: Sequence[tuple[str, list[str]]], out: list[str]) -> Product:
    """A product in which an axis of one element serves all values of its label."""
    sizes: dict[str, int] = {}
    for tensor, labels in operands:
        for label, size in zip(labels, node.shape_of(tensor), strict=True):
            if sizes.setdefault(label, size) != size and 1 not in (size, sizes[label]):
                raise Unknown("its shapes do not fit together")
            sizes[label] = size if sizes[label] == 1 else sizes[label]
    parts: list[Operand] = []
    for tensor, labels in operands:
        own = Operand(tensor, list(labels))
        for axis, size in enumerate(node.shape_of(tensor)):
            if size != sizes[labels[axis]]:  # a label of its own, of one element
                own.labels[axis] = f"{labels[axis]} of {len(parts)}"
                sizes[own.labels[axis]] = size
        parts.append(_not_single(own, sizes))
    written = _not_single(Operand(node.written, list(out)), sizes)
    node.model.shapes.setdefault(written.tensor, tuple(sizes[label] for label in out))
    return Product(parts[0], parts[1], written, sizes)


def _not_single(operand: Operand, sizes: dict[str, int]) -> Operand:
    """A single number is a tensor of one axis, since no tensor of a network has none."""
    if not operand.labels:
        operand.labels = ["one"]
        sizes["one"] = 1
    return operand


def packed_product(node: Node) -> list[Item]:
    """MatMulNBits, whose weights are packed: the attributes have the sizes."""
    features, inner = node.attribute("N"), node.attribute("K")
    shape = node.shape(0)
    if not features or not inner or not shape or shape[-1] != inner:
        raise Unknown("its attributes do not fit its shapes")
    weights = node.tensor("W", (features, inner), node.input(1))
    node.model.bits[weights] = node.attribute("bits") or 4
    labels = [f"r{axis}" for axis in range(len(shape) - 1)]
    sizes = dict(zip(labels, shape, strict=False)) | {"m": features, "k": inner}
    node.model.shapes.setdefault(node.written, (*shape[:-1], features))
    product = Product(
        Operand(node.input(0), [*labels, "k"]),
        Operand(weights, ["m", "k"]),
        Operand(node.written, [*labels, "m"]),
        sizes,
    )
    return [product.mapped(node.name)]


# --- einsums ------------------------------------------------------------------------


def einsum(node: Node) -> list[Item]:
    """An einsum of two operands as a product, one of more as it is; of one it is none."""
    operands, out = _equation(node)
    if len(operands) < 2:  # a sum, a transpose or a diagonal
        return []
    for letters in (*operands, out):
        if len(set(letters)) != len(letters):
            raise Unknown("its equation takes a diagonal")
    if not set(out) <= set("".join(operands)):
        raise Unknown("its equation writes a letter that no operand has")
    if len(operands) == 2:
        parts = [(node.input(number), list(letters)) for number, letters in enumerate(operands)]
        product = _spread(node, parts, list(out))
        product.weight_first = node.is_weight(0) and not node.is_weight(1)
        return [product.mapped(node.name)]
    return [_many_operands(node, operands, out)]


def _equation(node: Node) -> tuple[list[str], str]:
    """Letters of the operands and of the output, without dots."""
    equation = str(node.attribute("equation") or "").replace(" ", "")
    if "->" not in equation:  # the letters that occur once, in their order
        letters = equation.replace(",", "").replace("...", "")
        once = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
        equation += "->" + ("..." if "..." in equation else "") + once
    if equation.count("->") != 1:
        raise Unknown(f"the equation {equation!r} has two arrows")
    left, out = equation.split("->")
    operands = left.split(",")
    shapes = [node.shape(number) for number in range(len(operands))]
    operands, out = _without_dots(operands, out, shapes)
    fits = all(len(part) == len(shape) for part, shape in zip(operands, shapes, strict=True))
    if not fits or not set("".join([*operands, out])) <= set(string.ascii_letters):
        raise Unknown(f"the equation {equation!r} does not fit its operands")
    return operands, out


def _without_dots(
    operands: list[str], out: str, shapes: list[tuple[int, ...]]
) -> tuple[list[str], str]:
    """Letters in the place of the three dots, which are aligned at their ends."""
    used = "".join([*operands, out])
    free = [letter for letter in string.ascii_uppercase if letter not in used]
    counts = [
        max(0, len(shape) - len(letters.replace("...", ""))) if "..." in letters else 0
        for letters, shape in zip(operands, shapes, strict=True)
    ]
    dots = "".join(free[: max(counts)])
    written = [
        letters.replace("...", dots[len(dots) - count :])
        for letters, count in zip(operands, counts, strict=True)
    ]
    return written, out.replace("...", dots)


def _many_operands(node: Node, operands: list[str], out: str) -> Mapped:
    sizes: dict[str, int] = {}
    for number, letters in enumerate(operands):
        for letter, size in zip(letters, node.shape(number), strict=True):
            if sizes.setdefault(letter, size) != size:
                raise Unknown(f"{letter} has two sizes, in a product of several operands")
    if not out or not all(operands):
        raise Unknown("it is a single number, or has one, in a product of several operands")
    names = [f"I{number + 1}" for number in range(len(operands))]
    factors = [f"{name}[{_list(part)}]" for name, part in zip(names, operands, strict=True)]
    text = f"O[{_list(out)}] += {' * '.join(factors)}"
    uses = dict(zip(names, node.inputs, strict=False)) | {"O": node.written}
    node.model.shapes.setdefault(node.written, tuple(sizes[letter] for letter in out))
    return Mapped(node.name, text, sizes, uses)


def _list(letters: Iterable[str]) -> str:
    return ", ".join(letters)
