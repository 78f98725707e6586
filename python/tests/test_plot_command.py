"""``tilewright plot``: figures from the command line."""

from __future__ import annotations

import pytest
from tilewright import _plot_command


@pytest.fixture
def plot(results, capsys):
    """Draws results by their names; gives what it printed, its complaints and its exit code."""

    def run(figure, names, out):
        code = _plot_command.main([figure, *[str(results[name]) for name in names], "-o", str(out)])
        said = capsys.readouterr()
        return said.out, said.err, code

    return run


FIGURES = [
    ("energy", "layer", ("GlobalBuffer", "energy (nJ)")),
    ("energy", "network", ("alexnet on eyeriss", "energy (")),
    ("roofline", "network", ("useful MACs per byte of DRAM",)),
    ("pareto", "front", ("cycles", "energy (")),
    ("layers", "network", ("utilisation (%)",)),
    ("nest", "layer", ("GlobalBuffer", "for N in 32", "words, 100 % of it")),
    ("plan", "fusion", ("Group 1", "words live in Buffer of 2,048", "words to and from DRAM", "QK", "S: stays on the chip")),
    ("plan", "plan", ("for m in", "limited by MAC")),
    ("sweep", "sweep", ("cycles", "energy (")),
    ("arena", "arena", ("value over optimum", "loma", "optimal")),
]


@pytest.mark.parametrize(("figure", "result", "said"), FIGURES, ids=lambda one: str(one)[:12])
def test_figures_have_text_that_stays_text(plot, tmp_path, figure, result, said):
    out = tmp_path / "figure.svg"
    assert plot(figure, [result], out) == ("", "", 0)
    text = out.read_text(encoding="utf-8")
    for one in said:
        assert one in text


@pytest.mark.parametrize(("ending", "begins"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_figures_are_written_as_their_name_says(plot, tmp_path, ending, begins):
    out = tmp_path / f"figure.{ending}"
    assert plot("energy", ["layer"], out)[2] == 0
    assert out.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("figure", "given", "name", "complaint"),
    [
        ("energy", ["layer"], "figure.gif", "no figure can be written as that; name a file that ends in .svg"),
        ("pareto", ["layer"], "figure.svg", "this figure is not of such a result; give what `pareto --json`"),
        ("layers", ["front"], "figure.svg", "this figure is not of such a result; give what `map --model"),
        ("sweep", ["layer"], "figure.svg", "this figure is not of such a result; give what `sweep --format json`"),
        ("plan", ["layer"], "figure.svg", "this figure is not of such a result; give what `fuse --cascade F --json`"),
        ("plan", ["fusion", "plan"], "figure.svg", "this figure is of one result; give one file"),
        ("arena", ["arena", "layer"], "figure.svg", "this figure is of one result; give one file"),
        ("energy", ["front"], "figure.svg", "there is no mapping in it"),
        ("energy", ["layer", "network"], "figure.svg", "this figure is of one result; give one file"),
        ("nest", ["network"], "figure.svg", "a loop nest is of one layer; map a layer of it (--layer)"),
        ("energy", ["layer"], "nowhere/figure.svg", "No such file or directory"),
    ],
)
def test_mistakes_are_told(plot, tmp_path, figure, given, name, complaint):
    out = tmp_path / name
    _, said, code = plot(figure, given, out)
    assert code == 2
    assert complaint in said
    assert not out.exists()


def test_the_tool_has_it(run_tool, results, tmp_path):
    out = tmp_path / "figure.svg"
    assert run_tool("plot", "nest", str(results["layer"]), "-o", str(out)) == ("", "", 0)
    assert "GlobalBuffer" in out.read_text(encoding="utf-8")
