"""docs/json.schema.json describes exactly what the commands print with --json."""

from __future__ import annotations

import json
import runpy

import pytest
from jsonschema import Draft202012Validator

SMALL = "gemm: m=4 n=4 k=4"
SMALL_GPT2 = [word for size in ("tokens=16", "layers=1", "hidden=32", "heads=4", "head=8", "inner=128",
                                "vocabulary=101") for word in ("--size", size)]
NETWORK = (
    "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\nsmall,1,gemm,1,16,8,1,1,1,1,1,1\n"
)
# An architecture in which everything is given that JSON can hold.
EVERYTHING = """
architecture: everything
technology: 28 nm
clock: 1 GHz
levels:
  - memory: DRAM
    capacity: unlimited
    word: 8 bits
    dram: lpddr4
  - memory: Buffer
    capacity: 4096 words
    partitions: {weight: 1 KiB}
    dims: [M, N]
  - {fanout: array, x: {size: 4, dims: [M]}}
  - {compute: MAC, imported: {from: a table, energy: 1 pJ}}
constraints:
  - {level: Buffer, factors: {M: all}, order: {innermost: [N]}, dims: [M], keep: [input]}
  - {level: array, least_use: 0.5}
"""
FUSING = """
architecture: fusing
levels:
  - {memory: DRAM, capacity: unlimited, read: 100 pJ}
  - {memory: Buffer, capacity: 2048 words, read: 2 pJ}
  - {memory: Registers, capacity: 16 words, read: 1 pJ}
  - {compute: MAC, energy: 1 pJ}
"""
MANY_TILES = "conv2d: in_channels=1024 out_channels=1024 p=700 q=700 r=7 s=7"
RUNS = (
    ("archs",),
    ("arena", "-a", "toy_array", "--model", "NETWORK", "--mappers", "loma"),
    ("flex", "classify", "flex_1024"),
    ("flex", "isolate", "--model", "NETWORK"),
    ("flex", "futureproof", "NETWORK", "NETWORK"),
    ("arch", "show", "toy_array", "--set", "Array.halo=shared"),
    ("flex", "design", "--model", "NETWORK", "--nodes", "2000"),
    ("pareto", "-a", "flex_1024", "-w", "gemm: m=12 n=4 k=4", "--flex", "P={CK,YK},S=bands(16)"),
    ("space", "-a", "flex_1024", "-w", "gemm: m=12 n=4 k=4", "--flex", "P={CK,YK},S=bands(16)"),
    ("map", "-a", "flex_1024", "-w", SMALL),
    ("models",),
    ("models", "quickflow"),
    ("models", "gpt2"),
    ("models", "gpt2", "--layer", "#1"),
    ("space", "-a", "toy_array", "-w", SMALL),
    ("map", "-a", "toy_array", "-w", SMALL),
    ("map", "-a", "toy_array", "-w", SMALL, "--mapper", "random"),
    ("map", "-a", "eyeriss", "-w", SMALL, "--uneven"),
    ("map", "-a", "toy_array", "-w", SMALL, "--roles", "any"),
    ("map", "-a", "toy_array", "--model", "ncf"),
    ("map", "-a", "toy_array", "--model", "ncf", "--set", "clock=1GHz", "--objective", "ed2p"),
    ("map", "-a", "gemmini", "-w", SMALL, "--set", "SACols.fill=diagonal"),
    ("compare", "toy_array", "toy_linear", "-w", SMALL),
    ("pareto", "-a", "toy_array", "-w", "gemm: m=12 n=4 k=4"),
    ("flex", "measure", "-a", "flex_1024", "-w", "gemm: m=12 n=4 k=4"),
    ("flex", "measure", "-a", "flex_1024", "-w", MANY_TILES, "--samples", "100"),
    ("sweep", "-a", "toy_array", "--model", "NETWORK", "--set", "Buffer.capacity=1..2 KiB", "--store", "STORE"),
    ("codesign", "-a", "toy_array", "--model", "NETWORK", "--set", "Buffer.capacity=1..2 KiB", "--store", "STORE"),
    ("fuse", "-a", "FUSING", "--cascade", "attention", "--size", "tokens=16", "--size", "heads=2"),
    ("fuse", "-a", "FUSING", "--cascade", "attention", "--size", "tokens=61", "--size", "heads=1", "--remainders"),
    ("fuse", "-a", "FUSING", "--cascade", "mlp", "--size", "tokens=4", "--size", "hidden=4", "--longest-group", "1"),
    ("fuse", "-a", "examples/two_shared_memories/arch.yaml", "--cascade", "attention", "--size", "tokens=64",
     "--size", "heads=1", "--shared", "L2,L1"),
    ("fuse", "-a", "FUSING", "--model", "gpt2", *SMALL_GPT2),
    ("fuse", "-a", "FUSING", "--model", "gpt2", *SMALL_GPT2, "--objective", "latency"),
    ("eval", "-a", "FUSING", "--cascade", "attention", "--size", "tokens=64", "--size", "heads=1",
     "-m", "examples/flash_attention/plan.yaml", "--optimum"),
    ("eval", "-a", "FUSING", "--cascade", "attention", "--size", "tokens=64", "--size", "heads=1",
     "-m", "examples/flash_attention/plan.yaml"),
    ("eval", "-a", "examples/two_shared_memories/arch.yaml", "--cascade", "attention", "--size", "tokens=1024",
     "--size", "heads=1", "-m", "examples/two_shared_memories/plan.yaml"),
    ("eval", "-a", "examples/two_shared_memories/arch.yaml", "--cascade", "attention", "--size", "tokens=64",
     "--size", "heads=1", "-m", "OWN_MEMORY"),
    ("workload", "show", "examples/workloads/mttkrp.yaml"),
    ("workload", "show", "examples/workloads/dilated.yaml"),
    ("arch", "show", "EVERYTHING"),
    ("arch", "show", "gemmini"),
    ("arch", "show", "flex_1024"),
    ("eval", "-a", "toy_array", "-w", "examples/toy_array/workload.yaml",
     "-m", "examples/toy_array/mapping.yaml"),
    ("eval", "-a", "ruby_eyeriss_14x12", "-w", "examples/workloads/alexnet_conv2.yaml",
     "-m", "examples/ruby_eyeriss_14x12/mapping.yaml"),
)  # fmt: skip


