"""The command ``tilewright`` of the wheel: the tool itself, in this process."""

from __future__ import annotations

import sys

from tilewright import _native


def main() -> int:
    """Runs the tool with the words of this process; gives its exit code."""
    if sys.argv[1:2] == ["import"]:
        from tilewright.importers import command

        return command.main(sys.argv[2:])
    if sys.argv[1:2] == ["export"]:
        from tilewright.exporters import command as exports

        return exports.main(sys.argv[2:])
    return _native.run_tool(["tilewright", *sys.argv[1:]])
