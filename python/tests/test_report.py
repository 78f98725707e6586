"""``tilewright report``: the page, read in a browser."""

from __future__ import annotations

import json
import pathlib
import re

import pytest
import tilewright as tw

WORK = "gemm: m=64 n=64 k=64"
NETWORK = "model,layer,op,N,M,C,P,Q,R,S,stride_h,stride_w\nsmall,1,gemm,1,16,8,1,1,1,1,1,1\n"
MANY = 300
SIZES = {"laptop": (1280, 800), "phone": (390, 844)}


# --- results ------------------------------------------------------------------------


def printed(run_tool, folder, name, *words):
    """A file with what a command printed."""
    out, said, code = run_tool(*words, "--json")
    assert code == 0, said
    path = folder / f"{name}.json"
    path.write_text(out, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def files(run_tool, tmp_path_factory):
    """Results of each kind, and a network of many layers."""
    folder = tmp_path_factory.mktemp("results")
    network = ("map", "-a", "eyeriss", "--model", "alexnet")
    made = {
        "layer": ("map", "-a", "eyeriss", "-w", WORK, "--set", "clock=200MHz"),
        "network": network,
        "larger": (*network, "--set", "GlobalBuffer.capacity=512KiB"),
        "front": ("pareto", "-a", "eyeriss", "-w", WORK),
        "comparison": ("compare", "eyeriss", "simba", "-w", WORK),
        "array": ("map", "-a", "gemmini", "-w", WORK, "--set", "SACols.fill=diagonal"),
        "uneven": ("map", "-a", "eyeriss", "-w", WORK, "--uneven"),
    }
    (folder / "small.csv").write_text(NETWORK, encoding="utf-8")
    made["study"] = ("flex", "isolate", "--model", str(folder / "small.csv"))
    paths = {name: printed(run_tool, folder, name, *words) for name, words in made.items()}
    out, said, code = run_tool("sweep", "-a", "eyeriss", "--model", str(folder / "small.csv"), "--quiet", "--format", "json",
                               "--set", "GlobalBuffer.capacity=32 KiB,64 KiB", "--store", str(folder / "sweep.db"))  # fmt: skip
    assert code == 0, said
    paths["sweep"] = folder / "sweep.json"
    paths["sweep"].write_text(out, encoding="utf-8")
    many = json.loads(paths["network"].read_text(encoding="utf-8"))
    kinds = many["layers"]
    many["layers"] = [
        {**kinds[i % len(kinds)], "name": f"layer_{i:03}<b>&amp;"} for i in range(MANY)
    ]
    paths["many"] = folder / "many.json"
    paths["many"].write_text(json.dumps(many), encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def reported(run_tool, files, tmp_path_factory):
    """The address of the page of these results."""
    folder = tmp_path_factory.mktemp("pages")

    def make(*names):
        out = folder / f"{'_'.join(names)}.html"
        said, complaint, code = run_tool("report", *[str(files[name]) for name in names], "-o", str(out))
        assert (said, complaint, code) == ("", "", 0)
        return out.as_uri()

    return make


# --- browser ------------------------------------------------------------------------


@pytest.fixture
def open_page(browser):
    """Opens an address; what the console says in anger is a failure, and so is any request."""
    complaints: list[str] = []
    contexts = []

    def open_it(address, size="laptop", scheme="light"):
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height},
                                      color_scheme=scheme, bypass_csp=True)  # fmt: skip
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda one: None if one.url == address else complaints.append(one.url))
        page.goto(address)
        page.wait_for_selector("main section")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


def values(page, place):
    """The exact numbers in a part of the page."""
    return [float(one.get_attribute("value")) for one in page.locator(f"{place} data").all()]


def texts(page, place):
    return [text.strip() for text in page.locator(place).all_inner_texts()]


# --- numbers ------------------------------------------------------------------------


def test_figures_of_a_layer_are_those_of_the_json(files, reported, open_page):
    data = json.loads(files["layer"].read_text(encoding="utf-8"))["result"]
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


def test_energies_of_a_layer_are_those_of_the_json(files, reported, open_page):
    data = json.loads(files["layer"].read_text(encoding="utf-8"))["result"]
    page = open_page(reported("layer"))
    rows = page.locator("#energy tbody tr").all()
    assert len(rows) == len(data["memories"]) + 1
    for row, memory in zip(rows, data["memories"], strict=False):
        shown = [float(one.get_attribute("value")) for one in row.locator("data").all()]
        held = [one["energy_pj"]["sum"] for one in memory["tensors"]]
        assert shown[:-1] == held
        assert shown[-1] == pytest.approx(sum(held))
    total = sum(float(row.locator("data").last.get_attribute("value")) for row in rows)
    assert total == pytest.approx(data["energy_pj"])


