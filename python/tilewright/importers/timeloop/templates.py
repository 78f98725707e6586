"""The templates that files of Timeloop v0.4 are written in.

A file from a stranger must not run code, read outside its folders, or eat the memory. Templates
are run in Jinja2's sandbox; only the kinds of statements that such files use are allowed, every
loop counts against one budget, and files are found by :class:`Library` alone.
"""

from __future__ import annotations

import fnmatch
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tilewright._errors import MissingDependency
from tilewright.importers.values import Items, Place, Table, Value, refuse

MOST_BYTES = 16 << 20
_MOST_ROUNDS = 100_000
_MOST_FILES = 2_000
_DEEPEST_INCLUDE = 16
_READABLE = (".yaml", ".yml", ".jinja", ".jinja2", ".j2", ".cfg")
_OPEN, _CLOSE = "\x02", "\x03"  # around an included text; both are refused in files

# What a template may consist of.
_ALLOWED = frozenset(
    """Template Output TemplateData Name Const If For Assign Call Filter Test Compare Operand
    And Or Not Add Sub Mul Div FloorDiv Mod Pos Neg Concat Getattr Getitem CondExpr
    List Dict Pair Tuple Keyword""".split()
)
_FILTERS = frozenset(
    "default d int float upper lower length count abs round trim first last min max".split()
)
_LITERALS = frozenset("Const List Dict Pair Tuple Neg".split())
_LONGEST = 1 << 20
_INCLUDE = re.compile(r"^!include[ \t]+([\w./-]+)[ \t]*$", re.MULTILINE)  # an older spelling


class Library:
    """The files that may be read: those in the folders of the given files, and beside them.

    A file may also include one directly in the folder above it, as layers that share a base do.
    """

    def __init__(self, files: Iterable[pathlib.Path], folders: Iterable[pathlib.Path] = ()) -> None:
        self.roots = [path.resolve().parent for path in files]
        self.roots += [folder.resolve() for folder in folders]
        self.paths: list[pathlib.Path] = []
        self.count = 0

    def allows(self, path: pathlib.Path) -> bool:
        path = path.resolve()
        if any(path.is_relative_to(root) for root in self.roots):
            return True
        above = [root.parent for root in self.roots if root.parent != root.parent.parent]
        return path.parent in above and path.suffix in _READABLE

    def candidates(self, name: str, base: pathlib.Path) -> Iterator[pathlib.Path]:
        yield base / name
        for folder in [*self.paths, *self.roots]:
            yield folder / name

    def find(self, name: str, base: pathlib.Path) -> pathlib.Path | None:
        """The file of this name, from the folder of the file that asks."""
        if "\0" in name:
            return None
        for path in self.candidates(name, base):
            if self.allows(path) and path.is_file():
                return path.resolve()
        return None

    def matching(self, pattern: str, base: pathlib.Path) -> list[pathlib.Path]:
        folder, _, name = pattern.rpartition("/")
        for place in self.candidates(folder or ".", base):
            if place.is_dir():
                inside = [path for path in sorted(place.iterdir()) if path.is_file()]
                found = [p for p in inside if fnmatch.fnmatch(p.name, name) and self.allows(p)]
                if found:
                    return found
        return []

    def read(self, path: pathlib.Path, place: Place) -> str:
        self.count += 1
        if self.count > _MOST_FILES:
            raise refuse("over two thousand files are included", place=place)
        return read_text(path)


