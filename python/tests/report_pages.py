"""Results of each kind that the tests of pages look at, and how they read a page."""

from __future__ import annotations

import json
import pathlib

WORK = "gemm: m=64 n=64 k=64"
SMALL_NETWORK = "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\nsmall,1,gemm,1,16,8,1,1,1,1,1,1\n"
FUSING = """
architecture: fusing
levels:
  - {memory: DRAM, capacity: unlimited, read: 100 pJ}
  - {memory: Buffer, capacity: 2048 words, read: 2 pJ}
  - {memory: Registers, capacity: 16 words, read: 1 pJ}
  - {compute: MAC, energy: 1 pJ}
"""
MANY = 300
SIZES = {"laptop": (1280, 800), "phone": (390, 844)}
_ALEXNET = ("map", "-a", "eyeriss", "--model", "alexnet")
_SWEEP = ("sweep", "--model", "SMALL", "--quiet", "--set", "GlobalBuffer.capacity=32 KiB,64 KiB", "--store", "STORE")
COMMANDS = {
    "layer": ("map", "-a", "eyeriss", "-w", WORK, "--set", "clock=200MHz"),
    "small": ("map", "-a", "eyeriss", "-w", "gemm: m=10 n=6 k=4", "--mapspace", "ruby-s"),
    "network": _ALEXNET,
    "larger": (*_ALEXNET, "--set", "GlobalBuffer.capacity=512KiB"),
    "front": ("pareto", "-a", "eyeriss", "-w", WORK),
    "comparison": ("compare", "eyeriss", "simba", "-w", WORK),
    "array": ("map", "-a", "gemmini", "-w", WORK, "--set", "SACols.fill=diagonal"),
    "uneven": ("map", "-a", "eyeriss", "-w", WORK, "--uneven"),
    "study": ("flex", "isolate", "--model", "SMALL"),
    "sweep": (*_SWEEP, "-a", "eyeriss", "--set", "SACols.x=8,14"),
    "other_sweep": (*_SWEEP, "-a", "simba"),
    "codesign": ("codesign", "-a", "toy_array", "--model", "SMALL", "--set", "Buffer.capacity=1..2 KiB", "--store", "STORE", "--quiet"),
    "arena": ("arena", "-a", "toy_array", "--model", "SMALL", "--mappers", "loma,random"),
    "space": ("space", "-a", "toy_array", "-w", WORK),
    "flex_space": ("space", "-a", "flex_1024", "--flex", "P={CK,YX},S=bands(16)", "-w", WORK, "--mapspace", "pfm"),
    "flex_design": ("flex", "design", "--model", "SMALL", "--flex", "P=CK,S=bands(16)", "--nodes", "100"),
    "flexion": ("flex", "measure", "-a", "flex_1024", "--model", "SMALL"),
    "plan": ("eval", "-a", "FUSING", "--cascade", "attention", "--size", "tokens=64", "--size", "heads=1", "-m", "PLAN", "--optimum"),
    "fused_network": ("fuse", "-a", "FUSING", "--model", "gpt2", "--size", "tokens=16", "--size", "layers=1"),
    "fusion": ("fuse", "-a", "FUSING", "--cascade", "attention", "--size", "tokens=16", "--size", "heads=2"),
}


class Results:
    """Files with what commands printed, made when they are first asked for."""

    def __init__(self, run_tool, folder: pathlib.Path) -> None:
        self.run_tool, self.folder = run_tool, folder
        (folder / "small.csv").write_text(SMALL_NETWORK, encoding="utf-8")
        (folder / "fusing.yaml").write_text(FUSING, encoding="utf-8")
        plan = pathlib.Path(__file__).resolve().parents[2] / "examples" / "flash_attention" / "plan.yaml"
        self.places = {"SMALL": folder / "small.csv", "FUSING": folder / "fusing.yaml",
                       "STORE": folder / "sweep.db", "PLAN": plan}  # fmt: skip

    def __getitem__(self, name: str) -> pathlib.Path:
        path = self.folder / f"{name}.json"
        if not path.exists():
            path.write_text(self.many() if name == "many" else self.printed(name), encoding="utf-8")
        return path

    def printed(self, name: str) -> str:
        words = [str(self.places.get(word, word)) for word in COMMANDS[name]]
        how = ("--format", "json") if words[0] == "sweep" else ("--json",)
        out, said, code = self.run_tool(*words, *how)
        assert code == 0, said
        return out

    def many(self) -> str:
        """A network of many layers, with names that look like HTML."""
        data = self.data("network")
        kinds = data["layers"]
        data["layers"] = [{**kinds[i % len(kinds)], "name": f"layer_{i:03}<b>&amp;"} for i in range(MANY)]
        return json.dumps(data)

    def data(self, name: str):
        return json.loads(self[name].read_text(encoding="utf-8"))


def values(page, place):
    """The exact numbers in a part of the page."""
    return [float(text) for text in page.eval_on_selector_all(f"{place} data", "all => all.map(one => one.value)")]


def rows(page, place):
    """The exact numbers of a table, row by row."""
    get = "all => all.map(row => [...row.querySelectorAll('data')].map(one => one.value))"
    found = page.eval_on_selector_all(f"{place} tbody tr", get)
    return [[float(text) for text in row] for row in found]


def texts(page, place):
    return [text.strip() for text in page.locator(place).all_text_contents()]
