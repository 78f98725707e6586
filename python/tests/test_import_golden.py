"""What timeloop-model computed, from the golden cases written as files of Timeloop."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tilewright as tw
from tilewright.importers.timeloop.convert import import_timeloop
from test_import_timeloop import evaluated

EVERY = 40  # of the cases in a file


def problem_text(case: dict[str, Any]) -> str:
    coefficients: dict[str, int] = {}
    spaces = []
    for tensor in case["tensors"]:
        ranks = []
        for rank in tensor["index"]:
            terms = []
            for dim, factor in rank:
                coefficients[f"times{factor}"] = factor
                terms.append([dim, f"times{factor}"])
            ranks.append(terms)
        spaces.append({"name": tensor["name"], "projection": ranks, "read_write": tensor["output"]})
    shape = {
        "name": case["id"],
        "dimensions": list(case["dims"]),
        "coefficients": [{"name": n, "default": f} for n, f in coefficients.items()],
        "data_spaces": spaces,
    }
    return json.dumps({"problem": {"shape": shape, "instance": case["dims"]}})


def directives(level: dict[str, Any], every: list[str], dims: list[str]) -> list[dict[str, Any]]:
    name = level["name"]
    loops = level["temporal_outer_to_inner"]
    order = [dim for dim, _ in reversed(loops)]
    made = [
        {
            "target": name,
            "type": "datatype",
            "keep": level["keep"],
            "bypass": [tensor for tensor in every if tensor not in level["keep"]],
        },
        {
            "target": name,
            "type": "temporal",
            "factors": " ".join(f"{dim}={bound}" for dim, bound in loops),
            "permutation": "".join(order + [dim for dim in dims if dim not in order]),
        },
    ]
    space = level.get("fanout_below", {}).get("spatial", [])
    if space:
        on_x = [dim for dim, _, axis in space if axis == "X"]
        on_y = [dim for dim, _, axis in space if axis == "Y"]
        rest = [dim for dim in dims if dim not in on_x + on_y]
        made.append(
            {
                "target": name,
                "type": "spatial",
                "factors": " ".join(f"{dim}={bound}" for dim, bound, _ in space),
                "permutation": "".join(on_x + on_y + rest),
                "split": len(on_x),
            }
        )
    return made


def bundle_text(case: dict[str, Any]) -> tuple[str, str]:
    """An architecture with its mapping, and a table of energies."""
    x = y = 1
    storage, tables, mapping = [], [], []
    every = [tensor["name"] for tensor in case["tensors"]]
    for level in case["levels_outer_to_inner"]:
        entry = {"name": level["name"], "instances": x * y, "meshX": x, "meshY": y, "word_bits": 16}
        entry["block_size"] = level["block_words"]
        if level["capacity_words"]:
            entry["entries"] = level["capacity_words"]
        for key in ("read", "write"):
            if level[f"{key}_bw"]:
                entry[f"{key}_bandwidth"] = level[f"{key}_bw"]
        storage.insert(0, entry)
        energies = level["energy_per_block"]
        actions = [{"name": name, "energy": pj} for name, pj in energies.items()]
        tables.append({"name": f"system.{level['name']}", "actions": actions})
        mapping += directives(level, every, list(case["dims"]))
        below = level.get("fanout_below", {})
        x, y = x * below.get("x", 1), y * below.get("y", 1)
    arithmetic = {"name": "mac", "instances": x * y, "meshX": x, "meshY": y, "word_bits": 16}
    tables.append(
        {"name": "mac", "actions": [{"name": "compute", "energy": case["mac"]["energy"]}]}
    )
    arch = {"arch": {"arithmetic": arithmetic, "storage": storage}, "mapping": mapping}
    return json.dumps(arch), json.dumps({"ERT": {"version": 0.3, "tables": tables}})


@pytest.mark.parametrize("kind", ["conv", "conv1d", "gemm"])
def test_counts_cycles_and_energy_are_those_of_timeloop(checkout, tmp_path, kind):
    lines = (
        (checkout / f"tests/golden/timeloop_{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    )
    for text in lines[::EVERY]:
        case = json.loads(text)
        paths = [tmp_path / name for name in ("problem.yaml", "arch.yaml", "ERT.yaml")]
        for path, content in zip(paths, (problem_text(case), *bundle_text(case)), strict=True):
            path.write_text(content, encoding="utf-8")
        compare(case, evaluated(import_timeloop(paths).files))


def compare(case: dict[str, Any], result: tw.Evaluation) -> None:
    expected = case["expected"]
    assert result.macs == expected["macs"], case["id"]
    assert result.energy_pj == pytest.approx(expected["energy"], rel=1e-9), case["id"]
    assert expected["cycles"] - 1 <= result.cycles <= expected["cycles"], case["id"]
    traffic = {
        (memory["level"], row["tensor"]): row["total"]
        for memory in result.to_dict()["memories"]
        for row in memory["tensors"]
    }
    for level in case["levels_outer_to_inner"]:
        for tensor, counts in level["expected"].items():
            row = traffic[level["name"], tensor]
            for key in ("reads", "fills", "updates"):
                assert row[key] == counts[key] * counts["instances"], (case["id"], level["name"])