def read_text(path: pathlib.Path) -> str:
    """The text of a file, or a complaint."""
    name = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise refuse(f"cannot be read: {error.strerror}", place=Place(name)) from None
    if len(data) > MOST_BYTES:
        raise refuse("the file is larger than 16 MiB", place=Place(name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refuse("the text is not UTF-8", "save the file as UTF-8", Place(name)) from None
    for at, character in enumerate(text):
        if character < " " and character not in "\n\r\t":
            line = text.count("\n", 0, at) + 1
            raise refuse(
                f"control character 0x{ord(character):02x}", "remove it", Place(name, line, 1)
            )
    return text


class _Budget:
    def __init__(self) -> None:
        self.rounds = 0

    def counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.rounds += 1
            if self.rounds > _MOST_ROUNDS:
                raise refuse("loops of this template run over a hundred thousand rounds")
            yield item


def is_template(text: str) -> bool:
    return "{{" in text or "{%" in text or "{#" in text or _INCLUDE.search(text) is not None


class Renderer:
    """Fills in the templates of one file."""

    def __init__(
        self, library: Library, path: pathlib.Path, defines: Mapping[str, Any], depth: int = 0
    ) -> None:
        self.library = library
        self.path = path
        self.defines = defines
        self.depth = depth
        self.included: list[Value] = []
        self.insides: list[list[Place]] = []

    def render(self, text: str) -> tuple[str, list[Place] | None]:
        """The text, and where each of its lines was written if that is known."""
        text = _INCLUDE.sub(r"{{include_text('\1')}}", text)
        if not is_template(text):
            return text, None
        filled = self.filled(text)
        exact = "{%" not in text and "{#" not in text
        return self.without_marks(filled, exact)

    def filled(self, text: str) -> str:
        environment, errors = _environment()
        place = Place(str(self.path))
        budget = _Budget()
        try:
            tree = environment.parse(text)
            _check(tree, place)
            tree = _with_limits(tree)
            code = environment.compile(tree, str(self.path), str(self.path))
            template = environment.template_class.from_code(
                environment, code, {**environment.globals, **self.functions(budget)}
            )
            pieces: list[str] = []
            size = 0
            for piece in template.generate(**self.defines):
                size += len(piece)
                if size > MOST_BYTES:
                    raise refuse("the template gives more than 16 MiB", place=place)
                pieces.append(piece)
        except errors as error:
            line = getattr(error, "lineno", None) or _line_of(error, str(self.path))
            raise refuse(
                f"in a template: {error}", _define_hint(str(error)), Place(str(self.path), line, 1)
            ) from None
        except (ArithmeticError, TypeError, ValueError, KeyError, RecursionError) as error:
            if hasattr(error, "problems"):
                raise
            line = _line_of(error, str(self.path))
            raise refuse(f"in a template: {error}", place=Place(str(self.path), line, 1)) from None
        return "".join(pieces)

    def functions(self, budget: _Budget) -> dict[str, Any]:
        return {
            "include": self.include,
            "include_all": self.include_all,
            "include_text": self.include_text,
            "add_to_path": self.add_to_path,
            "cwd": lambda: str(self.path.resolve().parent),
            "find_path": self.find_path,
            "path_exists": self.path_exists,
            "range": range,
            "_counted": budget.counted,
            "_joined": _joined,
        }

    @property
    def base(self) -> pathlib.Path:
        return self.path.resolve().parent

    def found(self, name: str) -> pathlib.Path:
        path = self.library.find(name, self.base)
        if path is None:
            raise refuse(
                f"there is no file {name} in the folders of the given files",
                "add a folder with --folder, or correct the name",
                Place(str(self.path)),
            )
        return path

    def find_path(self, name: object) -> str:
        return str(self.found(str(name)))

    def path_exists(self, name: object) -> bool:
        return self.library.find(str(name), self.base) is not None

    def add_to_path(self, folder: object) -> str:
        path = self.base / str(folder)
        if self.library.allows(path / "any.yaml"):
            self.library.paths.append(path.resolve())
        return ""

    def inner(self, path: pathlib.Path) -> Renderer:
        if self.depth >= _DEEPEST_INCLUDE:
            raise refuse("files include each other without end", place=Place(str(self.path)))
        return Renderer(self.library, path, self.defines, self.depth + 1)

    def value_of(self, path: pathlib.Path, keys: str) -> Value:
        from tilewright.importers.timeloop.specification import read_value

        renderer = self.inner(path)
        value = read_value(self.library.read(path, Place(str(self.path))), renderer)
        for key in keys.split(".") if keys else []:
            inside = value.get(key) if isinstance(value, Table) else None
            if inside is None:
                raise refuse(f"the file has no {keys}", place=Place(str(path)))
            value = inside
        if value is None:
            raise refuse("the file is empty", place=Place(str(path)))
        return value

    def mark(self, value: Value) -> str:
        from tilewright.importers.timeloop.yaml_tree import included_mark

        self.included.append(value)
        return included_mark(len(self.included) - 1)

    def include(self, name: object, keys: object = "") -> str:
        return self.mark(self.value_of(self.found(str(name)), str(keys)))

    def include_all(self, pattern: object, keys: object = "") -> str:
        entries: list[Value] = []
        for path in self.library.matching(str(pattern), self.base):
            value = self.value_of(path, str(keys))
            entries += value.entries if isinstance(value, Items) else [value]
        return self.mark(Items(entries, place=Place(str(self.path))))

    def include_text(self, name: object) -> str:
        path = self.found(str(name))
        renderer = self.inner(path)
        text, lines = renderer.render(self.library.read(path, Place(str(self.path))))
        if renderer.included:
            raise refuse("a text that is included must not include values", place=Place(str(path)))
        count = text.count("\n") + 1
        self.insides.append(lines or [Place(str(path), at + 1, 1) for at in range(count)])
        return f"{_OPEN}{text}{_CLOSE}"

    def without_marks(self, text: str, exact: bool) -> tuple[str, list[Place] | None]:
        """Takes the marks off included texts; they say which lines are from elsewhere."""
        if not exact:  # branches that are not taken have lost their lines
            text = text.replace(_OPEN, "").replace(_CLOSE, "")
            name = f"{self.path} (templates filled in)"
            return text, [Place(name, at + 1, 1) for at in range(text.count("\n") + 1)]
        lines: list[Place] = []
        own, inside, at, number = 1, False, 0, -1
        for line in text.split("\n"):
            for character in line:
                if character == _OPEN:
                    inside, at, number = True, 0, number + 1
                elif character == _CLOSE:
                    inside = False
            source = self.insides[number] if inside and number >= 0 else None
            if source is not None and at < len(source):
                lines.append(source[at])
                at += 1
            else:
                lines.append(Place(str(self.path), own, 1))
                own += 1
        return text.replace(_OPEN, "").replace(_CLOSE, ""), lines


def _define_hint(message: str) -> str:
    missing = re.search(r"'(\w+)' is undefined", message)
    return f"give it with --define {missing[1]}=VALUE" if missing else ""


def _environment() -> tuple[Any, tuple[type[Exception], ...]]:
    try:
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import SandboxedEnvironment
    except ImportError:
        raise MissingDependency(
            "the package jinja2 is missing; install it with: pip install 'tilewright[import]'"
        ) from None

    class Environment(SandboxedEnvironment):
        """A sandbox in which only numbers are added and multiplied; ~ joins texts."""

        intercepted_binops = frozenset(["+", "*", "%"])

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            numbers = isinstance(left, int | float) and isinstance(right, int | float)
            if not numbers or max(abs(left), abs(right)) > 1 << 62:
                raise refuse(f"the operator {operator} is for small numbers in a template")
            return super().call_binop(context, operator, left, right)

    return Environment(undefined=StrictUndefined, finalize=_shown), (TemplateError,)


def _shown(value: Any) -> Any:
    """Lists are for loops, not for print, since they may hold each other many times."""
    if isinstance(value, list | dict | tuple):
        raise refuse("a template must not print a list")
    return value


def _joined(*parts: Any) -> str:
    """What the operator ~ does, within limits."""
    text = "".join(str(_shown(part)) for part in parts)
    if len(text) > _LONGEST:
        raise refuse("a text in a template is longer than 1 MiB")
    return text


def _check(tree: Any, place: Place) -> None:
    """Refuses templates with statements that no such file needs, such as macros."""
    from jinja2 import nodes

    for node in tree.find_all(nodes.Node):
        kind = type(node).__name__
        good = kind in _ALLOWED
        if isinstance(node, nodes.For):
            good = not node.recursive
        elif isinstance(node, nodes.Filter):
            good = node.name in _FILTERS
        elif isinstance(node, nodes.Call):
            good = isinstance(node.node, nodes.Name)
        elif isinstance(node, nodes.List | nodes.Dict | nodes.Tuple):
            inside = {type(part).__name__ for part in node.find_all(nodes.Node)}
            good = inside <= _LITERALS or getattr(node, "ctx", "load") == "store"
        if not good:
            raise refuse(
                f"a template must not use this kind of {kind}",
                place=Place(place.file, node.lineno or 0, 1),
            )


def _with_limits(tree: Any) -> Any:
    """The same template in which loops and joined texts are counted."""
    from jinja2 import nodes
    from jinja2.visitor import NodeTransformer

    def call(name: str, arguments: list[Any], line: int) -> Any:
        function = nodes.Name(name, "load", lineno=line)
        return nodes.Call(function, arguments, [], None, None, lineno=line)

    class Limits(NodeTransformer):
        def visit_For(self, node: Any) -> Any:
            self.generic_visit(node)
            node.iter = call("_counted", [node.iter], node.lineno)
            return node

        def visit_Concat(self, node: Any) -> Any:
            self.generic_visit(node)
            return call("_joined", node.nodes, node.lineno)

    return Limits().visit(tree)


def _line_of(error: BaseException, file: str) -> int:
    """The line of the template that an error came from."""
    trace, line = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
