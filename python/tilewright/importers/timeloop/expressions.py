"""Arithmetic in values: ``DATAWIDTH * 2``, ``max(1, ceil(log2(depth)))``.

Python's parser takes the text apart; the parts are computed here, one kind at a time. Nothing
is ever handed to ``eval``, names mean variables and attributes alone, and numbers stay small.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any, Protocol

from tilewright.importers.values import Items, Table, Value, number_in, truth_in

_LONGEST = 2_000
_LARGEST = 1 << 256
_MOST_STEPS = 10_000

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "ceil": math.ceil,
    "exp": math.exp,
    "float": float,
    "floor": math.floor,
    "int": int,
    "len": len,
    "log": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "max": max,
    "min": min,
    "pow": pow,
    "round": round,
    "sqrt": math.sqrt,
    "sum": sum,
}
_CONSTANTS = {"True": True, "False": False, "pi": math.pi, "e": math.e, "inf": math.inf}


class ExpressionError(ValueError):
    """An expression that means nothing."""


class Scope(Protocol):
    """What names mean in an expression."""

    def find(self, name: str) -> Any:
        """The value of a name; KeyError if it has none."""


def plain_value(value: Value, scope: Scope) -> Any:
    """A number, a truth value, a text, a list or a table, with expressions computed."""
    if isinstance(value, Items):
        return [plain_value(entry, scope) for entry in value.entries]
    if isinstance(value, Table):
        return Members({key: plain_value(entry, scope) for key, entry in value.entries.items()})
    if not value.plain:
        return value.text
    return evaluate(value.text, scope)


class Members(dict[str, Any]):
    """A table whose entries an expression reaches with a dot."""


def evaluate(text: str, scope: Scope) -> Any:
    """The value of an expression; a text that is none stays a text."""
    number = number_in(text)
    if number is not None:
        return number
    if text.strip().lower() in ("true", "false"):
        return truth_in(text)
    try:
        return scope.find(text.strip())
    except KeyError:
        pass
    if text.strip().isidentifier():
        return _CONSTANTS.get(text.strip(), text)
    return compute(text, scope)


def compute(text: str, scope: Scope) -> Any:
    """The value of an expression, or :class:`ExpressionError`."""
    if len(text) > _LONGEST:
        raise ExpressionError("the expression is too long")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError(f"{text!r} is neither a number nor an expression") from None
    try:
        return _Computer(scope).value(tree.body)
    except ExpressionError:
        raise
    except (ArithmeticError, TypeError, ValueError, LookupError, RecursionError) as error:
        raise ExpressionError(f"{text!r} has no value: {error}") from None


class _Computer:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.steps = 0

    def value(self, node: ast.expr) -> Any:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise ExpressionError("the expression has too many parts")
        method = getattr(self, f"of_{type(node).__name__}", None)
        if method is None:
            raise ExpressionError(f"{type(node).__name__} is not allowed in an expression")
        result = method(node)
        if isinstance(result, int) and abs(result) > _LARGEST:
            raise ExpressionError("the number is too large")
        return result

    def of_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, int | float | str | bool) or node.value is None:
            return node.value
        raise ExpressionError("this kind of constant is not allowed in an expression")

    def of_Name(self, node: ast.Name) -> Any:
        try:
            return self.scope.find(node.id)
        except KeyError:
            if node.id in _CONSTANTS:
                return _CONSTANTS[node.id]
            raise ExpressionError(f"there is no variable {node.id}") from None

    def of_List(self, node: ast.List) -> Any:
        return [self.value(entry) for entry in node.elts]

    def of_Tuple(self, node: ast.Tuple) -> Any:
        return [self.value(entry) for entry in node.elts]

    def of_IfExp(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def of_BoolOp(self, node: ast.BoolOp) -> Any:
        result: Any = None
        for part in node.values:
            result = self.value(part)
            if bool(result) != isinstance(node.op, ast.And):
                return result
        return result

    def of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not value
        if isinstance(node.op, ast.Invert):
            raise ExpressionError("~ is not allowed in an expression")
        return -value if isinstance(node.op, ast.USub) else +value

    def of_BinOp(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        function = _BINARY.get(type(node.op))
        if function is None or not (_is_number(left) and _is_number(right)):
            raise ExpressionError("only numbers can be added, multiplied and so on")
        return function(left, right)

    def of_Compare(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for kind, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part)
            if isinstance(kind, ast.In | ast.NotIn):
                holds = (left in right) == isinstance(kind, ast.In)
            elif type(kind) in _COMPARE:
                holds = _COMPARE[type(kind)](left, right)
            else:
                raise ExpressionError("this comparison is not allowed in an expression")
            if not holds:
                return False
            left = right
        return True

    def of_Attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id == "math":
            if node.attr in _CONSTANTS:
                return _CONSTANTS[node.attr]
            raise ExpressionError(f"there is no math.{node.attr}")
        return self.member(self.value(node.value), node.attr)

    def of_Subscript(self, node: ast.Subscript) -> Any:
        return self.member(self.value(node.value), self.value(node.slice))

    def member(self, owner: Any, key: Any) -> Any:
        if isinstance(owner, Members):
            if key in owner:
                return owner[key]
        elif isinstance(owner, list) and isinstance(key, int):
            entries: list[Any] = owner  # pyright: ignore[reportUnknownVariableType]
            return entries[key]
        raise ExpressionError(f"there is no {key}")

    def of_Call(self, node: ast.Call) -> Any:
        function = node.func
        name = ""
        if isinstance(function, ast.Name):
            name = function.id
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            name = function.attr if function.value.id == "math" else ""
        if name not in _FUNCTIONS or node.keywords:
            raise ExpressionError("this function is not allowed in an expression")
        arguments = [self.value(argument) for argument in node.args]
        return _power(*arguments) if name == "pow" else _FUNCTIONS[name](*arguments)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _power(base: Any, exponent: Any) -> Any:
    if not (_is_number(base) and _is_number(exponent)):
        raise ExpressionError("only numbers have powers")
    if isinstance(base, int) and isinstance(exponent, int):
        if exponent > 256 or abs(base).bit_length() * max(exponent, 0) > 256:
            raise ExpressionError("the number is too large")
    result = base**exponent
    if isinstance(result, complex):
        raise ExpressionError("the power is no number")
    return result
