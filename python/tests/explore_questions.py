"""Questions that the explorer is asked in tests, without a page."""

from __future__ import annotations

import json

import tilewright as tw
from tilewright._explore import Questions
from tilewright._explore_export import Source

WORK = "gemm: m=64 n=64 k=64"
EYERISS = Source("eyeriss", tw.Architecture("eyeriss"))
SMALL = tw.Network.of("small", [("up", "gemm: m=16 n=8 k=8", 2), ("down", "gemm: m=8 n=8 k=16", 1)])


def made_questions():
    return Questions(EYERISS, {WORK: tw.Workload(WORK)}, {"small": SMALL})


def question(**changes):
    return {"architecture": EYERISS.value.to_dict(), "workload": WORK, "objective": "edp", **changes}


def lines_of(questions, path, **changes):
    """All lines of an answer."""
    lines = []
    questions.answer(path, question(**changes), lines.append)
    assert all("\n" not in line for line in lines)
    return [json.loads(line) for line in lines]


def answer_of(questions, path, **changes):
    """The line that counts."""
    return lines_of(questions, path, **changes)[-1]
