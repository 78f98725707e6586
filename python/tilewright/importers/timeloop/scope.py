"""What names mean in the expressions of an architecture: attributes, variables, other nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tilewright.importers.timeloop.expressions import ExpressionError, Members, plain_value
from tilewright.importers.values import Scalar, Table, Value, refuse, truth_in


class Variables:
    """The top-level ``variables``, and ``spec`` for the whole."""

    def __init__(
        self,
        table: Table | None,
        sections: dict[str, Value],
        defines: Mapping[str, Any] | None = None,
    ) -> None:
        self.table = table
        self.sections = sections
        self.defines = defines or {}
        self.open: set[tuple[int, str]] = set()
        self.nodes: dict[str, Table] = {}

    def find(self, name: str) -> Any:
        if self.table is not None and self.table.spelling(name) is not None:
            return self.entered(self.table, name, self)
        if name in self.nodes:
            return self.node(self.nodes[name])
        if name in self.defines:
            return self.defines[name]
        if name == "spec":
            return Members({key: _Lazy(value, self) for key, value in self.sections.items()})
        raise KeyError(name)

    def node(self, node: Table) -> Any:
        """Another node. Its attributes may name each other, so they are computed in its scope."""
        own = node.peek("attributes")
        tables = [own] if isinstance(own, Table) else []
        return _Lazy(node, Attributes(tables, self, inherits=True))

    def entered(self, table: Table, name: str, scope: Any) -> Any:
        """The value of a key, while the same key means something further out."""
        key = (id(table), name)
        if key in self.open:
            raise KeyError(name)
        self.open.add(key)
        try:
            value = table.get(name)
            if value is None:
                raise KeyError(name)
            return plain_value(value, scope)
        finally:
            self.open.discard(key)


class _Lazy(Members):
    """A section that an expression looks into; only what it reaches is computed."""

    def __init__(self, value: Value, scope: Any) -> None:
        super().__init__()
        self.value = value
        self.scope = scope

    def __contains__(self, key: object) -> bool:
        return isinstance(self.value, Table) and self.value.spelling(str(key)) is not None

    def __len__(self) -> int:
        return len(self.value.entries) if not isinstance(self.value, Scalar) else 0

    def __getitem__(self, key: Any) -> Any:
        inside = self.value.peek(str(key)) if isinstance(self.value, Table) else None
        if isinstance(inside, Table):
            return _Lazy(inside, self.scope)
        return None if inside is None else plain_value(inside, self.scope)


class Attributes:
    """Attributes of a component: its own, then those around it, then variables."""

    def __init__(self, tables: list[Table], variables: Variables, inherits: bool) -> None:
        self.tables = tables  # from the inside out
        self.variables = variables
        self.inherits = inherits
        self.own = tables[0] if tables else Table()

    def find(self, name: str) -> Any:
        for table in self.tables:
            if table.spelling(name) is not None:
                try:
                    return self.variables.entered(table, name, self)
                except KeyError:
                    continue
        return self.variables.find(name)

    def value(self, *keys: str) -> Value | None:
        """The first of these attributes that the component has."""
        for table in self.tables if self.inherits else self.tables[:1]:
            found = table.get(*keys)
            if found is not None:
                return found
        return None

    def computed(self, *keys: str) -> Any:
        """The same with expressions computed; None if it is not there."""
        value = self.value(*keys)
        if value is None:
            return None
        try:
            result = plain_value(value, self)
        except ExpressionError as error:
            raise refuse(str(error), "write a number or a known name", value.place) from None
        if isinstance(result, str) and isinstance(value, Scalar):
            try:  # quotes do not keep a variable from being looked up
                return self.find(result)
            except KeyError:
                return result
        return result

    def number(self, *keys: str) -> int | float | None:
        result = self.computed(*keys)
        if result is None or isinstance(result, int | float):
            return result
        value = self.value(*keys)
        place = value.place if value is not None else None
        if isinstance(result, str) and result.isidentifier():
            hint = f"give the file with its variables, or --define {result}=NUMBER"
            raise refuse(f"{keys[0]} is {result}, which nothing defines", hint, place)
        raise refuse(f"{keys[0]} should be a number, not {result!r}", "write a number", place)

    def whole(self, *keys: str) -> int | None:
        number = self.number(*keys)
        if number is None or not math.isfinite(number):
            return None  # no limit
        if number == int(number):
            return int(number)
        value = self.value(*keys)
        place = value.place if value is not None else None
        raise refuse(f"{keys[0]} should be a whole number, not {number}", place=place)

    def truth(self, *keys: str) -> bool | None:
        result = self.computed(*keys)
        if isinstance(result, str):
            return truth_in(result)
        return None if result is None else bool(result)
