"""Workloads, architectures, networks, constraints and mappings as values."""

from __future__ import annotations

import copy
import pickle

import pytest
import tilewright as tw

ARCHITECTURES = tw.architectures()
LEVELS = {"levels": {"DRAM": {"loops": ["X 20"]}, "PEs": {"x": ["X 5"]}}}


def toy_mapping() -> tw.Mapping:
    return tw.Mapping("toy_linear", "O[X] += I[X]; X=100", LEVELS)


def example_values():
    eyeriss = tw.Architecture("eyeriss")
    return [
        tw.Workload("gemm: m=64 n=32 k=16"),
        tw.Workload("O[m,n] += A[m,k]*B[k,n]; m=6 n=5 k=4"),
        eyeriss,
        tw.Network("alexnet"),
        tw.Network.of("two", [("a", "gemm: m=4 n=4 k=4", 3), ("b", "gemm: m=8 n=4 k=4")]),
        tw.Constraints(eyeriss, ["SARows.y: S = all", "SACols.x: M <= 2"]),
        toy_mapping(),
    ]


@pytest.mark.parametrize("value", example_values(), ids=lambda v: type(v).__name__)
def test_values_survive_pickles_and_copies(value):
    restored = pickle.loads(pickle.dumps(value))
    assert restored == value
    assert hash(restored) == hash(value)
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value
    assert value != object()
    assert {value: 1}[restored] == 1


@pytest.mark.parametrize("value", example_values(), ids=lambda v: type(v).__name__)
def test_values_have_a_short_repr_that_names_them(value):
    text = repr(value)
    assert type(value).__name__ in text
    assert "\n" not in text


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_architectures_survive_dictionaries_and_texts(name):
    arch = tw.Architecture(name)
    assert tw.Architecture.from_dict(arch.to_dict()) == arch
    assert tw.Architecture.from_yaml(arch.to_yaml()) == arch
    assert pickle.loads(pickle.dumps(arch)) == arch


@pytest.mark.parametrize("name", tw.networks())
def test_networks_survive_dictionaries_and_pickles(name):
    network = tw.Network(name)
    assert tw.Network.from_dict(network.to_dict()) == network
    assert pickle.loads(pickle.dumps(network)) == network


def test_a_restored_workload_has_the_same_remarks():
    work = tw.Workload("O[m,n] += A[m,k]*B[k,n]; m=16 n=16 k=16")
    restored = pickle.loads(pickle.dumps(work))
    assert tw.map("eyeriss", restored).remarks == tw.map("eyeriss", work).remarks
    assert any("role" in remark for remark in tw.map("eyeriss", work).remarks)


def test_with_changes_a_key_of_a_level_and_nothing_else():
    eyeriss = tw.Architecture("eyeriss")
    larger = eyeriss.with_(GlobalBuffer={"capacity": "64 KiB"})
    assert larger.to_dict()["levels"][1]["capacity"] == "64 KiB"
    assert larger.with_(GlobalBuffer={"capacity": "131072 words"}) == eyeriss
    assert eyeriss.with_({"SACols": {"x": {"size": 28}}}).compute_instances == 336
    assert eyeriss.with_(accounting="timeloop").summary()["accounting"] == "timeloop"
    assert eyeriss.with_(name="mine").name == "mine"


def test_with_takes_a_key_away():
    eyeriss = tw.Architecture("eyeriss")
    assert "keep" in eyeriss.to_dict()["levels"][1]
    assert "keep" not in eyeriss.with_(GlobalBuffer={"keep": None}).to_dict()["levels"][1]


def test_another_estimator_fills_in_what_the_file_does_not_give():
    chip = tw.Architecture.from_yaml(
        """
architecture: chip
technology: 28 nm
levels:
  - {memory: DRAM, capacity: unlimited, word: 8 bits, dram: lpddr4, write: 5 pJ}
  - {memory: Buffer, capacity: 64 KiB, word: 8 bits, class: sram}
  - {memory: Plain, capacity: 4 KiB, read: 1 pJ}
  - {compute: MAC, mac: int8}
"""
    )
    asked = []

    def estimator(level):
        asked.append(level)
        key = "energy" if "compute" in level else "read"
        return {key: "7 pJ", "write": "8 pJ"} if key == "read" else {key: "7 pJ"}

    other = chip.estimated_by(estimator)
    levels = {level["name"]: level for level in other.summary()["levels"]}
    assert [level["technology"] for level in asked] == ["28 nm"] * 3
    assert (levels["DRAM"]["read_pj"], levels["DRAM"]["write_pj"]) == (7, 5)
    assert (levels["Buffer"]["read_pj"], levels["Buffer"]["write_pj"]) == (7, 8)
    assert levels["Plain"]["read_pj"] == 1
    assert levels["MAC"]["mac_pj"] == 7


