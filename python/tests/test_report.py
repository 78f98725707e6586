"""``tilewright report``: the page, read in a browser."""

from __future__ import annotations

import json
import pathlib
import re

import pytest
import tilewright as tw
from report_pages import MANY, SIZES, WORK, rows, texts, values

# --- numbers ------------------------------------------------------------------------


def test_figures_of_a_layer_are_those_of_the_json(results, reported, open_page):
    data = results.data("layer")["result"]
    page = open_page(reported("layer"))
    wanted = [data[key] for key in ("energy_pj", "cycles", "edp_pj_cycles", "utilisation")]
    assert values(page, ".figures") == wanted
    assert texts(page, ".figures .big")[0] == f"{data['energy_pj'] / 1e6:.4g} µJ"
    assert page.locator("#nest .level.memory").count() == len(data["memories"])
    loops = [f"{'for' if slot['kind'] == 'temporal' else 'par'} {loop['dim']} in {loop['bound']}"
             for slot in data["nest"] for loop in slot["loops"]]  # fmt: skip
    said = [re.sub(r" on [xy]$", "", text) for text in texts(page, "#nest .loop code")]
    assert said[:-1] == loops
    assert said[-1] == data["workload"]["einsum"]


def test_energies_of_a_layer_are_those_of_the_json(results, reported, open_page):
    data = results.data("layer")["result"]
    page = open_page(reported("layer"))
    shown = rows(page, "#energy")
    assert len(shown) == len(data["memories"]) + 1
    for row, memory in zip(shown, data["memories"], strict=False):
        held = [one["energy_pj"]["sum"] for one in memory["tensors"]]
        assert row[:-1] == held
        assert row[-1] == pytest.approx(sum(held))
    assert sum(row[-1] for row in shown) == pytest.approx(data["energy_pj"])


def test_layers_of_a_network_are_those_of_the_json(results, reported, open_page):
    data = results.data("network")
    page = open_page(reported("network"))
    keys = ("energy_pj", "cycles", "edp_pj_cycles", "utilisation")
    assert rows(page, "#layers") == [
        [layer["count"], layer["macs"], *[layer["result"][key] for key in keys]] for layer in data["layers"]
    ]
    totals = [data["totals"][key] for key in keys]
    assert values(page, ".figures") == totals


def test_refills_name_the_loop_that_the_json_names(results, reported, open_page):
    data = results.data("layer")["result"]
    page = open_page(reported("layer"))
    wanted = {(held["tensor"], memory["level"]) for memory in data["memories"]
              for held in memory["tensors"] if held["refilled_by"]}  # fmt: skip
    assert {tuple(text.split(" → ")) for text in texts(page, "#nest .refill")} == wanted
    assert wanted


def test_differences_are_those_of_the_compare_command(results, reported, open_page):
    data = results.data("comparison")
    page = open_page(reported("comparison"))
    shown = rows(page, "#by-both")
    assert len(shown) == len(data["differences"])
    for row, one in zip(shown, data["differences"], strict=True):
        assert row == pytest.approx([one["a_pj"], one["b_pj"], one["difference_pj"]])


def test_several_results_are_compared(results, reported, open_page):
    page = open_page(reported("network", "larger"), fresh=True)
    totals = [results.data(name)["totals"] for name in ("network", "larger")]
    assert [row[0] for row in rows(page, "#compared")] == [one["energy_pj"] for one in totals]
    differences = values(page, "#by-level tbody tr td:nth-child(4)")
    assert sum(differences) == pytest.approx(totals[1]["energy_pj"] - totals[0]["energy_pj"], rel=1e-6)
    said = page.locator(".compare .sentence").inner_text()
    assert "larger takes" in said and "less energy" in said
    layers = [results.data(name)["layers"] for name in ("network", "larger")]
    saved = {a["name"]: a["count"] * (a["result"]["energy_pj"] - b["result"]["energy_pj"]) for a, b in zip(*layers, strict=True)}
    assert f"By layer, it is mostly the energy of {max(saved, key=saved.__getitem__)} (" in said
    page.locator(".tabs button", has_text="larger").click()
    assert values(page, ".figures")[0] == totals[1]["energy_pj"]


def test_a_result_without_a_mapping_says_why(run_tool, tmp_path, open_page):
    out, _, code = run_tool("map", "-a", "eyeriss", "-w", WORK, "-c", "SARows.y: M = 5", "--json")
    assert code == 3
    (tmp_path / "none.json").write_text(out, encoding="utf-8")
    assert run_tool("report", str(tmp_path / "none.json"), "-o", str(tmp_path / "none.html")) == ("", "", 0)
    page = open_page((tmp_path / "none.html").as_uri())
    said = page.locator(".sentence").inner_text()
    assert "There is no mapping" in said
    assert json.loads(out)["problems"][0].split(";")[0].strip() in said


# --- handling -----------------------------------------------------------------------


def test_tables_are_sorted_by_a_click(reported, open_page):
    page = open_page(reported("network"), fresh=True)

    def energies():
        return values(page, "#layers tbody tr td:nth-child(5)")

    before = energies()
    heading = page.locator("#layers th").nth(4)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert energies() == sorted(before, reverse=True) != before
    heading.locator("button").click()
    assert energies() == sorted(before)


