"""Exceptions: what is wrong with an input, and why there is no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

_A = TypeVar("_A")
_B = TypeVar("_B")
_INTERRUPTED = 130
_INFEASIBLE = 3


class Problem(NamedTuple):
    """One thing that is wrong, with its place and a remedy.

    ``str()`` of it is the line that the command line prints.
    """

    message: str
    """What is wrong."""
    hint: str = ""
    """What to write instead; may be empty."""
    file: str = ""
    """The file, the option or the argument that it is about."""
    line: int = 0
    """From 1; 0 if the whole is meant."""
    column: int = 0
    """From 1; 0 if the whole line is meant."""
    path: str = ""
    """In a dictionary: the keys that lead there, such as ``levels[1].capacity``."""

    def __str__(self) -> str:
        where = self.path or self.file
        if self.line and not self.path:
            where += f":{self.line}:{self.column}"
        text = f"{where}: {self.message}" if where else self.message
        return f"{text}; {self.hint}" if self.hint else text


class Error(Exception):
    """What every exception of this package is."""


class InputError(Error, ValueError):
    """An input that means nothing. ``problems`` has everything that is wrong with it.

    >>> import tilewright as tw
    >>> try:
    ...     tw.Workload("gemm: m=64 n=0 kk=64")
    ... except tw.InputError as error:
    ...     for problem in error.problems:
    ...         print(f"{problem.column}: {problem.message}; {problem.hint}")
    14: 0 is too small; write a whole number from 1 to 2^60
    16: unknown key "kk" in gemm; did you mean k?
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class NothingFound(Error):
    """A search has ended at its limits before it found a mapping."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines: tuple[str, ...] = tuple(lines)
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[type[NothingFound], tuple[tuple[str, ...]]]:
        return type(self), (self.lines,)


class Infeasible(NothingFound):
    """No mapping fits, or the mapping that was given does not. ``lines`` say why."""


class MissingDependency(Error, ImportError):
    """A package that only some functions need is not installed."""


# As users know them: tracebacks print the module.
for _exception in (Error, InputError, NothingFound, Infeasible, MissingDependency):
    _exception.__module__ = "tilewright"


def refused(problems: Iterable[tuple[str, int, int, str, str, str]]) -> InputError:
    """For the native module: complaints as it has them."""
    return InputError(
        Problem(message, hint, file, line, column)
        for file, line, column, message, hint, _ in problems
    )


def failed(lines: list[str], exit_code: int) -> BaseException:
    """For the native module: why there is no answer, and the exit code of the tool."""
    if exit_code == _INTERRUPTED:
        return KeyboardInterrupt("\n".join(lines))
    return Infeasible(lines) if exit_code == _INFEASIBLE else NothingFound(lines)


def placed_in_document(error: InputError, path_of: Callable[[int], str]) -> InputError:
    """The same complaints about a dictionary, whose lines nobody has seen."""
    return InputError(
        problem._replace(path=path_of(problem.line)) if problem.line else problem
        for problem in error.problems
    )


def both(first: Callable[[], _A], second: Callable[[], _B]) -> tuple[_A, _B]:
    """Two values, or what is wrong with either, all at once."""
    try:
        one = first()
    except InputError as error:
        try:
            second()
        except InputError as more:
            raise InputError([*error.problems, *more.problems]) from None
        raise
    return one, second()
