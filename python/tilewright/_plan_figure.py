"""The tree of a plan: what is live in the shared memory while each einsum runs, and what leaves the chip."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from tilewright._figures import COLOURS, Data, axes_of, unit_for

# Places of the columns, in units of a line's height.
_ROOM, _TRAFFIC, _WIDTH = 11.0, 23.0, 36.0
_ROOM_WIDTH, _BAR_WIDTH = 11.0, 4.5
_TEXT: dict[str, Any] = {"fontsize": 8, "va": "center"}
_SMALL: dict[str, Any] = {"fontsize": 6.5, "va": "center"}
_SERIES = [name for name in COLOURS if name not in ("compute", "network", "leakage", "bar")]
_HATCHES = ("", "////", "....")


class _Line(NamedTuple):
    """A loop, or an einsum, below some loops."""

    depth: int
    loop: Data | None
    einsum: Data | None

    @property
    def height(self) -> float:
        if self.einsum is None:
            return 1.0
        lines = sum(_room_lines(room) for room in _rooms(self.einsum))
        return float(max(lines, len(self.einsum["tensors"]))) + 0.4


def _rooms(einsum: Data) -> list[Data]:
    """What is live in the memory that the group shares, then in others where something is at home."""
    shared = {"memory": einsum.get("shared"), "words": einsum["live_words"], "live": einsum["live"]}
    return [shared, *einsum.get("live_elsewhere", [])]


def _columns(room: Data) -> int:
    """How many names of what is live stand in a line."""
    longest = max((len(_name(live)) for live in room["live"]), default=0)
    return 3 if longest <= 13 else 2 if longest <= 21 else 1


def _room_lines(room: Data) -> int:
    """The lines of a bar and of what is said below it."""
    return 2 + -(-len(room["live"]) // _columns(room))


def _lines(einsums: list[Data], depth: int = 0) -> Iterator[_Line]:
    """Einsums one after the other, those below one loop together."""
    at = 0
    while at < len(einsums):
        loops = einsums[at]["shared_loops"]
        if depth == len(loops):
            yield _Line(depth, None, einsums[at])
            at += 1
            continue
        end = at
        while end < len(einsums) and einsums[end]["shared_loops"][depth : depth + 1] == [loops[depth]]:
            end += 1
        yield _Line(depth, loops[depth], None)
        yield from _lines(einsums[at:end], depth + 1)
        at = end


def _name(live: Data) -> str:
    return f"state of {live['einsum']}" if live["is_state"] else str(live["name"])


def _room(data: Data, memory: str) -> float | None:
    """The words that a memory has for tiles; None without a limit."""
    level = next(one for one in data["hardware"]["levels"] if one["name"] == memory)
    capacity = level["capacity"]
    if capacity is None:
        return None
    words = capacity["words"] if "words" in capacity else capacity["bits"] / level["word_bits"]
    return float(words / 2 if level["double_buffered"] else words)


def _placement(tensor: Data) -> str:
    below = tensor["below_loops"]
    home = f" in {tensor['home']}" if "home" in tensor else ""
    if tensor["placement"] != "kept":
        return str(tensor["placement"]) + home
    if below == 0:
        return "kept throughout" + home
    return ("kept below the first loop" if below == 1 else f"kept below {below} loops") + home


def _energy(picojoules: float) -> str:
    unit, size = unit_for(picojoules)
    return f"{picojoules / size:.4g} {unit}"


class _Drawing:
    """Draws lines from the top down."""

    def __init__(self, ax: Any, data: Data) -> None:
        self.ax = ax
        einsums = data["einsums"]
        rooms = [room for one in einsums for room in _rooms(one)]
        self.shared: str = data["shared"]
        self.names = list(dict.fromkeys(room["memory"] or self.shared for room in rooms))
        self.rooms = {name: _room(data, name) for name in self.names}
        named = [tensor["name"] for one in einsums for tensor in one["tensors"]]
        named += [_name(live) for room in rooms for live in room["live"]]
        self.looks = {
            name: {"facecolor": COLOURS[_SERIES[i % len(_SERIES)]],
                   "hatch": _HATCHES[i // len(_SERIES) % len(_HATCHES)], "edgecolor": "white"}
            for i, name in enumerate(dict.fromkeys(named))
        }  # fmt: skip
        # Without a limit bars are to the scale of the largest.
        self.largest = max(1, *(room["words"] for room in rooms))
        self.most = max(1, *(tensor["outer_words"] for one in einsums for tensor in one["tensors"]))
        self.rectangle: Any = importlib.import_module("matplotlib.patches").Rectangle

    def box(self, x: float, y: float, width: float, height: float, **look: Any) -> None:
        self.ax.add_patch(self.rectangle((x, y), width, height, **{"linewidth": 0.4, **look}))

    def line(self, line: _Line, top: float) -> None:
        x = 0.6 + 0.9 * line.depth
        for outer in range(line.depth):
            self.ax.plot([0.8 + 0.9 * outer] * 2, [top, top + line.height], color="0.7", linewidth=0.8)
        if line.loop is not None:
            tile = line.loop.get("tile")
            pieces = "" if tile is None else f", by {tile:,}"
            said = f"for {line.loop['dim']} in {line.loop['count']:,}{pieces}"
            self.ax.text(x, top + 0.5, said, family="monospace", **_TEXT)
        if line.einsum is not None:
            self.leaf(line.einsum, x, top)

    def leaf(self, einsum: Data, x: float, top: float) -> None:
        self.ax.text(x, top + 0.7, einsum["name"], weight="bold", **_TEXT)
        said = f"{_energy(einsum['energy_pj'])}, limited by {einsum['limited_by']}"
        self.ax.text(x, top + 1.6, said, color="0.35", **_SMALL)
        below = top
        for room in _rooms(einsum):
            self.live(room, below)
            below += _room_lines(room)
        for number, tensor in enumerate(einsum["tensors"]):
            self.traffic(tensor, top + 0.7 + number)

    def live(self, room: Data, top: float) -> None:
        name = room["memory"] or self.shared
        words = self.rooms[name]
        full = words or self.largest
        self.box(_ROOM, top + 0.4, _ROOM_WIDTH, 0.6, facecolor="0.95", edgecolor="0.4")
        left = _ROOM
        for live in room["live"]:
            width = _ROOM_WIDTH * live["words"] / full
            self.box(left, top + 0.4, width, 0.6, **self.looks[_name(live)])
            left += width
        where = f" in {name}" if len(self.names) > 1 else ""
        share = "" if words is None else f", {100 * room['words'] / words:.3g} %"
        self.ax.text(_ROOM, top + 1.5, f"{room['words']:,} words{where}{share}", **_SMALL)
        columns = _columns(room)
        for number, live in enumerate(room["live"]):
            x, y = _ROOM + _ROOM_WIDTH / columns * (number % columns), top + 2.3 + number // columns
            self.box(x, y - 0.2, 0.4, 0.4, **self.looks[_name(live)])
            self.ax.text(x + 0.6, y, _name(live), color="0.25", **_SMALL)

    def heading(self) -> str:
        """What stands above the bars of rooms."""
        texts = [name if self.rooms[name] is None else f"{name} of {self.rooms[name]:,.0f}" for name in self.names]
        return "words live in " + ", ".join(texts)

    def traffic(self, tensor: Data, y: float) -> None:
        width = _BAR_WIDTH * tensor["outer_words"] / self.most
        self.box(_TRAFFIC, y - 0.25, width, 0.5, **self.looks[tensor["name"]])
        words = f"{tensor['outer_words']:,}" if tensor["outer_words"] else "stays on the chip"
        said = f"{tensor['name']}: {words} ({_placement(tensor)})"
        self.ax.text(_TRAFFIC + width + 0.3, y, said, **_SMALL)


def plan(data: Data, ax: Any = None) -> Any:
    """Groups with their loops and einsums on the left, what is live in the shared memory against its room in
    the middle, words to and from the outermost memory on the right."""
    groups: dict[str, list[Data]] = {}
    for einsum in data["einsums"]:
        groups.setdefault(einsum["group_first"], []).append(einsum)
    lines = [list(_lines(group)) for group in groups.values()]
    height = 1.2 + sum(1.3 + sum(line.height for line in group) for group in lines)
    ax = axes_of(ax, 9.0, 0.21 * height + 0.5)
    drawing = _Drawing(ax, data)
    outer = data["hardware"]["levels"][0]["name"]
    for x, said in ((_ROOM, drawing.heading()), (_TRAFFIC, f"words to and from {outer}")):
        ax.text(x, 0.5, said, color="0.35", **_SMALL)
    top = 1.0
    for number, (group, energy) in enumerate(zip(lines, data["group_pj"], strict=True)):
        ax.plot([0, _WIDTH], [top + 0.1] * 2, color="0.6", linewidth=0.6)
        ax.text(0.3, top + 0.75, f"Group {number + 1}: {_energy(energy)}", color="0.25", **_TEXT)
        top += 1.3
        for line in group:
            drawing.line(line, top)
            top += line.height
    ax.set(xlim=(-0.1, _WIDTH + 0.1), ylim=(height + 0.2, 0))
    ax.axis("off")
    ax.set_title(f"{data['cascade']} on {data['hardware']['name']}: {_energy(data['energy_pj'])}", fontsize="medium")
    return ax
