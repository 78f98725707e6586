"""``tilewright plot``: figures from the command line."""

from __future__ import annotations

import pytest

WORK = "gemm: m=64 n=64 k=64"


@pytest.fixture(scope="module")
def files(run_tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    made = {
        "layer": ("map", "-a", "eyeriss", "-w", WORK),
        "network": ("map", "-a", "eyeriss", "--model", "alexnet"),
        "front": ("pareto", "-a", "eyeriss", "-w", WORK),
    }
    for name, words in made.items():
        out, said, code = run_tool(*words, "--json")
        assert code == 0, said
        (folder / f"{name}.json").write_text(out, encoding="utf-8")
    return {name: str(folder / f"{name}.json") for name in made}


FIGURES = [
    ("energy", "layer", ("GlobalBuffer", "energy (nJ)")),
    ("energy", "network", ("alexnet on eyeriss", "energy (")),
    ("roofline", "network", ("useful MACs per byte of DRAM",)),
    ("pareto", "front", ("cycles", "energy (")),
    ("layers", "network", ("utilisation (%)",)),
    ("nest", "layer", ("GlobalBuffer", "for N in 32")),
]


@pytest.mark.parametrize(("figure", "result", "said"), FIGURES, ids=lambda one: str(one)[:12])
def test_figures_have_text_that_stays_text(run_tool, files, tmp_path, figure, result, said):
    out = tmp_path / "figure.svg"
    assert run_tool("plot", figure, files[result], "-o", str(out)) == ("", "", 0)
    text = out.read_text(encoding="utf-8")
    for one in said:
        assert one in text


@pytest.mark.parametrize(("ending", "begins"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_figures_are_written_as_their_name_says(run_tool, files, tmp_path, ending, begins):
    out = tmp_path / f"figure.{ending}"
    assert run_tool("plot", "energy", files["layer"], "-o", str(out))[2] == 0
    assert out.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("figure", "results", "name", "complaint"),
    [
        ("energy", ["layer"], "figure.gif", "no figure can be written as that; name a file that ends in .svg"),
        ("pareto", ["layer"], "figure.svg", "this figure is not of such a result; give what `pareto --json`"),
        ("layers", ["front"], "figure.svg", "this figure is not of such a result; give what `map --model"),
        ("energy", ["front"], "figure.svg", "there is no mapping in it"),
        ("energy", ["layer", "network"], "figure.svg", "this figure is of one result; give one file"),
        ("nest", ["network"], "figure.svg", "a loop nest is of one layer; map a layer of it (--layer)"),
        ("energy", ["layer"], "nowhere/figure.svg", "No such file or directory"),
    ],
)
def test_mistakes_are_told(run_tool, files, tmp_path, figure, results, name, complaint):
    out = tmp_path / name
    _, said, code = run_tool("plot", figure, *[files[one] for one in results], "-o", str(out))
    assert code == 2
    assert complaint in said
    assert not out.exists()
