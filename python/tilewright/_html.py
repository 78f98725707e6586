"""How values and results look in a notebook. Readable in grey, and without scripts."""

from __future__ import annotations

from html import escape
from typing import Any

_FONT = "font-family:ui-monospace,monospace;font-size:13px;line-height:1.45"
_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top;border:none"
_NUMBER = "padding:2px 10px 2px 0;text-align:right;vertical-align:top;border:none"
_MUTED = "opacity:.65"
# Dark to light, so that the parts of a bar can be told apart in grey.
SHADES = ("#1f4e79", "#4f8fc4", "#9cc3e5", "#c9c9c9", "#7f7f7f", "#e0b070", "#a05a2c", "#d9d9d9")


def quantity(number: float, unit: str) -> str:
    """Four digits and a prefix: ``3.142 uJ``."""
    for prefix, size in (("", 1.0), ("m", 1e-3), ("u", 1e-6), ("n", 1e-9), ("p", 1e-12)):
        if abs(number) >= size:
            return f"{number / size:.4g} {prefix}{unit}"
    return f"{number:.4g} {unit}"


def energy(picojoules: float) -> str:
    return quantity(picojoules * 1e-12, "J")


def proof_line(search: dict[str, Any]) -> str:
    """The proof in a line."""
    proof = search["proof"]
    if proof is None:
        return f"found by {search['found_by']}, nothing is proven"
    if proof["proven"]:
        return f"proven: no other of the {proof['among']} is better"
    if proof["gap"] is None:
        return f"not proven ({proof['end']})"
    return f"at most {100 * proof['gap']:.3g} % above the best ({proof['end']})"


def _table(rows: list[list[str]], heading: list[str], numbers: set[int]) -> str:
    def cells(row: list[str], tag: str) -> str:
        return "".join(
            f'<{tag} style="{_NUMBER if i in numbers else _CELL}">{cell}</{tag}>'
            for i, cell in enumerate(row)
        )

    head = f"<tr>{cells([escape(h) for h in heading], 'th')}</tr>" if heading else ""
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f'<table style="border-collapse:collapse;{_FONT}"><thead>{head}</thead><tbody>{body}</tbody></table>'


def _bar(parts: list[tuple[str, float]], most: float) -> str:
    """A bar of segments; each says on hovering what it is."""
    segments = "".join(
        f'<span title="{escape(name)}: {energy(value)}" style="display:inline-block;height:12px;'
        f'width:{220 * value / most:.1f}px;background:{SHADES[i % len(SHADES)]}"></span>'
        for i, (name, value) in enumerate(parts)
        if value > 0
    )
    return f'<span style="white-space:nowrap;line-height:0">{segments}</span>'


def _legend(names: list[str]) -> str:
    return " &nbsp; ".join(
        f'<span style="display:inline-block;width:10px;height:10px;background:{SHADES[i % len(SHADES)]}">'
        f"</span> {escape(name)}"
        for i, name in enumerate(names)
    )


def energy_parts(evaluation: dict[str, Any]) -> list[tuple[str, list[tuple[str, float]]]]:
    """By level, what it spends on each tensor and on the rest; in the order of the levels."""
    tensors = [tensor["name"] for tensor in evaluation["workload"]["tensors"]]
    levels: list[tuple[str, list[tuple[str, float]]]] = []
    for memory in evaluation["memories"]:
        spent = {held["tensor"]: float(held["energy_pj"]["sum"]) for held in memory["tensors"]}
        parts = [(name, spent.get(name, 0.0)) for name in tensors]
        levels.append((memory["level"], [*parts, ("other", float(memory["leakage_pj"]))]))
    nothing = [(name, 0.0) for name in tensors]
    for fanout in evaluation["fanouts"]:
        if fanout["network_pj"]:
            levels.append((fanout["level"], [*nothing, ("other", float(fanout["network_pj"]))]))
    compute = float(evaluation["compute"]["energy_pj"])
    return [*levels, ("compute", [*nothing, ("other", compute)])]


def loop_texts(slot: dict[str, Any]) -> list[str]:
    """``for M in 4``, with what the last pass has where it differs."""
    word = "for" if slot["kind"] == "temporal" else "par"
    return [
        f"{word} {loop['dim']} in {loop['bound']}"
        + (f" (last {loop['last']})" if loop["last"] != loop["bound"] else "")
        for loop in slot["loops"]
    ]


