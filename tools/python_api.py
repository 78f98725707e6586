#!/usr/bin/env python3
"""Prints the page of the Python API, made from the docstrings: docs/python_api.md.

usage: python_api.py > docs/python_api.md     (where the package is installed)
"""

import importlib
import inspect
import re

HEAD = """# The Python API

Made from the docstrings by `tools/python_api.py`; [python.md](python.md) is the guide.
"""
MODULES = ("tilewright", "tilewright.flex", "tilewright.plot")
# Attributes of named tuples and dictionaries stand in the source alone.
FIELD = re.compile(r'^    (\w+): ([^=\n#]+?)(?: = ([^#\n]+?))?(?:  #.*)?\n(?:    """(.*?)"""\n)?',
                   re.MULTILINE | re.DOTALL)
ROLE = re.compile(r":(?:class|func|meth|mod|attr):`([^`]+)`")


def text_of(thing):
    """A docstring as Markdown: its examples as code."""
    text = ROLE.sub(r"`\1`", inspect.getdoc(thing) or "").replace("``", "`")
    lines, example = [], False
    for line in text.splitlines():
        starts = line.startswith(">>>")
        if starts and not example:
            lines.append("```python")
        if example and not line.strip():
            lines.append("```")
        example = (example or starts) and bool(line.strip())
        lines.append(line)
    if example:
        lines.append("```")
    return "\n".join(lines)


def signature_of(name, thing):
    """`name(first, second=None)`, without types: those are in the editor."""
    parameters = []
    signature = inspect.signature(thing)
    star = False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind
        if kind is parameter.KEYWORD_ONLY and not star:
            parameters.append("*")
        star = star or kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(kind, "")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        parameters.append(prefix + parameter.name + default)
    return f"{name}({', '.join(parameters)})"


def is_data(thing):
    return hasattr(thing, "_fields") or hasattr(thing, "__total__")


def fields_of(thing):
    """The attributes of a named tuple or a typed dictionary, with what is said of them."""
    source = inspect.getsource(thing)
    return [f"- `{name}`" + (f": {' '.join(said.split())}" if said else "")
            for name, _, _, said in FIELD.findall(source)]


def own_members(thing):
    """What a class has of its own, and of classes that are for others to derive from."""
    public = {kind for module in MODULES for kind in vars(importlib.import_module(module)).values()
              if inspect.isclass(kind)}
    found = {}
    for kind in thing.__mro__:
        if kind is thing or (kind not in public and kind.__module__.startswith("tilewright")):
            for name, member in vars(kind).items():
                found.setdefault(name, member)
    return found


def members_of(thing):
    """The methods and properties of a class that are its own and public."""
    lines = []
    for name, member in own_members(thing).items():
        shown = name in ("__call__", "__getitem__", "__len__", "__iter__", "__contains__")
        if (name.startswith("_") and not shown) or (shown and not inspect.getdoc(member)):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        if inspect.isfunction(member):
            lines.append(f"- `{signature_of(name, member)}`: {summary_of(member)}")
        elif isinstance(member, property) or hasattr(member, "attrname"):
            lines.append(f"- `{name}`" + (f": {summary_of(member)}" if inspect.getdoc(member) else ""))
    return lines


def summary_of(thing):
    first = text_of(thing).split("\n\n")[0]
    return " ".join(first.split())


def entry_of(name, thing):
    if inspect.isclass(thing):
        own_init = "__init__" in vars(thing) and not issubclass(thing, BaseException)
        made = own_init and inspect.getdoc(thing.__init__) != object.__init__.__doc__
        heading = signature_of(name, thing.__init__) if made and not is_data(thing) else name
        lines = fields_of(thing) if is_data(thing) else members_of(thing)
        return f"### `{heading}`\n\n{text_of(thing)}\n\n" + "".join(f"{line}\n" for line in lines)
    return f"### `{signature_of(name, thing)}`\n\n{text_of(thing)}\n"


def entries_of(module):
    public = [(name, getattr(module, name)) for name in module.__all__]
    return [entry_of(name, thing) for name, thing in public
            if inspect.isclass(thing) or inspect.isfunction(thing)]


def page():
    parts = [HEAD]
    for name in MODULES:
        module = importlib.import_module(name)
        parts.append(f"## {name}\n\n{text_of(module)}\n")
        parts += entries_of(module)
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


if __name__ == "__main__":
    print(page(), end="")
