"""The store of sweeps: what is damaged or foreign is refused, nothing is lost or doubled."""

from __future__ import annotations

import pathlib
import resource
import sqlite3
import subprocess
import sys

import pytest
from tilewright.sweeps.key import MODEL_VERSION
from tilewright.sweeps.quantities import read_filter
from tilewright.sweeps.store import Row, Store, StoreError


def row(number: int, **changes) -> Row:
    made = Row(number.to_bytes(16, "big"), MODEL_VERSION, "network", "toy", f"PEs.x={number}",
               "net", "pfm", "optimal", "edp", "", "found", float(number), number, 1.0, 1.0, True,
               number * 1e5, number % 64, 10**9, "")  # fmt: skip
    return made._replace(**changes)


def test_results_come_back_by_their_keys(tmp_path):
    with Store(tmp_path / "s.db") as store:
        store.add([row(number) for number in range(1200)])
    with Store(tmp_path / "s.db", create=False) as store:
        keys = [row(number).key for number in range(1300)]
        assert store.find(keys) == {row(n).key: row(n) for n in range(1200)}
        assert store.check() == []


def test_the_first_answer_to_a_question_stays(tmp_path):
    with Store(tmp_path / "s.db") as store:
        store.add([row(1)])
        store.add([row(1, energy_pj=5.0), row(2)])
        assert [one.energy_pj for one in store.rows()] == [1.0, 2.0]


@pytest.mark.parametrize("text, kept", [
    ("area <= 0.3 mm2", {1, 2, 3}),
    ("MACs > 8", {9}),
    ("energy < 2 pJ", {1}),
    ("latency >= 8.5 ns", {9}),
    ("design == PEs.x=4", {4}),
    ("edp == 25", {5}),
])  # fmt: skip
def test_filters_keep_what_meets_them(tmp_path, text, kept):
    with Store(tmp_path / "s.db") as store:
        store.add([row(number) for number in range(1, 10)])
        rows = store.rows([read_filter(text)])
        assert {one.cycles for one in rows} == kept
        assert store.count([read_filter(text)]) == len(kept)


def test_a_result_without_a_clock_meets_no_condition_on_seconds():
    with Store(":memory:") as store:
        store.add([row(1, clock_hz=None)])
        assert store.count([read_filter("latency >= 0 s")]) == 0


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\x07" * 5000, b"name,value\n" * 99])
def test_a_file_that_is_no_store_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "s.db"
    path.write_bytes(content)
    if not content:
        Store(path).close()  # an empty file becomes a store
        return
    with pytest.raises(StoreError, match="name another file"):
        Store(path)
    assert path.read_bytes() == content


def test_a_store_with_a_damaged_page_is_refused_with_advice(tmp_path):
    path = tmp_path / "s.db"
    with Store(path) as store:
        store.add([row(number) for number in range(2000)])
    damaged = bytearray(path.read_bytes())
    damaged[4096:-4096] = b"\x5a" * (len(damaged) - 8192)
    path.write_bytes(damaged)
    with pytest.raises(StoreError, match="recover"), Store(path) as store:
        list(store.rows())
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("pragma, words", [
    ("user_version = 99", "later version"), ("application_id = 7", "another program"),
])  # fmt: skip
def test_a_store_of_somebody_else_is_refused(tmp_path, pragma, words):
    path = tmp_path / "s.db"
    Store(path).close()
    with sqlite3.connect(path) as file:
        file.execute(f"PRAGMA {pragma}")
    file.close()
    with pytest.raises(StoreError, match=words):
        Store(path)


# As the first version made it.
_FORMAT_1 = """
CREATE TABLE results (
  key BLOB PRIMARY KEY, model INTEGER NOT NULL, kind TEXT NOT NULL, architecture TEXT NOT NULL,
  design TEXT NOT NULL, work TEXT NOT NULL, mapspace TEXT NOT NULL, mapper TEXT NOT NULL,
  objective TEXT NOT NULL, options TEXT NOT NULL, status TEXT NOT NULL, energy_pj REAL,
  cycles INTEGER, value REAL, bound REAL, proven INTEGER NOT NULL, area_um2 REAL NOT NULL,
  macs INTEGER NOT NULL, clock_hz INTEGER, reason TEXT NOT NULL);
CREATE TABLE sweeps (id BLOB PRIMARY KEY, name TEXT NOT NULL, document TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 0x54575352;
PRAGMA user_version = 1;
"""


