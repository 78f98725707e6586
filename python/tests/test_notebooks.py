"""The notebooks of the examples run from the first cell to the last."""

from __future__ import annotations

import ast
import json
import pathlib
import runpy

import pytest

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("matplotlib.pyplot")  # which not every notebook imports
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"


def run_cell(source: str, names: dict[str, object]) -> object:
    """Runs a cell, and gives the value of its last line if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def show(value: object) -> None:
    """As a notebook does."""
    repr(value)
    for kind in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, kind):
            assert getattr(value, kind)()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch, tmp_path):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"], start=1):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [], "notebooks are kept without outputs"
        try:
            show(run_cell("".join(cell["source"]), names))
        except Exception as error:
            error.add_note(f"in cell {number} of {path.name}")
            raise
    matplotlib.pyplot.close("all")


def test_there_are_five_notebooks():
    assert len(list(FOLDER.glob("*.ipynb"))) == 5


def test_the_search_with_optuna_runs():
    pytest.importorskip("optuna")
    example = runpy.run_path(str(FOLDER.parent / "python" / "optuna_search.py"))
    assert 1 - 1e-9 <= example["main"](40) < float("inf")
