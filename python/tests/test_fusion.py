"""Several contractions as one."""

from __future__ import annotations

import copy
import pickle

import pytest
import tilewright as tw

CHIP = tw.Architecture(
    {
        "architecture": "chip",
        "levels": [
            {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
            {"memory": "Buffer", "capacity": "4096 words", "read": "3 pJ"},
            {"memory": "Registers", "capacity": "16 words", "read": "0.1 pJ"},
            {"compute": "MAC", "energy": "0.2 pJ"},
        ],
    }
)
ATTENTION = tw.Cascade("attention", sizes={"tokens": 64, "heads": 1})
# A block whose sizes have few factors.
SMALL_GPT2 = {"tokens": 16, "layers": 1, "hidden": 32, "heads": 4, "head": 8, "inner": 128, "vocabulary": 101}


def test_cascades_are_values():
    assert list(ATTENTION.einsums) == ["QK", "AV"]
    assert len(ATTENTION) == 2
    for other in (
        tw.Cascade(ATTENTION.to_dict()),
        tw.Cascade.from_yaml(ATTENTION.to_yaml()),
        pickle.loads(pickle.dumps(ATTENTION)),
        copy.deepcopy(ATTENTION),
    ):
        assert other == ATTENTION
        assert hash(other) == hash(ATTENTION)
    assert tw.Cascade("attention") != ATTENTION
    assert "attention" in tw.cascades()
    with pytest.raises(tw.InputError, match="did you mean attention"):
        tw.Cascade("attentio")


def test_the_best_plan_costs_what_it_is_said_to_cost():
    best = tw.fuse(CHIP, ATTENTION)
    assert best.proven
    assert best.bound_pj == best.energy_pj < best.unfused_pj
    assert best.to_dict()["schema"] == "tilewright.fusion.v1"
    assert "proven: no plan" in str(best)
    plan = best.plan
    assert tw.evaluate_plan(plan).energy_pj == pytest.approx(best.energy_pj)
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert tw.Plan(CHIP, ATTENTION, plan.to_dict()) == plan


def test_groups_choose_among_memories():
    levels = [
        {"memory": "DRAM", "capacity": "unlimited", "read": "128 pJ"},
        {"memory": "Buffer", "capacity": "262144 words", "read": "8 pJ"},
        {"memory": "Near", "capacity": "16384 words", "read": "2 pJ"},
        {"fanout": "PEs", "x": {"size": 16, "dims": ["p", "f"]}, "y": {"size": 16, "dims": ["m", "e", "p"]}},
        {"memory": "Registers", "capacity": "64 words", "read": "0.1 pJ"},
        {"compute": "MAC", "energy": "0.2 pJ"},
    ]
    chip = tw.Architecture({"architecture": "two", "levels": levels})
    attention = tw.Cascade("attention", sizes={"tokens": 256, "heads": 1})
    outer = tw.fuse(chip, attention)
    both = tw.fuse(chip, attention, shared=["Buffer", "Near"])
    assert outer.one_memory_pj is None
    assert both.one_memory_pj is not None
    assert both.energy_pj < both.one_memory_pj <= outer.energy_pj * (1 + 1e-9)
    assert both.to_dict()["shared_memories"] == ["Buffer", "Near"]
    homes = {tensor.get("home") for einsum in both.to_dict()["einsums"] for tensor in einsum["tensors"]}
    assert len(homes) == 2
    assert tw.evaluate_plan(both.plan).energy_pj == pytest.approx(both.energy_pj)
    assert tw.Plan(chip, attention, both.plan.to_dict()) == both.plan
    assert tw.fuse(chip, attention, shared=["Buffer"]).energy_pj == pytest.approx(outer.energy_pj)
    with pytest.raises(tw.InputError, match="named twice"):
        tw.fuse(chip, attention, shared=["Near", "Near"])
    with pytest.raises(tw.InputError, match="its memories are"):
        tw.fuse(chip, model="gpt2", shared="Nearer")
    with pytest.raises(TypeError, match="share one memory"):
        tw.fuse(chip, model="gpt2", shared=["Buffer", "Near"])


def test_a_plan_by_hand_is_held_against_the_best():
    flash = tw.Plan(
        CHIP,
        ATTENTION,
        {"plan": [{"for": ["m 4", "p 4"], "keep": {"Q": "m", "O": "m"}, "do": ["QK", "AV"]}]},
    )
    result = tw.evaluate_plan(flash, optimum=True)
    assert result.above_optimum is not None
    assert result.above_optimum >= 0
    assert result.edp == pytest.approx(result.energy_pj * result.cycles)
    assert result.to_dict()["found_nests"] == ["QK", "AV"]
    assert tw.evaluate_plan(result.plan).energy_pj == pytest.approx(result.energy_pj)
    assert tw.evaluate_plan(flash).above_optimum is None


def test_objectives_with_time_and_work_done_again():
    small = tw.Cascade("attention", sizes={"tokens": 16, "heads": 1, "head_dim": 4})
    fastest = tw.fuse(CHIP, small, objective="latency")
    assert fastest.proven
    assert fastest.cycles <= tw.fuse(CHIP, small).cycles
    again = tw.fuse(CHIP, small, recompute=True)
    assert again.to_dict()["searched"] == "trees and flat"
    assert again.energy_pj <= tw.fuse(CHIP, small).energy_pj
    prime = tw.Cascade("attention", sizes={"tokens": 17, "heads": 1, "head_dim": 4})
    rest = tw.fuse(CHIP, prime, remainders=True)
    assert rest.to_dict()["remainders"] is True
    assert rest.energy_pj <= tw.fuse(CHIP, prime).energy_pj
    uneven = tw.fuse(CHIP, small, uneven=True)
    assert uneven.to_dict()["uneven_nests"] is True
    assert uneven.energy_pj <= tw.fuse(CHIP, small).energy_pj
    proof = tw.fuse(CHIP, small, uneven=True, certificate=True)
    assert tw.check_plan(proof).optimal
    fast = tw.fuse(CHIP, small, uneven=True, objective="latency")
    assert fast.to_dict()["uneven_nests"] is True
    assert fast.proven
    with pytest.raises(tw.InputError, match="--objective"):
        tw.fuse(CHIP, small, objective="speed")


def test_certificates_of_plans_are_verified(tmp_path):
    small = tw.Cascade("attention", sizes={"tokens": 16, "heads": 1, "head_dim": 4})
    path = tmp_path / "plan.json"
    best = tw.fuse(CHIP, small, certificate=path)
    assert path.read_text(encoding="utf-8") == best.certificate
    for given in (best, path, best.certificate):
        checked = tw.check_plan(given)
        assert checked
        assert checked.optimal
        assert float(checked.energy_pj) == pytest.approx(best.energy_pj)
        assert checked.groups == 3
    forged = best.certificate.replace('"energy_pj": "', '"energy_pj": "1')
    refused = tw.check_plan(forged)
    assert not refused
    assert not refused.optimal
    assert "the certificate says" in refused.problems[0]
    with pytest.raises(tw.InputError, match=r"tilewright\.check_plan"):
        tw.check(best.certificate)
    with pytest.raises(tw.InputError, match="fuse with certificate=True"):
        tw.check_plan(tw.fuse(CHIP, small))
    with pytest.raises(tw.InputError, match="no certificates yet"):
        tw.fuse(CHIP, small, recompute=True, certificate=True)
    assert tw.check(best) == tw.check_plan(best)


@pytest.mark.parametrize("objective", ["latency", "edp"])
def test_certificates_of_plans_in_time_are_verified(objective):
    small = tw.Cascade("attention", sizes={"tokens": 16, "heads": 1, "head_dim": 4})
    best = tw.fuse(CHIP, small, objective=objective, certificate=True, time="10 min")
    checked = tw.check_plan(best)
    assert checked.optimal
    assert checked.objective == objective
    assert float(checked.value) == pytest.approx(best.to_dict()["value"])
    assert checked.bound_pj == ""
    forged = best.certificate.replace('"cycles": ', '"cycles": 1', 1)
    assert "cycles, the certificate says" in tw.check_plan(forged).problems[0]


def test_convolutions_are_fused_row_by_row():
    block = tw.Cascade("mobilenet_block", sizes={"size": 4, "channels": 2})
    best = tw.fuse(CHIP, block)
    assert best.proven
    assert best.to_dict()["searched"] == "flat"
    assert best.energy_pj < best.unfused_pj


def test_certificates_of_convolutions_are_verified():
    block = tw.Cascade("mobilenet_block", sizes={"size": 4, "channels": 2})
    best = tw.fuse(CHIP, block, certificate=True)
    checked = tw.check_plan(best)
    assert checked.optimal
    assert checked.objective == "energy"
    assert checked.groups == 6
    assert float(checked.bound_pj) == pytest.approx(best.energy_pj)
    forged = best.certificate.replace('"energy_pj": "', '"energy_pj": "1', 1)
    assert "pJ, the certificate says" in tw.check_plan(forged).problems[0]


def test_plans_that_mean_nothing_or_do_not_fit_are_refused():
    with pytest.raises(tw.InputError, match="no einsum"):
        tw.Plan(CHIP, ATTENTION, {"plan": ["QV", "AV"]})
    whole = tw.Plan(CHIP, ATTENTION, {"plan": [{"local": ["Q", "K"], "do": ["QK", "AV"]}]})
    with pytest.raises(tw.Infeasible, match="does not fit chip"):
        tw.evaluate_plan(whole)
    with pytest.raises(TypeError, match="either a cascade or a model"):
        tw.fuse(CHIP)  # type: ignore[call-overload]
    with pytest.raises(tw.InputError, match="from 1 to 12"):
        tw.fuse(CHIP, ATTENTION, longest_group=0)
    with pytest.raises(tw.InputError, match="no time"):
        tw.fuse(CHIP, ATTENTION, time="soon")


def test_networks_are_fused_part_by_part():
    network = tw.Network("gpt2", sizes=SMALL_GPT2)
    result = tw.fuse(CHIP, model=network)
    assert result.proven
    assert result.energy_pj < result.unfused_pj
    fused = [part["groups"] for part in result.parts if part["fused"]]
    assert len(fused) == 1
    assert [name for group in fused[0] for name in group] == [
        "attn_q_proj", "attn_score", "attn_context", "attn_output", "mlp_up", "mlp_down"
    ]  # fmt: skip
    assert "attn_score" in str(result)
    assert tw.fuse(CHIP, model=network, threads=2).parts == result.parts
    both = tw.fuse(CHIP, model=network, objective="edp")
    assert both.proven
    assert both.value == pytest.approx(both.energy_pj * both.cycles)
    assert both.value <= result.energy_pj * result.cycles
    assert both.bound <= both.value * (1 + 1e-9)
    with pytest.raises(TypeError, match="where time counts"):
        tw.fuse(CHIP, model=network, objective="edp", certificate=True)
    uneven = tw.fuse(CHIP, model=network, uneven=True)
    assert uneven.to_dict()["uneven_nests"] is True
    assert uneven.energy_pj <= result.energy_pj * (1 + 1e-12)
    assert uneven.unfused_pj == pytest.approx(result.unfused_pj)
    with pytest.raises(TypeError, match="uneven nests"):
        tw.fuse(CHIP, model=network, uneven=True, certificate=True)
    with pytest.raises(tw.InputError, match="from 1 to 1024"):
        tw.fuse(CHIP, model=network, threads=0)
    with pytest.raises(TypeError, match="parts of a network"):
        tw.fuse(CHIP, ATTENTION, threads=2)  # type: ignore[call-overload]


def test_certificates_of_networks_are_verified(tmp_path):
    network = tw.Network("gpt2", sizes=SMALL_GPT2)
    path = tmp_path / "network.json"
    block = ("attn_q_proj", "attn_score", "attn_context", "attn_output", "mlp_up", "mlp_down")
    found = tw.fuse(CHIP, model=network, certificate=path, threads=2)
    assert path.read_text(encoding="utf-8") == found.certificate
    for given in (found, path, found.certificate):
        checked = tw.check_network(given, threads=2)
        assert checked
        assert checked.optimal
        assert checked.network == "gpt2"
        assert float(checked.energy_pj) == pytest.approx(found.energy_pj)
        assert [part.known for part in checked.parts] == ["optimal"] * len(checked.parts)
        assert sum(float(part.energy_pj) for part in checked.parts) == pytest.approx(found.energy_pj)
        assert (block, 1) in [(part.contractions, part.times) for part in checked.parts]
    assert tw.check(found) == tw.check_network(found)
    forged = found.certificate.replace('"energy_pj": "', '"energy_pj": "1', 1)
    refused = tw.check_network(forged)
    assert not refused
    assert not refused.optimal
    assert refused.problems
    without = tw.fuse(CHIP, model=network)
    assert without.certificate == ""
    assert without.energy_pj == pytest.approx(found.energy_pj)
    with pytest.raises(tw.InputError, match="fuse with certificate=True"):
        without.write_certificate(path)
    with pytest.raises(tw.InputError, match=r"tilewright\.check_network"):
        tw.check(path)
    with pytest.raises(tw.InputError, match="threads"):
        tw.check_network(found, threads=0)
    with pytest.raises(tw.InputError, match="tilewright_network_certificate"):
        tw.check_network("{}")


@pytest.mark.parametrize("kind", ["cascade", "plan"])
def test_formats_are_explained(kind):
    assert "docs/fusion.md" in tw.explain(kind)