@pytest.fixture(scope="module")
def schema(checkout):
    return json.loads((checkout / "docs" / "json.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def printed(checkout, run_tool, tmp_path_factory):
    """What the runs print, each beside its words."""
    folder = tmp_path_factory.mktemp("schema")
    files = {"NETWORK": folder / "small.csv", "EVERYTHING": folder / "everything.yaml"}
    files["STORE"] = folder / "sweep.db"
    files["OWN_MEMORY"] = folder / "own_memory.yaml"
    files["OWN_MEMORY"].write_text("plan: [{shared: L1, do: [QK, AV]}]", encoding="utf-8")
    files["FUSING"] = folder / "fusing.yaml"
    files["FUSING"].write_text(FUSING, encoding="utf-8")
    files["NETWORK"].write_text(NETWORK, encoding="utf-8")
    files["EVERYTHING"].write_text(EVERYTHING, encoding="utf-8")

    def place(word):
        return str(files.get(word, checkout / word if word.startswith("examples/") else word))

    results = []
    for words in RUNS:
        how = ("--format", "json", "--quiet") if words[0] == "sweep" else ("--json",)
        out, said, code = run_tool(*[place(word) for word in words], *how)
        assert code == 0, (words, said)
        results.append((words, json.loads(out)))
    return results


def document_of(schema, value):
    """The definition of a document, by the name that it says first."""
    assert next(iter(value)) == "schema"
    return f"{value['schema'].split('.')[1]}_document"


def complaints(schema, value):
    definition = {"$ref": f"#/$defs/{document_of(schema, value)}", "$defs": schema["$defs"]}
    errors = Draft202012Validator(definition).iter_errors(value)
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in errors]


def test_the_schema_is_one(schema):
    Draft202012Validator.check_schema(schema)


def test_every_output_keeps_to_the_schema(schema, printed):
    for words, value in printed:
        assert complaints(schema, value) == [], words


def test_a_key_that_the_schema_lacks_is_found_at_any_depth(schema, printed):
    network = next(value for words, value in printed if "ncf" in words)
    changed = json.loads(json.dumps(network))
    changed["layers"][0]["result"]["memories"][0]["colour"] = "blue"
    assert any("colour" in line for line in complaints(schema, changed))
    changed = json.loads(json.dumps(network))
    del changed["layers"][0]["result"]["cycles"]
    assert any("cycles" in line for line in complaints(schema, changed))


class Seen:
    """Which keys of which definitions values have."""

    def __init__(self, schema):
        self.defs = schema["$defs"]
        self.keys: set[tuple[str, str]] = set()

    def visit(self, name, value):
        definition = self.defs[name]
        for part in definition.get("allOf", []):
            self.visit(part["$ref"].rpartition("/")[2], value)
        for part in definition.get("oneOf", []):
            kind = part["$ref"].rpartition("/")[2]
            if self.defs[kind]["properties"]["kind"]["const"] == value["kind"]:
                self.visit(kind, value)
        for key, schema in definition["properties"].items():
            if key in value:
                self.keys.add((name, key))
                self.walk(schema, value[key])

    def walk(self, schema, value):
        if "$ref" in schema and isinstance(value, dict):
            self.visit(schema["$ref"].rpartition("/")[2], value)
        for one in schema.get("oneOf", []):
            if value is not None:
                self.walk(one, value)
        if isinstance(value, list) and "items" in schema:
            for entry in value:
                self.walk(schema["items"], entry)
        inner = schema.get("additionalProperties")
        if isinstance(value, dict) and isinstance(inner, dict):
            for entry in value.values():
                self.walk(inner, entry)


def test_every_key_of_the_schema_is_printed_by_some_run(schema, printed):
    seen = Seen(schema)
    for _, value in printed:
        seen.visit(document_of(schema, value), value)
    described = {
        (name, key) for name, one in schema["$defs"].items() for key in one["properties"]
    }
    assert described - seen.keys == set()


def test_the_page_is_up_to_date(checkout, schema):
    """To renew it: python tools/json_schema.py page > docs/json.md"""
    made = runpy.run_path(str(checkout / "tools" / "json_schema.py"))["page"](schema)
    assert (checkout / "docs" / "json.md").read_text(encoding="utf-8") == made