def evaluation(data: dict[str, Any], proof: str) -> str:
    """The totals, the loop nest against the levels with their energy, the proof in a line."""
    spent = dict(energy_parts(data))
    most = max((sum(value for _, value in parts) for parts in spent.values()), default=0) or 1.0
    rows: list[list[str]] = []
    depth = 0
    for slot in data["nest"]:
        name = slot["level"] + {"spatial_x": ".x", "spatial_y": ".y"}.get(slot["kind"], "")
        loops = loop_texts(slot)
        if slot["kind"] != "temporal" and not loops:
            continue
        nest = "<br>".join("&nbsp;" * 2 * (depth + i) + escape(text) for i, text in enumerate(loops))
        depth += len(loops)
        parts = spent.get(slot["level"], []) if slot["kind"] == "temporal" else []
        total = sum(value for _, value in parts)
        keeps = escape(" ".join(slot.get("keeps", [])))
        rows.append([f"<b>{escape(name)}</b>", nest, keeps,
                     energy(total) if total else "", _bar(parts, most)])  # fmt: skip
    for name, parts in list(spent.items())[len(data["memories"]):]:
        total = sum(value for _, value in parts)
        rows.append([f"<b>{escape(name)}</b>", "", "", energy(total), _bar(parts, most)])
    totals = (
        f"<b>{escape(data['workload']['name'])}</b> on <b>{escape(data['architecture'])}</b>: "
        f"{energy(data['energy_pj'])}, {data['cycles']:,} cycles, utilisation "
        f"{100 * data['utilisation']:.3g} %, limited by {escape(data['bottleneck']['level'])}"
    )
    names = [tensor["name"] for tensor in data["workload"]["tensors"]] + ["other"]
    line = f'<div style="{_FONT};{_MUTED}">{escape(proof)}</div>' if proof else ""
    table = _table(rows, ["level", "loops", "keeps", "energy", ""], {3})
    return (f'<div style="{_FONT}">{totals}</div>{line}{table}'
            f'<div style="{_FONT}">{_legend(names)}</div>')  # fmt: skip


def network(data: dict[str, Any], proven: bool) -> str:
    """A row for each layer."""
    rows: list[list[str]] = []
    for layer in data["layers"]:
        result = layer.get("result")
        if result is None:
            cells = ["-", "-", "-", escape(layer["status"])]
        else:
            cells = [energy(result["energy_pj"]), f"{result['cycles']:,}",
                     f"{100 * result['utilisation']:.3g} %",
                     escape(result["bottleneck"]["level"])]  # fmt: skip
        rows.append([escape(layer["name"]), str(layer["count"]), *cells])
    totals = data["totals"]
    head = f"<b>{escape(data['network'])}</b> on <b>{escape(data['architecture'])}</b>"
    if totals:
        head += (f": {energy(totals['energy_pj'])}, {totals['cycles']:,} cycles, utilisation "
                 f"{100 * totals['utilisation']:.3g} %")  # fmt: skip
    line = "proven: no choice of even mappings is better" if proven else "not proven"
    table = _table(rows, ["layer", "count", "energy of one", "cycles of one", "utilisation",
                          "limited by"], {1, 2, 3, 4})  # fmt: skip
    return (f'<div style="{_FONT}">{head}</div>'
            f'<div style="{_FONT};{_MUTED}">{line}</div>{table}')  # fmt: skip


def front(data: dict[str, Any]) -> str:
    """A row for each point."""
    rows = [
        [f"{point['cycles']:,}", energy(point["energy_pj"]), f"{point['edp_pj_cycles']:.4g}"]
        for point in data["points"]
    ]
    return _table(rows, ["cycles", "energy", "EDP (pJ*cycles)"], {0, 1, 2})


def architecture(data: dict[str, Any]) -> str:
    """A row for each level."""
    rows: list[list[str]] = []
    for level in data["levels"]:
        rows.append([f"<b>{escape(level['name'])}</b>", level["kind"], f"{level['instances']:,}",
                     _size_of(level), _energy_of(level)])  # fmt: skip
    head = f'<div style="{_FONT}"><b>{escape(data["name"])}</b> {escape(data["technology"])}</div>'
    return head + _table(rows, ["level", "kind", "instances", "size", "energy"], {2, 4})


def _size_of(level: dict[str, Any]) -> str:
    if level["kind"] == "fanout":
        return f"{level['x']['size']} x {level['y']['size']}"
    if level["kind"] == "compute":
        return ""
    capacity = level["capacity"]
    if capacity is None:
        return "unlimited"
    return f"{capacity['words']:,} words" if "words" in capacity else f"{capacity['bits']:,} bits"


def _energy_of(level: dict[str, Any]) -> str:
    key = {"memory": "read_pj", "fanout": "word_pj", "compute": "mac_pj"}[level["kind"]]
    return f"{level[key]:g} pJ"


def nest_text(text: str) -> str:
    return f'<pre style="{_FONT}">{escape(text)}</pre>'
