"""Map-spaces and evaluators, for searches of one's own."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

from tilewright import _native
from tilewright._errors import InputError, Problem
from tilewright._options import texts
from tilewright._values import (
    Architecture,
    Document,
    Mapping,
    PathLike,
    Workload,
    architecture_of,
    workload_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Score(NamedTuple):
    """What a mapping costs, in short. The figures of one that does not fit mean nothing."""

    fits: bool
    energy_pj: float
    cycles: int
    instances: int
    """Multipliers that take part."""
    problem: str
    """Where it does not fit; empty if it does."""

    @property
    def edp(self) -> float:
        """Energy times cycles; infinite for a mapping that does not fit."""
        return self.energy_pj * self.cycles if self.fits else float("inf")


class Scores(NamedTuple):
    """What many mappings cost: one array for each figure, which means nothing where it does not fit."""

    fits: NDArray[np.bool_]
    energy_pj: NDArray[np.float64]
    cycles: NDArray[np.int64]
    instances: NDArray[np.int64]

    @property
    def edp(self) -> NDArray[np.float64]:
        """Energy times cycles; infinite where a mapping does not fit."""
        import numpy as np

        return np.where(self.fits, self.energy_pj * self.cycles, np.inf)


class Mappings(Sequence[Mapping]):
    """Mappings of one problem as an array, a row of whole numbers for each.

    A row has the bound of every dimension at every slot, then the order of the dimensions at
    every memory (outermost first, by their numbers), then what every memory keeps (a bit
    for each tensor). ``columns`` names them.
    """

    def __init__(self, space: Space, rows: NDArray[np.int64]) -> None:
        self._space = space
        self.rows: NDArray[np.int64] = rows

    @property
    def columns(self) -> list[str]:
        return self._space.columns

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    @overload
    def __getitem__(self, index: int) -> Mapping: ...

    @overload
    def __getitem__(self, index: slice) -> Mappings: ...

    def __getitem__(self, index: int | slice) -> Mapping | Mappings:
        if isinstance(index, slice):
            return Mappings(self._space, self.rows[index])
        return self._space.mapping(self.rows[index])

    def __iter__(self) -> Iterator[Mapping]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} mappings of {self._space!r}>"


def _rows_of(mappings: Mappings | NDArray[Any] | Sequence[Mapping]) -> NDArray[np.int64]:
    """An array of rows, without a copy where it is one already."""
    import numpy as np

    if isinstance(mappings, Mappings):
        rows: Any = mappings.rows
    elif isinstance(mappings, np.ndarray):
        rows = mappings
    else:
        rows = np.array([one.to_row() for one in mappings], dtype=np.int64)
    if rows.ndim != 2 or not np.issubdtype(rows.dtype, np.integer):
        raise InputError([Problem("an array of whole numbers with a row for each mapping is needed",
                                  "see Mappings", file="rows")])  # fmt: skip
    return np.ascontiguousarray(rows, dtype=np.int64)


class Evaluator:
    """What mappings of one problem cost, as a function.

    >>> import tilewright as tw
    >>> cost = tw.Evaluator("toy_array", "gemm: m=16 n=16 k=16")
    >>> space = tw.space("toy_array", "gemm: m=16 n=16 k=16")
    >>> many = space.sample(1000, seed=1)
    >>> best = cost.scores(many).edp.argmin()
    >>> cost(many[best]).fits
    True
    """

    def __init__(
        self,
        arch: Architecture | PathLike | Document,
        workload: Workload | PathLike | Document,
        *,
        accounting: str | None = None,
        bits: int | str | None = None,
        rename: str | None = None,
    ) -> None:
        """For mappings of the workload on the architecture."""
        on, of = architecture_of(arch), workload_of(workload)
        given = texts(accounting=accounting, bits=bits, rename=rename)
        self._handle = _native.Evaluator.compile(on._handle, of._handle, given)

    @property
    def columns(self) -> list[str]:
        """The names of the numbers of a row; see :class:`Mappings`."""
        return self._handle.columns

    def __call__(self, mapping: Mapping) -> Score:
        """What a mapping costs."""
        return Score(*self._handle.score(mapping._handle))

    def scores(self, mappings: Mappings | NDArray[Any] | Sequence[Mapping]) -> Scores:
        """What many mappings cost; an array of int64 in the order of C is not copied.

        Raises :class:`InputError` for a row that is no mapping. The lock of the interpreter is
        released, so that several threads may score parts of an array at once.
        """
        import numpy as np

        rows = _rows_of(mappings)
        count = rows.shape[0]
        fits = np.empty(count, np.uint8)
        energy, cycles = np.empty(count, np.float64), np.empty(count, np.int64)
        instances = np.empty(count, np.int64)
        self._handle.score_rows(rows, fits, energy, cycles, instances)
        return Scores(fits.view(np.bool_), energy, cycles, instances)

    def mapping(self, row: Sequence[int] | NDArray[Any]) -> Mapping:
        """The mapping that a row stands for."""
        return Mapping._hold(self._handle.mapping([int(number) for number in row]))


class Space:
    """All mappings of a problem, within what hardware and constraints allow.

    Whether a mapping fits into the memories is the evaluator's matter.
    """

    def __init__(self, handle: _native.Space) -> None:
        self._handle = handle
        self._size = int(handle.size)
        self._random = random.Random(1)

    @property
    def size(self) -> int:
        """The exact number of mappings."""
        return self._size

    @property
    def columns(self) -> list[str]:
        """The names of the numbers of a row; see :class:`Mappings`."""
        return self._handle.columns

    def __getitem__(self, index: int) -> Mapping:
        """The mapping of a number from 0 to ``size - 1``."""
        if index < 0:
            index += self.size
        if not 0 <= index < self.size:
            raise IndexError(f"the space has {self.size} mappings")
        return Mapping._hold(self._handle.at(str(index)))

    def sample(self, n: int, seed: int = 1) -> Mappings:
        """Mappings drawn at random, each as likely as any other; the same for the same seed.

        >>> import tilewright as tw
        >>> space = tw.space("toy_array", "gemm: m=16 n=16 k=16")
        >>> space.sample(3, seed=7)[0] == space.sample(1, seed=7)[0]
        True
        """
        import numpy as np

        if n < 0 or not 0 <= seed < 1 << 60:
            raise ValueError("n and seed are whole numbers from 0 on, seed below 2**60")
        rows = np.empty((n, self._handle.width), np.int64)
        self._handle.sample(rows, seed)
        return Mappings(self, rows)

    def neighbours(self, mapping: Mapping) -> Mappings:
        """All mappings of the space that are one step from this one.

        A step moves a prime factor of a bound to another level (or, where remainders are
        allowed, changes a bound by one and lets another make up for it), swaps two loops that
        follow each other, or keeps a tensor in a memory or lets it pass by.
        """
        rows = self._handle.neighbours(mapping._handle)
        return Mappings(self, cast("NDArray[np.int64]", rows))

    def neighbour(self, mapping: Mapping, seed: int | None = None) -> Mapping:
        """One of the neighbours at random, in microseconds; the mapping itself if it has none.

        Without a seed, this space draws one from its own sequence, which starts anew with
        every space.
        """
        drawn = self._random.getrandbits(59) if seed is None else seed
        return Mapping._hold(self._handle.neighbour(mapping._handle, drawn))

    def mapping(self, row: Sequence[int] | NDArray[Any]) -> Mapping:
        """The mapping that a row stands for."""
        import numpy as np

        numbers = np.ascontiguousarray(row, dtype=np.int64)
        return Mapping._hold(self._handle.mapping(numbers))

    def contains(self, mapping: Mapping) -> bool:
        """Whether the space has the mapping; the same as ``mapping in space``."""
        return not self.why_not(mapping)

    def why_not(self, mapping: Mapping) -> list[str]:
        """Why the space does not have the mapping; empty if it has."""
        return self._handle.why_not(mapping._handle)

    def __contains__(self, mapping: object) -> bool:
        return isinstance(mapping, Mapping) and self.contains(mapping)

    def to_dict(self) -> dict[str, Any]:
        """What ``tilewright space --json`` prints."""
        return json.loads(self._handle.json())  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return self._handle.text()

    def __repr__(self) -> str:
        data = self.to_dict()
        return (f"<Space {data['mapspace']} of {data['workload']} on {data['architecture']}: "
                f"{self.size} mappings>")  # fmt: skip
