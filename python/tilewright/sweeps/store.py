"""Results on disk: one SQLite file, written by one process at a time, read by any number.

Rows are added in batches, each of which is on disk as a whole or not at all: the file is in
WAL mode. A file that is no store, that is damaged, or that a later version of the package has
written is refused and left as it is.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tilewright._errors import Error
from tilewright.sweeps.key import MODEL_VERSION
from tilewright.sweeps.quantities import Filter

_APPLICATION = 0x54575352
_FORMAT = 2
_WAIT_SECONDS = 60
_MOST_PARAMETERS = 500
_MAPPED_BYTES = 1 << 32
_SCHEMA = """
CREATE TABLE results (
  key BLOB PRIMARY KEY, model INTEGER NOT NULL, kind TEXT NOT NULL, architecture TEXT NOT NULL,
  design TEXT NOT NULL, work TEXT NOT NULL, mapspace TEXT NOT NULL, mapper TEXT NOT NULL,
  objective TEXT NOT NULL, options TEXT NOT NULL, status TEXT NOT NULL, energy_pj REAL,
  cycles INTEGER, value REAL, bound REAL, proven INTEGER NOT NULL, area_um2 REAL NOT NULL,
  macs INTEGER NOT NULL, clock_hz INTEGER, reason TEXT NOT NULL);
