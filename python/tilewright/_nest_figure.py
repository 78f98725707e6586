"""The loop nest against the memories, with tiles to scale and the loops that refill them."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from tilewright import _html
from tilewright._figures import Data, axes_of, colours_of, title_of

# Places of the columns, in units of a line's height.
_LOOPS, _TILES, _WIDTH = 7.5, 21.0, 34.0
_TEXT: dict[str, Any] = {"fontsize": 8, "va": "center"}


class _Row(NamedTuple):
    """A slot of the nest that has loops or is a memory."""

    slot: Data
    memory: Data | None
    depth: int  # loops outside it

    @property
    def lines(self) -> float:
        held = len(self.memory["tensors"]) + bool(_shares(self.memory)) if self.memory else 0
        return max(1, len(self.slot["loops"]), held) + 0.5


def _shares(memory: Data) -> list[tuple[str, float]]:
    """What each tensor takes of a memory that has a limit."""
    return [(held["tensor"], held["room_share"]) for held in memory["tensors"] if held["room_share"] is not None]


def _rows(data: Data) -> Iterator[_Row]:
    depth = 0
    memories = {memory["level"]: memory for memory in data["memories"]}
    for slot in data["nest"]:
        temporal = slot["kind"] == "temporal"
        if temporal or slot["loops"]:
            yield _Row(slot, memories.get(slot["level"]) if temporal else None, depth)
        depth += len(slot["loops"])


def _refills(data: Data, level: str, dim: str) -> list[tuple[str, str]]:
    """The tensors and memories that a step of a loop refills."""
    return [
        (held["tensor"], memory["level"])
        for memory in data["memories"]
        for held in memory["tensors"]
        if held["refilled_by"] == {"level": level, "dim": dim}
    ]


class _Drawing:
    """Draws rows from the top down."""

    def __init__(self, ax: Any, data: Data) -> None:
        self.ax = ax
        self.data = data
        self.colours = colours_of([data])
        self.rectangle: Any = importlib.import_module("matplotlib.patches").Rectangle

    def box(self, x: float, y: float, width: float, height: float, **look: Any) -> None:
        self.ax.add_patch(self.rectangle((x, y), width, height, **look))

    def row(self, row: _Row, top: float) -> None:
        spatial = row.slot["kind"] != "temporal"
        self.box(0, top, _WIDTH, row.lines, facecolor="0.94" if spatial else "white",
                 edgecolor="0.6", linewidth=0.6)  # fmt: skip
        name = row.slot["level"] + {"spatial_x": ".x", "spatial_y": ".y"}.get(row.slot["kind"], "")
        self.ax.text(0.3, top + 0.75, name, weight="bold", **_TEXT)
        if row.memory and row.memory["instances"] > 1:
            self.ax.text(0.3, top + 1.65, f"{row.memory['instances']} instances", color="0.35",
                         **{**_TEXT, "fontsize": 6.5})  # fmt: skip
        self.loops(row, top)
        if row.memory:
            self.tiles(row.memory, top)

    def loops(self, row: _Row, top: float) -> None:
        for line, text in enumerate(_html.loop_texts(row.slot)):
            x, y = _LOOPS + 0.35 * (row.depth + line), top + 0.75 + line
            self.ax.text(x, y, text, family="monospace", **_TEXT)
            x += 0.29 * len(text) + 0.6
            dim = row.slot["loops"][line]["dim"]
            for tensor, memory in _refills(self.data, row.slot["level"], dim):
                self.box(x, y - 0.22, 0.44, 0.44, facecolor=self.colours[tensor])
                said = f"{tensor} → {memory}"
                self.ax.text(x + 0.6, y, said, color="0.25", **{**_TEXT, "fontsize": 6.5})
                x += 0.22 * len(said) + 1.1

    def tiles(self, memory: Data, top: float) -> None:
        y = top + 0.75
        shares = _shares(memory)
        if shares:
            self.room(shares, y)
            y += 1
        for held in memory["tensors"]:
            whole = self.data["tensor_words"].get(held["tensor"], held["tile_words"])
            share = min(1.0, held["tile_words"] / whole)
            side = 0.8 * max(0.06, math.sqrt(share))
            self.box(_TILES, y - 0.4, 0.8, 0.8, facecolor="0.93", edgecolor="0.5", linewidth=0.5)
            self.box(_TILES, y - 0.4, side, side, facecolor=self.colours[held["tensor"]])
            said = f"{held['tensor']}: {held['tile_words']:,} words, {100 * share:.3g} % of it"
            self.ax.text(_TILES + 1.2, y, said, **{**_TEXT, "fontsize": 7})
            y += 1

    def room(self, shares: list[tuple[str, float]], y: float) -> None:
        """How much of the memory is taken."""
        width, left = _WIDTH - _TILES - 0.5, 0.0
        self.box(_TILES, y - 0.3, width, 0.6, facecolor="0.97", edgecolor="0.5", linewidth=0.5)
        for tensor, share in shares:
            self.box(_TILES + left, y - 0.3, width * share, 0.6, facecolor=self.colours[tensor])
            left += width * share


def nest(data: Data, ax: Any = None) -> Any:
    """Loops on the left with what each step refills, tiles of the memories to scale on the right."""
    rows = list(_rows(data))
    height = sum(row.lines for row in rows) + 2.9
    ax = axes_of(ax, 8.0, 0.21 * height + 0.4)
    drawing = _Drawing(ax, data)
    for x, said in ((0.3, "level"), (_LOOPS, "loops, and what each step refills"), (_TILES, "tiles, to scale")):
        ax.text(x, 0.5, said, color="0.35", **{**_TEXT, "fontsize": 7})
    top = 1.0
    for row in rows:
        drawing.row(row, top)
        top += row.lines
    ax.text(0.3, top + 0.75, "compute", weight="bold", **_TEXT)
    ax.text(_LOOPS, top + 0.75, data["workload"]["einsum"], family="monospace", **_TEXT)
    ax.set(xlim=(-0.1, _WIDTH + 0.1), ylim=(height, 0))
    ax.axis("off")
    ax.set_title(title_of(data), fontsize="medium")
    return ax
