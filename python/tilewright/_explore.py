"""The explorer's answers: what is mapped, for whom, and what ends it.

A page asks again with every change. Its questions are numbered, and a later one ends whatever is
still searched for an earlier one of the same page; other pages are not disturbed.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, cast

from tilewright import _ask, _native
from tilewright._errors import Error, InputError, Problem
from tilewright._explore_export import Source, as_command, as_python
from tilewright._explore_limits import trials
from tilewright._report import Document, page_of
from tilewright._results import MapResult, NetworkResult, Progress
from tilewright._values import Architecture, Constraints, Network, Workload, architectures, networks

OBJECTIVES = ("edp", "energy", "latency", "ed2p")
MAPSPACES = ("pfm", "pfm-pad", "ruby-s", "ruby-t", "ruby")
_MOST_PAGES = 256

Json = dict[str, Any]
Tell = Callable[[str], object]
"""Takes lines of JSON, of which an answer has one or more."""


class Superseded(Exception):
    """A later question came; nobody waits for the answer."""


class Asked(NamedTuple):
    """A question, understood."""

    arch: Architecture
    work: Workload | Network
    options: _ask.MapOptions


class _Page:
    """What one page asked last, and what is searched for it."""

    def __init__(self) -> None:
        self.latest = 0
        self.running: set[_ask.Stop] = set()


class _Pages:
    """The pages that are open. Those that asked long ago are forgotten."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, _Page] = OrderedDict()
        self._lock = threading.Lock()

    def _page(self, name: str) -> _Page:
        page = self._pages.setdefault(name, _Page())
        self._pages.move_to_end(name)
        while len(self._pages) > _MOST_PAGES:
            self._pages.popitem(last=False)
        return page

    @contextmanager
    def search(self, name: str, number: int) -> Generator[_ask.Stop]:
        """Ends earlier searches of the page; gives what ends this one."""
        stop = _ask.Stop()
        with self._lock:
            page = self._page(name)
            if number < page.latest:
                raise Superseded
            if number > page.latest:
                self._end(page)
            page.latest = number
            page.running.add(stop)
        try:
            yield stop
            if number != page.latest:
                raise Superseded
        finally:
            with self._lock:
                page.running.discard(stop)

    def end(self, name: str, number: int) -> None:
        """Ends the searches for a question, whose best so far is wanted."""
        with self._lock:
            page = self._page(name)
            if number == page.latest:
                self._end(page)

    def _end(self, page: _Page) -> None:
        for stop in page.running:
            stop.set()


class Questions:
    """Answers what pages ask about architectures, and about networks or workloads by name."""

    def __init__(
        self, arch: Source, lines: dict[str, Workload] | None = None, given: dict[str, Network] | None = None
    ) -> None:
        self.arch = arch
        self.lines = lines or {}
        self.first = next(iter([*(given or {}), *self.lines]))  # what pages begin with
        self._networks = dict(given or {})
        self._pages = _Pages()

    @property
    def networks(self) -> list[str]:
        """Names of networks, those that were given first."""
        return list(dict.fromkeys([*self._networks, *networks()]))

    def start(self) -> Json:
        """What a page begins with."""
        return {
            "architecture": self.arch.value.to_dict(),
            "base": self.arch.name,
            "bases": list(dict.fromkeys([self.arch.name, *architectures()])),
            "workload": self.first,
            "networks": self.networks,
            "objectives": list(OBJECTIVES),
            "mapspaces": list(MAPSPACES),
        }

    def answer(self, path: str, question: Json, tell: Tell) -> None:
        """Tells what the page gets for a question: some lines of progress, and the answer."""
        ask = {
            "/map": self._map, "/limits": self._limits, "/stop": self._stop, "/base": self._base,
            "/layers": self._layers, "/export": self._export,
        }.get(path)  # fmt: skip
        try:
            if ask is None:
                raise InputError([Problem("there is no such question")])
            ask(question, tell)
        except Superseded:
            tell('{"superseded": true}')
        except InputError as error:
            tell(json.dumps({"problems": [_problem(one) for one in error.problems]}))
        except Error as error:
            tell(json.dumps({"problems": [{"message": str(error), "hint": "", "path": ""}]}))

    # --- what is asked about ----------------------------------------------------------

    def understood(self, question: Json) -> Asked:
        """The question with everything that it names; complaints about all of it at once."""
        problems: list[Problem] = []
        arch = _taken(lambda: _architecture(question), problems)
        work = _taken(lambda: self._work(str(question.get("workload", ""))), problems)
        options = _options(question, problems)
        if arch is not None:
            options["constrain"] = _rules(question, arch, problems)
        if arch is None or work is None or problems:
            raise InputError(problems)
        return Asked(arch, work, options)

    def network(self, name: str) -> Network | None:
        """A network by its name. A name never is that of a file."""
        if name not in self._networks and name in networks():
            self._networks[name] = Network(name)
        return self._networks.get(name)

    def _work(self, text: str) -> Workload | Network:
        if text in self.lines:
            return self.lines[text]
        whole = self.network(text)
        if whole is not None:
            return whole
        name, _, layer = text.partition("/")
        network = self.network(name)
        try:
            if network is not None:
                return network[layer]
            # Not Workload(text), which takes the name of a file as well.
            return Workload._hold(_native.Workload.read_line(text, "workload"))
        except InputError as error:
            raise InputError([one._replace(path="workload") for one in error.problems]) from None

    # --- answers ----------------------------------------------------------------------

    def _map(self, question: Json, tell: Tell) -> None:
        with self._search(question) as stop:
            found = _mapped(self.understood(question), stop, lambda now: tell(json.dumps({"progress": now})))
            text = _text_of(found)
        tell('{"document": ' + text.replace("\n", "") + "}")

    def _limits(self, question: Json, tell: Tell) -> None:
        """What changes with each parameter, a line for each, as soon as it is known."""
        with self._search(question) as stop:
            asked = self.understood(question)
            now = _mapped(asked, stop).value
            for trial in trials(asked.arch.to_dict()):
                if stop.is_set:
                    break
                tell(json.dumps({"limit": trial.tried(now, lambda arch: _value(asked, arch, stop))}))
        tell('{"done": true}')

    def _stop(self, question: Json, tell: Tell) -> None:
        self._pages.end(*_asker(question))
        tell("{}")

    def _base(self, question: Json, tell: Tell) -> None:
        """An architecture by its name, to begin with."""
        source = self._source(question)
        tell(json.dumps({"architecture": source.value.to_dict(), "base": source.name}))

    def _source(self, question: Json) -> Source:
        name = str(question.get("base", self.arch.name))
        if name == self.arch.name:
            return self.arch
        if name not in architectures():
            raise InputError([Problem("there is no such architecture", path="base")])
        return Source(name, Architecture(name))

    def _layers(self, question: Json, tell: Tell) -> None:
        network = self.network(str(question.get("workload", "")))
        if network is None:
            raise InputError([Problem("there is no such network", path="workload")])
        tell(json.dumps({"layers": [layer.name for layer in network.layers]}))

    def _export(self, question: Json, tell: Tell) -> None:
        asked = self.understood(question)
        source, work = self._source(question), self._work_words(str(question["workload"]))
        form = question.get("form")
        if form == "yaml":
            text = asked.arch.to_yaml()
        elif form == "command":
            text = as_command(source, asked.arch, work, asked.options)
        elif form == "python":
            text = as_python(source, asked.arch, work, asked.options)
        elif form == "report":
            with self._search(question) as stop:
                document = _mapped(asked, stop).to_dict()
            document["command"] = as_command(source, asked.arch, work, asked.options, "--json")
            text = page_of([Document("from the explorer", document)])
        else:
            raise InputError([Problem("it is one of yaml, command, python, report", path="form")])
        tell(json.dumps({"text": text}))

    def _work_words(self, text: str) -> dict[str, str]:
        """The same as options of the command line."""
        if text in self.lines:
            return {"workload": text}
        name, _, layer = text.partition("/")
        if self.network(text) is not None:
            return {"model": text}
        return {"workload": text} if self.network(name) is None else {"model": name, "layer": layer}

    def _search(self, question: Json) -> AbstractContextManager[_ask.Stop]:
        return self._pages.search(*_asker(question))


