"""The command ``tilewright`` of the wheel: the tool itself, in this process."""

from __future__ import annotations

import pathlib
import sys
import tempfile

from tilewright import _native
from tilewright._errors import Error

_BAD_INPUT = 2


def main() -> int:
    """Runs the tool with the words of this process; gives its exit code."""
    words = sys.argv[1:]
    if words[:1] == ["import"]:
        from tilewright.importers import command as imports

        return imports.main(words[1:])
    if words[:1] == ["export"]:
        from tilewright.exporters import command as exports

        return exports.main(words[1:])
    if words[:1] and words[0] in ("sweep", "codesign", "results"):
        from tilewright.sweeps import command as sweeps

        return sweeps.main(words[0], words[1:])
    if words[:1] == ["compare"]:
        from tilewright.sweeps import compare

        if compare.names_a_store(words[1:]):
            from tilewright.sweeps import command as sweeps

            return sweeps.main("compare", words[1:])
    if words[:1] == ["report"]:
        from tilewright import _report_command

        return _report_command.main(words[1:])
    if words[:1] == ["plot"]:
        from tilewright import _plot_command

        return _plot_command.main(words[1:])
    if words[:1] == ["explore"]:
        from tilewright import _explore_command

        return _explore_command.main(words[1:])
    if words[:1] and words[0] in ("map", "arena"):
        from tilewright.mappers import _words

        if _words.names_one(words):
            return _run_with_mappers(words)
    if any(word.endswith(".onnx") for word in words):
        return _run_with_model(words)
    return _native.run_tool(["tilewright", *words])


def _run_with_mappers(words: list[str]) -> int:
    """Adds mappers in Python to the table; models of other tools are not imported here."""
    from tilewright.mappers import _words, rows_of

    try:
        rest, mappers = _words.taken(words)
    except Error as error:
        print(error, file=sys.stderr)
        return _BAD_INPUT
    return _native.run_tool(["tilewright", *rest], rows_of(mappers))


def _run_with_model(words: list[str]) -> int:
    """Imports the model of ``--model model.onnx`` before the tool runs."""
    from tilewright.importers.onnx.words import names_a_model, with_networks

    if not names_a_model(words):
        return _native.run_tool(["tilewright", *words])
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        try:
            words = with_networks(words, pathlib.Path(folder))
        except Error as error:
            print(error, file=sys.stderr)
            return _BAD_INPUT
        return _native.run_tool(["tilewright", *words])
