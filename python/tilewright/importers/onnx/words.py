"""``--model model.onnx`` on the command line: the model is imported first."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

from tilewright.importers.command import sizes_of
from tilewright.importers.onnx.convert import import_onnx


def names_a_model(words: Sequence[str]) -> bool:
    """Whether a command is given a model in ONNX."""
    return any(word.startswith("--model=") and word.endswith(".onnx") for word in words) or any(
        option == "--model" and value.endswith(".onnx")
        for option, value in zip(words, words[1:], strict=False)
    )


def with_networks(words: Sequence[str], folder: pathlib.Path) -> list[str]:
    """The same command with a network in place of the model; ``--size`` is for the model."""
    kept: list[str] = []
    sizes: list[str] = []
    rest = [part for word in words for part in _split(word)]
    while rest:
        word = rest.pop(0)
        if word == "--size" and rest:
            sizes.append(rest.pop(0))
        else:
            kept.append(word)
    for at, word in enumerate(kept):
        if word == "--model" and kept[at + 1 : at + 2] and kept[at + 1].endswith(".onnx"):
            kept[at + 1] = _imported(pathlib.Path(kept[at + 1]), sizes_of(sizes), folder)
    return kept


def _split(word: str) -> list[str]:
    """``--model=x`` as two words."""
    option, equals, value = word.partition("=")
    return [option, value] if equals and option in ("--model", "--size") else [word]


def _imported(path: pathlib.Path, sizes: dict[str, int], folder: pathlib.Path) -> str:
    network = folder / f"{path.stem}.yaml"
    network.write_text(import_onnx(path, sizes).files["network.yaml"], encoding="utf-8")
    return str(network)
