"""What limits a design, as the explorer finds it by mapping again."""

from __future__ import annotations

import json
import math

import pytest
import tilewright as tw
from explore_questions import EYERISS, SMALL, WORK, answer_of, lines_of, made_questions, question
from tilewright._explore_limits import trials


def limits_of(**changes):
    lines = lines_of(made_questions(), "/limits", **changes)
    assert lines[-1] == {"done": True}
    return {line["limit"]["path"]: line["limit"] for line in lines[:-1]}


def test_limits_come_from_mapping_again():
    limits = limits_of()
    before = tw.map("eyeriss", WORK).edp
    columns = limits["levels[2].x.size"]
    assert (columns["level"], columns["from"], columns["value"]) == ("SACols", "14", before)
    assert [one["to"] for one in columns["tried"]] == ["15", "13"]
    after = tw.map(EYERISS.value.with_(SACols={"x": {"size": 13}}), WORK).edp
    assert columns["tried"][1]["value"] == after
    assert columns["tried"][1]["elasticity"] == pytest.approx(math.log(after / before) / math.log(13 / 14))
    energy = limits["levels[0].read"]["tried"]
    assert [one["to"] for one in energy] == ["70.4 pJ", "57.6 pJ"]
    assert energy[0]["value"] == tw.map(EYERISS.value.with_(DRAM={"read": "70.4 pJ"}), WORK).edp


def test_elasticities_of_energies_add_up_to_that_of_the_energy():
    """With the mapping as it is, energy is linear in the energies: EDP has elasticity 1 in all together."""
    limits = limits_of(workload="gemm: m=16 n=16 k=16")
    up = [one["tried"][0]["elasticity"] for path, one in limits.items() if path.endswith((".read", ".energy"))]
    assert sum(up) == pytest.approx(1, abs=0.1)


def test_limits_of_a_network_are_of_the_whole():
    limits = limits_of(workload="small", objective="energy")
    whole = tw.map("eyeriss", SMALL, objective="energy").energy_pj
    assert all(one["value"] == whole for one in limits.values())


def test_an_objective_of_zero_has_no_elasticity():
    arch = tw.Architecture("toy_linear").to_dict()
    arch["levels"] = [{key: value for key, value in level.items() if key not in ("read", "write", "energy")} for level in arch["levels"]]
    limits = limits_of(architecture=arch, workload="gemm: m=4 n=4 k=4", objective="energy")
    assert limits
    assert all(one["elasticity"] is None and one["value"] == 0 for limit in limits.values() for one in limit["tried"])


def test_what_cannot_be_mapped_has_no_elasticity():
    arch = EYERISS.value.with_(InRegister={"capacity": "1 words"}).to_dict()
    assert [one["to"] for one in limits_of(architecture=arch)["levels[4].capacity"]["tried"]] == ["2 words"]
    tight = EYERISS.value.with_(GlobalBuffer={"capacity": "2 words"}).to_dict()
    fewer = limits_of(architecture=tight)["levels[1].capacity"]["tried"][1]
    assert fewer == {"to": "1 words", "ratio": 0.5, "value": None, "elasticity": None}


@pytest.mark.parametrize(
    ("key", "value", "tried"),
    [
        ("capacity", "64 KiB", ["72090 B", "58982 B"]),
        ("capacity", "unlimited", None),
        ("read_bandwidth", "128/7 words/cycle", ["20.1143 words/cycle", "16.4571 words/cycle"]),
        ("word", "16 bits", None),
        ("banks", 1, ["2"]),
        ("class", "sram", None),
        ("double_buffered", True, None),
    ],
)
def test_numbers_have_neighbours(key, value, tried):
    found = list(trials({"levels": [{"memory": "M", key: value}]}))
    assert [str(to) for one in found for to, _ in one.values] == (tried or [])


def test_limits_end_when_something_changes():
    questions, lines = made_questions(), []

    def tell(line):
        lines.append(json.loads(line))
        if len(lines) == 1:
            assert "document" in answer_of(questions, "/map", page="one", number=2)

    questions.answer("/limits", question(page="one", number=1), tell)
    assert [list(line) for line in lines] == [["limit"], ["superseded"]]