CREATE TABLE sweeps (id BLOB PRIMARY KEY, name TEXT NOT NULL, document TEXT NOT NULL) WITHOUT ROWID;
"""
# Format 2 has how long answers took, from which the time left of a sweep is estimated. They are
# apart from the results: those are the same whoever computed them.
_SCHEMA_TIMES = """
CREATE TABLE times (key BLOB PRIMARY KEY, seconds REAL NOT NULL) WITHOUT ROWID;
"""


class StoreError(Error):
    """A store that cannot be used, with what to do about it."""


class Row(NamedTuple):
    """One result: what was asked, and the answer. Numbers are None where nothing was found."""

    key: bytes
    model: int
    kind: str
    """``layer`` or ``network``."""
    architecture: str
    design: str
    work: str
    mapspace: str
    mapper: str
    objective: str
    options: str
    status: str
    """``found``, ``infeasible`` or ``nothing found``."""
    energy_pj: float | None
    cycles: int | None
    value: float | None
    bound: float | None
    proven: bool
    area_um2: float
    macs: int
    clock_hz: int | None
    reason: str


_PLACES = ", ".join("?" for _ in Row._fields)
_COLUMNS = ", ".join(Row._fields)
_COLUMNS_OF = {"results": _COLUMNS, "times": "key, seconds", "sweeps": "id, name, document"}


def _row(values: Sequence[Any]) -> Row:
    row = Row(*values)
    cycles = None if row.cycles is None else int(row.cycles)
    return row._replace(proven=bool(row.proven), cycles=cycles, macs=int(row.macs))


def _stored(row: Row) -> Sequence[Any]:
    """The file has 64 bits for whole numbers; larger ones keep as many digits as a double has."""
    largest = (1 << 63) - 1
    if row.macs <= largest and (row.cycles or 0) <= largest:
        return row
    values = row._asdict()
    for name in ("cycles", "macs"):
        if values[name] is not None and values[name] > largest:
            values[name] = float(values[name])
    return tuple(values.values())


class Store:
    """A file with results. Close it, or use it in a ``with`` statement.

    >>> with Store(":memory:") as store:
    ...     len(store)
    0
    """

    def __init__(
        self, path: str | os.PathLike[str], *, create: bool = True, alone: bool = False
    ) -> None:
        """``alone`` keeps all others out, and does with file systems that have no shared memory."""
        self.path = os.fspath(path)
        self._alone = alone
        if self.path != ":memory:" and not create and not pathlib.Path(self.path).exists():
            raise StoreError(f"{self.path}: there is no such store; name the file of a sweep")
        try:
            self._file = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
            with self._complaining():
                self._open()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: cannot be opened: {error}") from None
        except StoreError:
            self._file.close()
            raise

    def _open(self) -> None:
        if self._alone:
            self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
        # What a file is must be known before anything is written to it, and be of one moment:
        # another process may be creating it.
        self._file.execute("BEGIN")
        application = self._number("PRAGMA application_id")
        version = self._number("PRAGMA user_version")
        tables = self._number("SELECT count(*) FROM sqlite_master")
        self._file.execute("COMMIT")
        if application == 0 and tables == 0:
            self._create()
        elif application != _APPLICATION:
            raise StoreError(f"{self.path}: is a database of another program; name another file")
        elif version > _FORMAT:
            raise StoreError(
                f"{self.path}: was written by a later version of Tilewright (format {version}, "
                f"this one knows {_FORMAT}); install that version, or name another file"
            )
        elif version < _FORMAT:
            self._upgrade()
        self._keep_log()
        self._file.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
        # A batch that was reported as stored survives a loss of power.
        self._file.execute("PRAGMA synchronous = FULL")

    def _keep_log(self) -> None:
        """WAL mode. SQLite does not wait by itself where several processes ask for it at once."""
        end = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                self._file.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def _create(self) -> None:
        with self._transaction():
            if self._number("SELECT count(*) FROM sqlite_master"):
                return  # another process was faster
            for statement in (_SCHEMA + _SCHEMA_TIMES).split(";"):
                self._file.execute(statement)
            self._file.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._file.execute(f"PRAGMA user_version = {_FORMAT}")

    def _upgrade(self) -> None:
        """Of format 1; what is there stays as it is."""
        with self._transaction():
            if self._number("PRAGMA user_version") >= _FORMAT:
                return  # another process was faster
            self._file.execute(_SCHEMA_TIMES)
            self._file.execute(f"PRAGMA user_version = {_FORMAT}")

    def _number(self, query: str) -> int:
        return int(self._file.execute(query).fetchone()[0])

    @contextlib.contextmanager
    def _complaining(self) -> Generator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StoreError(self._advice(error)) from None

    def _advice(self, error: sqlite3.DatabaseError) -> str:
        text = str(error)
        if "malformed" in text or "not a database" in text:
            return (f"{self.path}: is damaged or no store ({text}); name another file, restore a "
                    f"copy, or save what can be read with: sqlite3 {self.path} .recover")  # fmt: skip
        if "full" in text or "disk I/O" in text or "too large" in text:
            return (f"{self.path}: cannot be written ({text}); make room on the disk and give the "
                    "same command again: what was stored is safe")  # fmt: skip
        return f"{self.path}: {text}"

    @contextlib.contextmanager
    def _transaction(self) -> Generator[None]:
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    def add(self, rows: Iterable[Row], times: Iterable[tuple[bytes, float]] = ()) -> None:
        """Stores results and how many seconds they took by key, all or none. Of a question that
        has an answer the first one stays."""
        with self._complaining(), self._transaction():
            self._file.executemany(
                f"INSERT INTO results ({_COLUMNS}) VALUES ({_PLACES}) ON CONFLICT DO NOTHING",
                map(_stored, rows),
            )
            self._file.executemany("INSERT INTO times VALUES (?, ?) ON CONFLICT DO NOTHING", times)

    def add_sweep(self, key: bytes, name: str, document: str) -> None:
        """Notes what was asked for."""
        with self._complaining(), self._transaction():
            self._file.execute("INSERT INTO sweeps VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                               (key, name, document))  # fmt: skip

    def sweeps(self) -> list[tuple[bytes, str, str]]:
        """Key, name and document of every sweep, by name."""
        with self._complaining():
            return self._file.execute(
                "SELECT id, name, document FROM sweeps ORDER BY name, id"
            ).fetchall()

    def find(self, keys: Sequence[bytes]) -> dict[bytes, Row]:
        """The results that are there, by their keys."""
        found = (_row(values) for values in self._with_keys(f"{_COLUMNS} FROM results", keys))
        return {row.key: row for row in found}

    def times(self, keys: Sequence[bytes]) -> dict[bytes, float]:
        """How many seconds results took, by their keys."""
        return dict(self._with_keys("key, seconds FROM times", keys))

    def _with_keys(self, what: str, keys: Sequence[bytes]) -> Iterator[Any]:
        with self._complaining():
            for start in range(0, len(keys), _MOST_PARAMETERS):
                some = keys[start : start + _MOST_PARAMETERS]
                marks = ", ".join("?" for _ in some)
                yield from self._file.execute(f"SELECT {what} WHERE key IN ({marks})", some)

    def rows(
        self, filters: Sequence[Filter] = (), limit: int | None = None
    ) -> Iterator[Row]:
        """Results that meet all conditions: all in the order of their keys, which is the same
        whoever stored them, or the first ones that were stored."""
        where, parameters = _where(filters)
        end = "ORDER BY +key" if limit is None else f"ORDER BY rowid LIMIT {int(limit)}"
        with self._complaining():
            query = f"SELECT {_COLUMNS} FROM results{where} {end}"
            for values in self._file.execute(query, parameters):
                yield _row(values)

    def count(self, filters: Sequence[Filter] = ()) -> int:
        """How many results meet all conditions."""
        where, parameters = _where(filters)
        with self._complaining():
            query = f"SELECT count(*) FROM results{where}"
            return int(self._file.execute(query, parameters).fetchone()[0])

    def __len__(self) -> int:
        return self.count()

    def merge(self, other: Store) -> int:
        """Takes over what another store has and this one lacks; gives the number of results."""
        return self.merge_file(other.path)

    def merge_file(self, path: str | os.PathLike[str]) -> int:
        """The same by the name of a file that is known to be a store of this format."""
        before = len(self)
        with self._complaining():
            self._file.execute("ATTACH DATABASE ? AS other", (os.fspath(path),))
            try:
                with self._transaction():
                    for table, columns in _COLUMNS_OF.items():
                        self._file.execute(
                            f"INSERT INTO {table} ({columns}) SELECT {columns} FROM other.{table} "
                            "WHERE true ON CONFLICT DO NOTHING")  # fmt: skip
            finally:
                self._file.execute("DETACH DATABASE other")
        return len(self) - before

    def check_out(self) -> None:
        """Makes one file of the store, without those of its journal."""
        with self._complaining():
            self._file.execute("PRAGMA journal_mode = DELETE")

    def clean(self) -> int:
        """Deletes what an older model computed; gives the number of results."""
        with self._complaining(), self._transaction():
            gone = self._file.execute("DELETE FROM results WHERE model < ?", (MODEL_VERSION,))
            self._file.execute("DELETE FROM times WHERE key NOT IN (SELECT key FROM results)")
            return gone.rowcount

    def check(self) -> list[str]:
        """Reads the whole file; gives what is wrong with it."""
        with self._complaining():
            lines = [str(line[0]) for line in self._file.execute("PRAGMA integrity_check")]
        return [] if lines == ["ok"] else lines

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _where(filters: Sequence[Filter]) -> tuple[str, list[float | str]]:
    if not filters:
        return "", []
    conditions = [one.sql() for one in filters]
    return " WHERE " + " AND ".join(text for text, _ in conditions), [v for _, v in conditions]
