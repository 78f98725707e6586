"""Which designs of a space are looked at: all, some at random, or a sequence of Sobol."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from math import prod

from tilewright._errors import InputError, Problem

_RANGE = re.compile(
    r"([0-9]+)\s*\.\.\s*([0-9]+)(?:\s*(step|x)\s*([0-9]+))?(?:\s*([A-Za-z/]\w*))?"
)
_MOST_VALUES = 100_000
# Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J.
# Sci. Comput. 30, 2008, the first rows of new-joe-kuo-6: polynomial and initial numbers.
_DIRECTIONS: tuple[tuple[int, tuple[int, ...]], ...] = (
    (0, (1,)), (1, (1, 3)), (1, (1, 3, 1)), (2, (1, 1, 1)), (1, (1, 1, 3, 3)),
    (4, (1, 3, 5, 13)), (2, (1, 1, 5, 5, 17)), (4, (1, 1, 5, 5, 5)), (7, (1, 1, 7, 11, 19)),
    (11, (1, 1, 5, 1, 1)), (13, (1, 1, 1, 3, 11)), (14, (1, 3, 5, 5, 31)),
    (1, (1, 3, 3, 9, 7, 49)), (13, (1, 1, 1, 15, 21, 21)), (16, (1, 3, 1, 13, 27, 49)),
)  # fmt: skip
MOST_SOBOL_PARAMETERS = len(_DIRECTIONS) + 1
_BITS = 32


def read_values(text: str, file: str = "values") -> list[str]:
    """The values of a parameter: ``8..32``, ``8..32 step 8``, ``32..256 x2 KiB``, or one value.

    >>> read_values("8..32 step 8")
    ['8', '16', '24', '32']
    >>> read_values("32..256 x2 KiB")
    ['32 KiB', '64 KiB', '128 KiB', '256 KiB']
    """
    if ".." not in text:
        return [text]
    parts = _RANGE.fullmatch(text.strip())
    hint = 'write one such as "8..32", "8..32 step 8" or "32..256 x2 KiB"'
    if parts is None:
        raise InputError([Problem(f'"{text}" is no range', hint, file)])
    first, last, step = int(parts[1]), int(parts[2]), int(parts[4] or 1)
    if last < first:
        raise InputError([Problem(f'"{text}" ends before it starts', hint, file)])
    if parts[3] == "x" and (step < 2 or first < 1) or step < 1:
        raise InputError([Problem(f'"{text}" gets nowhere', hint, file)])
    numbers: list[int] = []
    now = first
    while now <= last and len(numbers) <= _MOST_VALUES:
        numbers.append(now)
        now = now * step if parts[3] == "x" else now + step
    if len(numbers) > _MOST_VALUES:
        raise InputError([Problem(f'"{text}" has too many values', "take a larger step", file)])
    unit = f" {parts[5]}" if parts[5] else ""
    return [f"{number}{unit}" for number in numbers]


def grid(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of a value for every parameter, the last one changing fastest."""
    for number in range(prod(sizes)):
        yield _digits(number, sizes)


def _digits(number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    digits: list[int] = []
    for size in reversed(sizes):
        number, digit = divmod(number, size)
        digits.append(digit)
    return tuple(reversed(digits))


def at_random(sizes: Sequence[int], count: int, seed: int) -> Iterator[tuple[int, ...]]:
    """So many different choices, by chance; all if there are no more."""
    whole = prod(sizes)
    if count >= whole:
        yield from grid(sizes)
        return
    chance = random.Random(seed)
    if whole <= 10 * count:
        for number in chance.sample(range(whole), count):
            yield _digits(number, sizes)
        return
    seen: set[int] = set()
    while len(seen) < count:
        number = chance.randrange(whole)
        if number not in seen:
            seen.add(number)
            yield _digits(number, sizes)


def sobol(sizes: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """So many different choices, spread evenly; all if there are no more.

    Points of the sequence that fall on a choice already made are passed over.
    """
    if count >= prod(sizes):
        yield from grid(sizes)
        return
    seen: set[tuple[int, ...]] = set()
    for point in _sobol_points(len(sizes)):
        choice = tuple(value * size >> _BITS for value, size in zip(point, sizes, strict=True))
        if choice not in seen:
            seen.add(choice)
            yield choice
        if len(seen) == count:
            return


def _sobol_points(dimensions: int) -> Iterator[tuple[int, ...]]:
    """Points as whole numbers below 2^32, in the order of Gray codes; then, should they not
    suffice, there are no more."""
    columns = [_column(dimension) for dimension in range(dimensions)]
    point = [0] * dimensions
    for number in range(1, 1 << _BITS):
        yield tuple(point)
        lowest = (number & -number).bit_length() - 1
        point = [value ^ column[lowest] for value, column in zip(point, columns, strict=True)]


def _column(dimension: int) -> list[int]:
    if dimension == 0:
        return [1 << (_BITS - 1 - bit) for bit in range(_BITS)]
    polynomial, start = _DIRECTIONS[dimension - 1]
    degree = len(start)
    column = [number << (_BITS - 1 - bit) for bit, number in enumerate(start)]
    for bit in range(degree, _BITS):
        value = column[bit - degree] ^ (column[bit - degree] >> degree)
        for back in range(1, degree):
            if polynomial >> (degree - 1 - back) & 1:
                value ^= column[bit - back]
        column.append(value)
    return column
