"""The command ``tilewright`` that the package brings."""

from __future__ import annotations

import tilewright as tw


def test_it_is_the_tool(run_tool):
    out, _, code = run_tool("--version")
    assert code == 0
    assert out.startswith(f"tilewright {tw.__version__} ")
    out, _, code = run_tool("--help")
    assert code == 0
    for command in ("map", "pareto", "eval", "space", "flex", "check"):
        assert f"\n  {command} " in out


def test_exit_codes_come_through(run_tool):
    assert run_tool("map", "-a", "nowhere", "-w", "gemm: m=4 n=4 k=4")[2] == 2
    assert run_tool("map", "-a", "eyeriss", "-w", "gemm: m=4 n=4 k=4", "-c", "SARows.y: M = 5")[2] == 3
    out, said, code = run_tool("no-such-command")
    assert (out, code) == ("", 2)
    assert "unknown command" in said