def test_a_store_of_an_older_format_keeps_what_it_has_and_takes_more(tmp_path):
    path = tmp_path / "s.db"
    with sqlite3.connect(path) as file:
        file.executescript(_FORMAT_1)
        marks = ", ".join("?" for _ in Row._fields)
        file.executemany(f"INSERT INTO results VALUES ({marks})", [row(1), row(2)])
    file.close()
    with Store(path, create=False) as store:
        assert list(store.rows()) == [row(1), row(2)]
        assert store.times([row(1).key]) == {}
        store.add([row(3)], [(row(3).key, 0.5)])
    with Store(path, create=False) as store:
        assert list(store.rows()) == [row(1), row(2), row(3)]
        assert store.times([row(n).key for n in (1, 2, 3)]) == {row(3).key: 0.5}
        assert store.check() == []


def test_a_store_that_is_not_there_is_not_made_by_looking(tmp_path):
    with pytest.raises(StoreError, match="no such store"):
        Store(tmp_path / "s.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_merging_takes_over_what_is_missing(tmp_path):
    with Store(tmp_path / "a.db") as one, Store(tmp_path / "b.db") as other:
        one.add([row(1), row(2)])
        other.add([row(2), row(3)], [(row(3).key, 0.5)])
        other.add_sweep(b"k", "name", "{}")
        assert one.merge(other) == 1
        assert [found.cycles for found in one.rows()] == [1, 2, 3]
        assert one.sweeps() == [(b"k", "name", "{}")]
        assert one.times([row(n).key for n in (1, 2, 3)]) == {row(3).key: 0.5}


def test_cleaning_deletes_what_an_older_model_computed():
    with Store(":memory:") as store:
        store.add([row(1, model=MODEL_VERSION - 1), row(2)], [(row(1).key, 0.5)])
        assert store.clean() == 1
        assert store.times([row(1).key]) == {}
        assert [found.cycles for found in store.rows()] == [2]


_WRITER = """
import sys
sys.path.insert(0, sys.argv[3])
from test_sweep_store import row
from tilewright.sweeps.store import Store
start = int(sys.argv[2])
for number in range(start, start + 30):
    with Store(sys.argv[1]) as store:
        store.add([row(number)])
"""


def test_two_processes_write_one_store(tmp_path):
    path = str(tmp_path / "s.db")
    here = str(pathlib.Path(__file__).parent)
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, path, start, here])
               for start in ("0", "15")]  # fmt: skip
    assert [writer.wait() for writer in writers] == [0, 0]
    with Store(path) as store:
        assert [one.cycles for one in store.rows()] == list(range(45))


_CROWD = """
import multiprocessing, sys
from tilewright.sweeps.store import Store

def open_all(folder, barrier):
    for number in range(60):
        barrier.wait()
        with Store(f"{folder}/{number}.db") as store:
            assert store.sweeps() == []

context = multiprocessing.get_context("fork")
barrier = context.Barrier(4, timeout=20)
crowd = [context.Process(target=open_all, args=(sys.argv[1], barrier)) for _ in range(4)]
for process in crowd:
    process.start()
for process in crowd:
    process.join(60)
    if process.exitcode != 0:
        for other in crowd:
            other.kill()
        sys.exit(1)
"""


def test_processes_that_create_a_store_at_once_all_have_it(tmp_path):
    done = subprocess.run([sys.executable, "-c", _CROWD, str(tmp_path)], capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


_FILLER = """
import resource, signal, sys
sys.path.insert(0, sys.argv[2])
from test_sweep_store import row
from tilewright.sweeps.store import Store, StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
stored = 0
try:
    for start in range(0, 100_000, 100):
        store.add([row(number) for number in range(start, start + 100)])
        stored = start + 100
except StoreError as error:
    assert "same command again" in str(error), error
    print(stored)
"""


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path):
    path = str(tmp_path / "s.db")
    here = str(pathlib.Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", _FILLER, path, here], capture_output=True,
                          text=True, check=True)  # fmt: skip
    stored = int(done.stdout)
    assert 0 < stored < 100_000
    with Store(path) as store:
        assert store.check() == []
        assert [one.cycles for one in store.rows()] == list(range(stored))
        store.add([row(stored)])
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
