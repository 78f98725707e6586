"""Sizes and indices as sets of integers: ``0 <= M < 8 and 0 <= K < 4``, ``[ M, 2*P + R ]``.

Problems of fused layers are written so. Only boxes from 0 and sums of dimensions are read.
"""

from __future__ import annotations

import re

from tilewright.importers.values import Place, Scalar, Table, refuse

_RANGE = re.compile(r"\s*0\s*<=\s*(?P<dim>[A-Za-z_]\w*)\s*<\s*(?P<size>[0-9]+)\s*\Z")
_TERM = re.compile(r"\s*(?:(?P<factor>[0-9]+)\s*\*\s*)?(?P<dim>[A-Za-z_]\w*)\s*\Z")


def read_box(value: Scalar) -> Table:
    """The sizes of a box, as a table."""
    sizes = Table(place=value.place)
    for part in re.split(r"\band\b", value.text):
        match = _RANGE.match(part)
        if match is None:
            raise refuse(
                f"{part.strip()!r} is no range of a dimension", "write 0 <= M < 8", value.place
            )
        sizes.set(match["dim"], Scalar(match["size"], True, value.place), value.place)
    return sizes


def read_indices(text: str, place: Place) -> list[list[tuple[str, str]]]:
    """The indices of a tensor: each is a list of dimensions with factors."""
    ranks: list[list[tuple[str, str]]] = []
    for index in text.strip().removeprefix("[").removesuffix("]").split(","):
        terms: list[tuple[str, str]] = []
        for part in index.split("+"):
            match = _TERM.match(part)
            if match is None:
                raise refuse(
                    f"{index.strip()!r} is no index", "write a sum such as 2*P + R", place
                )
            terms.append((match["dim"], match["factor"] or ""))
        ranks.append(terms)
    return ranks
