"""AccelForge's expressions over sets of tensors: ``~Intermediates``, ``input | output``."""

from __future__ import annotations

import ast

from tilewright.importers.values import Place, refuse

ROLES = ("input", "weight", "output")


def tensor_set(text: str, known: dict[str, frozenset[str]], place: Place) -> frozenset[str]:
    """The roles that an expression means."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise refuse(f"{text!r} is no set of tensors", "write input | output", place) from None
    return _value(tree.body, known, place)


def _value(node: ast.expr, known: dict[str, frozenset[str]], place: Place) -> frozenset[str]:
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.Attribute) and node.attr == "tensors":
        return _value(node.value, known, place)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return frozenset(ROLES) - _value(node.operand, known, place)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, known, place), _value(node.right, known, place)
        if isinstance(node.op, ast.BitOr):
            return left | right
        if isinstance(node.op, ast.BitAnd):
            return left & right
        if isinstance(node.op, ast.Sub):
            return left - right
    raise refuse(
        f"{ast.unparse(node)!r} is no set of tensors that is known here",
        "write All, Nothing, input, weight, output, or names of memories",
        place,
    )