# --- parts of a question ----------------------------------------------------------------


def _asker(question: Json) -> tuple[str, int]:
    """Which page asks, and the number of its question."""
    number = question.get("number", 0)
    return str(question.get("page", ""))[:64], number if isinstance(number, int) else 0


def _taken(make: Callable[[], Any], problems: list[Problem]) -> Any:
    """What is made, or None and complaints."""
    try:
        return make()
    except InputError as error:
        problems += error.problems
        return None


def _architecture(question: Json) -> Architecture:
    given = question.get("architecture")
    if not isinstance(given, dict):
        raise InputError([Problem("the architecture is missing", path="architecture")])
    return Architecture.from_dict(cast("Json", given))


def _options(question: Json, problems: list[Problem]) -> _ask.MapOptions:
    objective, mapspace = str(question.get("objective", "edp")), str(question.get("mapspace", ""))
    try:
        _native.objective_value(objective, 1.0, 1)
    except InputError as error:
        problems += [one._replace(path="objective") for one in error.problems]
    if mapspace and mapspace not in MAPSPACES:
        problems.append(Problem("there is no such map-space", f"it is one of {', '.join(MAPSPACES)}", path="mapspace"))
    options: _ask.MapOptions = {"objective": objective}
    if mapspace:
        options["mapspace"] = mapspace
    if question.get("uneven") is True:
        options["uneven"] = True
    if question.get("each_layer") is True:
        options["each_layer"] = True
    return options


def _rules(question: Json, arch: Architecture, problems: list[Problem]) -> list[str]:
    """The lines of the constraints that say something."""
    lines = [line.strip() for line in str(question.get("constraints", "")).splitlines()]
    for number, line in enumerate(lines, 1):
        try:
            Constraints(arch, [line] if line else [])
        except InputError as error:
            problems += [one._replace(message=f"line {number}: {one.message}", path="constraints")
                         for one in error.problems]  # fmt: skip
    return [line for line in lines if line]


def _mapped(
    asked: Asked, stop: _ask.Stop, progress: Callable[[Progress], object] | None = None
) -> MapResult | NetworkResult:
    options: _ask.MapOptions = {**asked.options, "stop": stop, "progress": progress}
    if isinstance(asked.work, Network):
        return _ask.map(asked.arch, asked.work, **options)
    return _ask.map(asked.arch, asked.work, **options)


def _value(asked: Asked, arch: Json, stop: _ask.Stop) -> float | None:
    """Of the objective, with another architecture; None if that cannot be mapped."""
    try:
        found = _mapped(asked._replace(arch=Architecture.from_dict(arch)), stop)
    except Error:
        return None
    if stop.is_set or (isinstance(found, NetworkResult) and not found.complete):
        return None
    return found.value


def _text_of(found: MapResult | NetworkResult) -> str:
    """The document as the library writes it, which takes less time than to read it first."""
    return found._handle.json() if isinstance(found, NetworkResult) else found._map.json()


def _problem(problem: Problem) -> dict[str, str]:
    place = problem.path or problem.file
    return {"message": problem.message, "hint": problem.hint, "path": place.removeprefix("--")}
