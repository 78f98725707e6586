"""Values made at random come back from texts, dictionaries and pickles as they were."""

from __future__ import annotations

import pickle
import string

import tilewright as tw
from hypothesis import given
from hypothesis import strategies as st

names = st.text(string.ascii_letters + "_", min_size=1, max_size=8)
sizes = st.integers(1, 512)
texts = st.text(min_size=0, max_size=20)


@st.composite
def workloads(draw) -> tw.Workload:
    dims = draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=6, unique=True))
    cut = draw(st.integers(1, len(dims) - 1))
    output = dims[:cut]
    left = draw(st.lists(st.sampled_from(dims), min_size=1, unique=True))
    right = [dim for dim in dims if dim not in left or draw(st.booleans())] or dims
    if not set(output) <= set(left) | set(right):
        right = dims
    einsum = f"O[{','.join(output)}] += A[{','.join(left)}]*B[{','.join(right)}]"
    return tw.Workload({
        "workload": draw(names), "einsum": einsum,
        "sizes": {dim: draw(sizes) for dim in dims if dim in set(left) | set(right)},
        "bits": draw(st.integers(1, 64)),
    })  # fmt: skip


@st.composite
def architectures(draw) -> tw.Architecture:
    word = draw(st.sampled_from(["words", "KiB", "bits"]))
    levels = [{"memory": "DRAM", "capacity": "unlimited", "read": f"{draw(st.integers(0, 99))} pJ"}]
    for number in range(draw(st.integers(0, 3))):
        levels.append({
            "memory": f"M{number}", "capacity": f"{draw(st.integers(64, 4096))} {word}",
            "read": f"{draw(st.integers(0, 999)) / 100} pJ",
            "double_buffered": draw(st.booleans()),
        })  # fmt: skip
        if draw(st.booleans()):
            levels.append({"fanout": f"F{number}", "x": {"size": draw(st.integers(1, 32))},
                           "multicast": draw(st.booleans())})  # fmt: skip
    levels.append({"compute": "MAC", "energy": f"{draw(st.integers(0, 9)) / 10} pJ"})
    return tw.Architecture({"architecture": draw(names), "levels": levels})


@given(workloads())
def test_workloads_come_back(work):
    assert tw.Workload.from_dict(work.to_dict()) == work
    assert tw.Workload.from_yaml(work.to_yaml()) == work
    assert pickle.loads(pickle.dumps(work)) == work
    assert work.with_() == work
    assert hash(pickle.loads(pickle.dumps(work))) == hash(work)


@given(architectures())
def test_architectures_come_back(arch):
    assert tw.Architecture.from_dict(arch.to_dict()) == arch
    assert tw.Architecture.from_yaml(arch.to_yaml()) == arch
    assert pickle.loads(pickle.dumps(arch)) == arch
    assert arch.with_() == arch


@given(architectures(), st.integers(0, 2**59))
def test_mappings_come_back(arch, seed):
    work = tw.Workload("gemm: m=12 n=8 k=6")
    mapping = tw.space(arch, work, mapspace="ruby").sample(1, seed)[0]
    assert tw.Mapping(arch, work, mapping.to_dict()) == mapping
    assert tw.Mapping(arch, work, mapping.to_yaml()) == mapping
    assert pickle.loads(pickle.dumps(mapping)) == mapping


leaves = st.none() | st.booleans() | st.integers() | st.floats() | texts
documents = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=10,
)
keys = st.sampled_from(["architecture", "workload", "levels", "gemm", "einsum", "sizes", "memory",
                        "capacity", "constraints", "mapping"])  # fmt: skip


@given(st.dictionaries(keys | texts, documents, max_size=4))
def test_any_dictionary_is_read_or_refused(document):
    for read in (
        tw.Architecture,
        tw.Workload,
        lambda d: tw.Mapping("eyeriss", "gemm: m=4 n=4 k=4", d),
        lambda d: tw.Constraints("eyeriss", d),
    ):
        try:
            read(document)
        except tw.InputError as error:
            assert error.problems
            assert all(problem.message for problem in error.problems)


@given(texts | st.binary(max_size=30).map(lambda b: b.decode("latin-1")))
def test_any_text_is_read_or_refused(text):
    for read in (tw.Workload, tw.Architecture, tw.Network, tw.Architecture.from_yaml,
                 tw.Workload.from_yaml, tw.Network.from_csv):  # fmt: skip
        try:
            read(text)
        except tw.InputError as error:
            assert error.problems
