"""Mappers in Python, on the command line: rows of one's own, and CoSA."""

from __future__ import annotations

import json
import pathlib

import pytest

import tilewright as tw
from tilewright import _command_line
from tilewright.mappers import rows_of

SMALL = (
    "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\n"
    "small,1,gemm,4,16,8,1,1,1,1,1,1\n"
    "small,2,conv,1,8,4,6,6,3,3,1,1\n"
)

MODULE = '''
import tilewright as tw

class Sampled:
    name = "sampled"
    summary = "some mappings of the space"

    def search(self, task):
        space = tw.space(task.architecture, task.workload, mapspace=task.mapspace)
        for mapping in space.sample(50, seed=task.seed):
            yield mapping.to_row()

MAPPERS = [Sampled()]
'''


@pytest.fixture
def network(tmp_path: pathlib.Path) -> str:
    (tmp_path / "small.csv").write_text(SMALL)
    return str(tmp_path / "small.csv")


@pytest.fixture
def module(tmp_path: pathlib.Path) -> str:
    (tmp_path / "module.py").write_text(MODULE)
    return str(tmp_path / "module.py")


def run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["tilewright", *words])
    return _command_line.main()


def output(words: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> dict:  # type: ignore[type-arg]
    code = run([*words, "--json", "-q"], monkeypatch)
    printed = capfd.readouterr()
    assert code == 0, printed.err
    return json.loads(printed.out)  # type: ignore[no-any-return]


def test_a_mapper_of_a_file_is_in_the_arena(
    network: str, module: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["arena", "-a", "toy_array", "--model", network, "--mappers", "loma,sampled"]
    arena = output([*words, "--mapper-module", module], monkeypatch, capfd)
    assert [one["mapper"] for one in arena["standings"]] == ["optimal", "loma", "sampled"]
    for layer in arena["layers"]:
        sampled = layer["runs"][2]
        assert sampled["mappings_seen"] == 50
        assert sampled["value"] >= layer["best"]


def test_limits_end_it(
    network: str, module: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["map", "-a", "toy_array", "-w", "gemm: m=16 n=16 k=16", "--mapper", "sampled"]
    mapped = output([*words, f"--mapper-module={module}", "--evaluations", "7"], monkeypatch, capfd)
    assert mapped["search"]["seen"] == 7


def test_the_same_seed_gives_the_same(
    module: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["map", "-a", "toy_array", "-w", "gemm: m=16 n=16 k=16", "--mapper", "sampled"]
    values = [
        output([*words, "--mapper-module", module, "--seed", seed], monkeypatch, capfd)["result"]["edp_pj_cycles"]
        for seed in ("1", "1", "2")
    ]
    assert values[0] == values[1] != values[2]


def test_a_row_that_is_not_allowed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        name = "wrong"
        summary = "no mapping"

        def search(self, task: tw.mappers.Task) -> list[list[int]]:
            return [[1, 2, 3]]

    words = ["tilewright", "map", "-a", "toy_array", "-w", "gemm: m=4 n=4 k=4", "--mapper", "wrong", "-q"]
    with pytest.raises(ValueError, match="a row has"):
        tw._native.run_tool(words, rows_of([Wrong()]))


def test_what_a_mapper_raises_arrives() -> None:
    class Broken:
        name = "broken"
        summary = "raises"

        def search(self, task: tw.mappers.Task) -> list[list[int]]:
            raise KeyError(task.dims[0][0])

    words = ["tilewright", "map", "-a", "toy_array", "-w", "gemm: m=4 n=4 k=4", "--mapper", "broken", "-q"]
    with pytest.raises(KeyError, match="M"):
        tw._native.run_tool(words, rows_of([Broken()]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no such file; name a file in Python"),
        ("x = 1", "it has no list of mappers; write MAPPERS = [...]"),
        ("MAPPERS = [1]", "1 is no mapper; give it name, summary and search"),
    ],
)
def test_files_without_mappers_are_refused(
    text: str | None,
    message: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "file.py"
    if text is not None:
        file.write_text(text)
    assert run(["arena", "--mapper-module", str(file)], monkeypatch) == 2
    assert capfd.readouterr().err.startswith(f"{file}: {message}")


def test_a_file_is_needed_behind_the_option(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["map", "--mapper-module"], monkeypatch) == 2
    assert capfd.readouterr().err == "--mapper-module: a file is missing; name a file in Python\n"


# --- CoSA -------------------------------------------------------------------------


def test_cosa_is_never_better_than_the_optimum(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    network = tmp_path / "products.csv"
    network.write_text("".join(SMALL.splitlines(keepends=True)[:2]))
    words = ["arena", "-a", "toy_array", "--model", str(network), "--mappers", "cosa"]
    arena = output(words, monkeypatch, capfd)
    for layer in arena["layers"]:
        assert layer["proven"]
        found = layer["runs"][1]["value"]
        assert found is not None
        assert found >= layer["best"] * (1 - 1e-12)


def test_cosa_keeps_to_constraints(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["map", "-a", "toy_array", "-w", "gemm: m=16 n=16 k=16", "--mapper", "cosa"]
    rules = ["-c", "Registers: M = 2", "-c", "Buffer: K = 1", "--full"]
    mapped = output([*words, *rules], monkeypatch, capfd)
    assert mapped["result"]["utilisation"] == 1


def test_cosa_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "highspy", None)
    words = ["map", "-a", "toy_array", "-w", "gemm: m=4 n=4 k=4", "--mapper", "cosa"]
    assert run(words, monkeypatch) == 2
    assert "pip install 'tilewright[cosa]'" in capfd.readouterr().err