def test_layers_are_searched_and_picked(reported, open_page):
    page = open_page(reported("many"), fresh=True)
    assert page.locator("#layers tbody tr").count() == MANY
    page.get_by_label("Search").fill("layer_29")
    assert page.locator("#layers tbody tr").count() == 10
    page.get_by_label("Search").fill("layer_299")
    page.locator("#layers .pick").click()
    assert page.locator("#details > h2").inner_text() == "layer_299<b>&amp;"
    assert page.locator("#details #picked-nest .level").count() > 3
    page.get_by_label("Search").fill("no such layer")
    assert page.locator("#layers tbody tr").count() == 0


def test_a_layer_is_picked_by_keyboard_alone(reported, open_page):
    page = open_page(reported("network"), fresh=True)
    page.locator("#layers .pick").nth(2).focus()
    page.keyboard.press("Enter")
    name = page.locator("#layers .pick").nth(2).inner_text()
    assert page.locator("#details > h2").inner_text() == name
    assert page.locator("#layers .pick").nth(2).get_attribute("aria-pressed") == "true"


def test_tiles_show_the_loop_that_refills_them(reported, open_page):
    page = open_page(reported("layer"))
    assert page.locator(".loop.lit").count() == 0
    page.locator(".tile", has_text="new tile with each step").first.focus()
    assert page.locator(".loop.lit").count() == 1


# --- looks --------------------------------------------------------------------------

VIEWS = [
    (("layer",), "laptop", "light"),
    (("network",), "laptop", "dark"),
    (("network",), "phone", "light"),
    (("front",), "laptop", "light"),
    (("comparison",), "phone", "dark"),
    (("array",), "laptop", "dark"),
    (("study",), "laptop", "light"),
    (("sweep",), "phone", "light"),
    (("sweep", "other_sweep"), "laptop", "dark"),
    (("arena",), "laptop", "light"),
    (("space", "flexion"), "phone", "dark"),
    (("fusion",), "phone", "light"),
    (("plan", "fused_network", "codesign"), "laptop", "dark"),
    (("uneven",), "phone", "light"),
    (("network", "larger"), "laptop", "light"),
]


@pytest.fixture(scope="module")
def axe(npm_packages):
    return (npm_packages / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(("names", "size", "scheme"), VIEWS)
def test_everybody_can_read_it(names, size, scheme, reported, open_page, axe):
    page = open_page(reported(*names), size, scheme)
    if page.locator(".pick").count() > 0:
        page.locator(".pick").first.click()
    page.evaluate(axe)
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    hidden = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(hidden) == 0, "the page is wider than the window"


def test_charts_fill_the_width_they_have(reported, open_page):
    widths = """all => all.map(one => [one.querySelector("svg"), one].map(each => each.getBoundingClientRect().width))"""
    for size in SIZES:
        shown = open_page(reported("network"), size).eval_on_selector_all(".chart", widths)
        assert len(shown) >= 4
        for inner, outer in shown:
            assert inner == pytest.approx(outer, abs=2)


def test_it_prints_all_rows(reported, open_page):
    page = open_page(reported("many"), fresh=True)
    page.emulate_media(media="print")
    box = page.locator("#layers .scroll")
    assert box.evaluate("one => one.scrollHeight - one.clientHeight") <= 1
    assert len(page.pdf(format="A4")) > 10_000


# --- as a file ----------------------------------------------------------------------


def test_it_needs_nothing_beside_it(reported):
    text = pathlib.Path(reported("many").removeprefix("file://")).read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "<b>" not in text.partition('id="data">')[2].partition("</script>")[0]
    assert not re.search(r"<(img|iframe)\b|<script[^>]*\bsrc=|href=\"(?!data:)", re.sub(r"(?s)(<script[^>]*>).*?(</script>)", r"\1\2", text))


def test_python_writes_it_too(tmp_path, open_page):
    best = tw.map("eyeriss", WORK)
    front = tw.pareto("toy_array", WORK)
    out = tmp_path / "report.html"
    tw.report(best, front, out=out, title="Mine & yours", labels=["first", "second"])
    page = open_page(out.as_uri())
    assert page.locator("h1").inner_text() == "Mine & yours"
    assert values(page, ".figures")[0] == best.energy_pj
    with pytest.raises(ValueError, match="labels"):
        tw.report(best, out=out, labels=["a", "b"])
    with pytest.raises(TypeError):
        tw.report(out=out)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "no.json:1:2: no JSON"),
        ("[]", "no.json: there is nothing to draw in it; give what one of `eval`"),
        ('{"schema": "tilewright.networks.v1"}', "`flex measure`, `flex isolate` printed with --json"),
        ('{"schema": "tilewright.map.v1"}', "no.json: an earlier version wrote it; run the command again"),
    ],
)
def test_other_files_are_refused(run_tool, tmp_path, content, complaint):
    file = tmp_path / "no.json"
    file.write_text(content, encoding="utf-8")
    out = tmp_path / "report.html"
    _, said, code = run_tool("report", str(file), str(tmp_path / "missing.json"), "-o", str(out))
    assert code == 2
    first, second = said.splitlines()
    assert complaint in first
    assert second.endswith("missing.json: No such file or directory")
    assert not out.exists()


def test_a_place_that_cannot_be_written_is_told(run_tool, results, tmp_path):
    out = tmp_path / "nowhere" / "report.html"
    _, said, code = run_tool("report", str(results["layer"]), "-o", str(out))
    assert (said, code) == (f"{out}: No such file or directory\n", 2)