def test_with_complains_about_levels_and_keys_that_there_are_not():
    eyeriss = tw.Architecture("eyeriss")
    with pytest.raises(tw.InputError, match="the levels are DRAM, GlobalBuffer"):
        eyeriss.with_(Bufer={"capacity": "1 KiB"})
    with pytest.raises(tw.InputError, match=r"levels\[1\].capacitie: unknown key"):
        eyeriss.with_(GlobalBuffer={"capacitie": "1 KiB"})


def test_workloads_of_every_form_are_equal():
    line = tw.Workload("gemm: m=64 n=32 k=16")
    table = tw.Workload({"workload": line.name, "gemm": {"m": 64, "n": 32, "k": 16}})
    assert line == table
    assert table.dims == {"M": 64, "N": 32, "K": 16}
    assert line.with_(sizes={"M": 32}).macs == line.macs // 2


def test_files_are_read(checkout, tmp_path):
    arch = tw.Architecture.load(checkout / "architectures" / "eyeriss.yaml")
    assert arch == tw.Architecture("eyeriss")
    network = tw.Network.load(str(checkout / "models" / "alexnet.csv"))
    assert network == tw.Network("alexnet")
    example = checkout / "examples" / "eyeriss"
    mapping = tw.Mapping.load(arch, tw.Workload.load(example / "workload.yaml"),
                              example / "mapping.yaml")  # fmt: skip
    assert "Q 14" in mapping.to_yaml()
    rules = tw.Constraints.load(arch, checkout / "examples" / "constraints" / "eyeriss.yaml")
    assert len(rules) == 1
    path = tmp_path / "rules.yaml"
    path.write_text(rules.to_yaml())
    assert tw.Constraints.load(arch, path) == rules


def test_mappings_know_what_they_are_of():
    mapping = toy_mapping()
    assert mapping.architecture == tw.Architecture("toy_linear")
    assert mapping.workload.dims == {"X": 100}
    assert "par_for X in 5" in mapping.nest
    other = tw.Mapping("toy_linear", "O[X] += I[X]; X=100", {"levels": {"DRAM": {"loops": ["X 100"]}}})
    assert other != mapping


def test_layers_are_picked_by_name_and_number():
    network = tw.Network("resnet50")
    assert network["conv1"] == network[0]
    assert network["#1"] == network[0]
    with pytest.raises(tw.InputError):
        network["no such layer"]


def test_explain_describes_formats():
    assert "capacity" in tw.explain("architecture")
    with pytest.raises(tw.InputError, match="no file format"):
        tw.explain("everything")


def test_networks_with_edges_keep_their_graph(tmp_path):
    network = tw.Network("gpt2", sizes={"tokens": 8})
    assert network.macs == tw.network("gpt2", {"tokens": "2 * 4"}).macs
    assert network.summary()["sizes"]["tokens"] == 8
    assert len(network.summary()["graph"]["operators"]) > len(network.layers)
    again = [
        pickle.loads(pickle.dumps(network)),
        tw.Network.from_yaml(network.to_yaml()),
        tw.Network.from_dict(network.to_dict()),
    ]
    path = tmp_path / "network.yaml"
    path.write_text(network.to_yaml(), encoding="utf-8")
    again += [tw.Network.load(path), tw.load(path).network]
    for one in again:
        assert one == network
        assert hash(one) == hash(network)
    with pytest.raises(tw.InputError, match="did you mean tokens"):
        tw.Network("gpt2", sizes={"token": 8})


def test_memories_may_be_uneven_and_calls_overrule_them():
    eyeriss = tw.Architecture("eyeriss")
    marked = eyeriss.with_(GlobalBuffer={"uneven": True})
    assert marked != eyeriss
    assert tw.Architecture.from_dict(marked.to_dict()) == marked

    def among(arch: tw.Architecture, uneven: bool | None) -> str:
        result = tw.map(arch, "gemm: m=16 n=12 k=8", uneven=uneven)
        assert result.proven
        return result.to_dict()["search"]["proof"]["among"]

    both = "all mappings, even and uneven"
    assert [among(eyeriss, one) for one in (None, False, True)] == ["even mappings"] * 2 + [both]
    marks = "all mappings, uneven at marked memories alone"
    assert [among(marked, one) for one in (None, False, True)] == [marks, "even mappings", both]
