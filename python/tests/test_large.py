"""Counts of more than 64 bits are whole numbers in Python, with all their digits."""

from __future__ import annotations

import json

import pytest
import tilewright as tw
from tilewright.sweeps.store import Row, Store

LARGE = "gemm: m=8589934592 n=8589934592 k=8589934592"  # 2^99 multiply-accumulates


def test_counts_are_exact() -> None:
    best = tw.map("eyeriss", LARGE, mapper="quickflow")
    assert tw.Workload(LARGE).macs == 2**99
    assert best.cycles * 64 == 2**99
    data = json.loads(json.dumps(best.to_dict()))
    assert data["result"]["compute"]["macs"] == 2**99
    assert data["result"]["tensor_words"]["W"] == 2**66
    again = tw.evaluate("eyeriss", LARGE, best.mapping)
    assert again.cycles == best.cycles
    assert again.macs == 2**99


def test_arrays_refuse_what_their_columns_cannot_hold() -> None:
    best = tw.map("eyeriss", LARGE, mapper="quickflow")
    evaluator = tw.Evaluator("eyeriss", LARGE)
    assert evaluator(best.mapping).cycles == best.cycles
    with pytest.raises(tw.InputError, match="more cycles than a column has bits for"):
        evaluator.scores([best.mapping])


def test_stores_keep_the_leading_digits() -> None:
    with Store(":memory:") as store:
        row = Row(b"k", 1, "layer", "a", "d", "w", "pfm", "optimal", "edp", "", "found", 1.0,
                  2**99 + 1, 1.0, 1.0, True, 1.0, 2**70, None, "")  # fmt: skip
        store.add([row])
        (back,) = store.rows()
        assert (back.cycles, back.macs) == (2**99, 2**70)