def test_layers_of_a_network_are_those_of_the_json(files, reported, open_page):
    data = json.loads(files["network"].read_text(encoding="utf-8"))
    page = open_page(reported("network"))
    rows = page.locator("#layers tbody tr").all()
    assert len(rows) == len(data["layers"])
    keys = ("energy_pj", "cycles", "edp_pj_cycles", "utilisation")
    for row, layer in zip(rows, data["layers"], strict=True):
        shown = [float(one.get_attribute("value")) for one in row.locator("data").all()]
        assert shown == [layer["count"], layer["macs"], *[layer["result"][key] for key in keys]]
    totals = [data["totals"][key] for key in keys]
    assert values(page, ".figures") == totals


def test_refills_name_the_loop_that_the_json_names(files, reported, open_page):
    data = json.loads(files["layer"].read_text(encoding="utf-8"))["result"]
    page = open_page(reported("layer"))
    wanted = {(held["tensor"], memory["level"]) for memory in data["memories"]
              for held in memory["tensors"] if held["refilled_by"]}  # fmt: skip
    assert {tuple(text.split(" → ")) for text in texts(page, "#nest .refill")} == wanted
    assert wanted


def test_differences_are_those_of_the_compare_command(files, reported, open_page):
    data = json.loads(files["comparison"].read_text(encoding="utf-8"))
    page = open_page(reported("comparison"))
    rows = page.locator("#by-both tbody tr").all()
    assert len(rows) == len(data["differences"])
    for row, one in zip(rows, data["differences"], strict=True):
        shown = [float(each.get_attribute("value")) for each in row.locator("data").all()]
        assert shown == pytest.approx([one["a_pj"], one["b_pj"], one["difference_pj"]])


def test_several_results_are_compared(files, reported, open_page):
    page = open_page(reported("network", "larger"))
    totals = [json.loads(files[name].read_text(encoding="utf-8"))["totals"] for name in ("network", "larger")]
    rows = page.locator("#compared tbody tr").all()
    assert [float(row.locator("data").first.get_attribute("value")) for row in rows] == [
        one["energy_pj"] for one in totals
    ]
    differences = values(page, "#by-level tbody tr td:nth-child(4)")
    assert sum(differences) == pytest.approx(totals[1]["energy_pj"] - totals[0]["energy_pj"], rel=1e-6)
    said = page.locator(".compare .sentence").inner_text()
    assert "larger takes" in said and "less energy" in said
    page.locator(".tabs button", has_text="larger").click()
    assert values(page, ".figures")[0] == totals[1]["energy_pj"]


def test_variants_of_a_study_are_those_of_the_json(files, reported, open_page):
    data = json.loads(files["study"].read_text(encoding="utf-8"))
    page = open_page(reported("study"))
    wanted = [[one["area_overhead"], *[one["results"][0][key] for key in ("relative", "energy_pj", "cycles")]]
              for one in data["variants"]]  # fmt: skip
    rows = page.locator("#variants tbody tr").all()
    assert [[float(one.get_attribute("value")) for one in row.locator("data").all()] for row in rows] == wanted


def test_designs_of_a_sweep_are_those_of_the_json(files, reported, open_page):
    data = json.loads(files["sweep"].read_text(encoding="utf-8"))
    page = open_page(reported("sweep"))
    rows = page.locator("#designs tbody tr").all()
    shown = [[float(one.get_attribute("value")) for one in row.locator("data").all()] for row in rows]
    assert shown == [[one["energy_pj"], one["cycles"], one["edp"]] for one in data["results"]]
    assert len(rows) == 2


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


def test_tables_are_sorted_by_a_click(files, reported, open_page):
    page = open_page(reported("network"))
    column = "#layers tbody tr td:nth-child(5) data"

    def energies():
        return [float(one.get_attribute("value")) for one in page.locator(column).all()]

    before = energies()
    heading = page.locator("#layers th").nth(4)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert energies() == sorted(before, reverse=True) != before
    heading.locator("button").click()
    assert energies() == sorted(before)


def test_layers_are_searched_and_picked(reported, open_page):
    page = open_page(reported("many"))
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
    page = open_page(reported("network"))
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
    found = page.evaluate("axe.run()")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    hidden = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(hidden) == 0, "the page is wider than the window"


def test_charts_fill_the_width_they_have(reported, open_page):
    for size in SIZES:
        page = open_page(reported("network"), size)
        for chart in page.locator(".chart").all():
            inner, outer = chart.locator("svg").first.bounding_box(), chart.bounding_box()
            assert inner and outer
            assert inner["width"] == pytest.approx(outer["width"], abs=2)


def test_it_prints_all_rows(reported, open_page):
    page = open_page(reported("many"))
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
        ('{"schema": "tilewright.space.v1"}', "no.json: there is nothing to draw in it"),
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


def test_a_place_that_cannot_be_written_is_told(run_tool, files, tmp_path):
    out = tmp_path / "nowhere" / "report.html"
    _, said, code = run_tool("report", str(files["layer"]), "-o", str(out))
    assert (said, code) == (f"{out}: No such file or directory\n", 2)
