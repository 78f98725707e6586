"""``tilewright explore`` in a browser: what is shown, edited, compared, saved, and what happens when things go wrong."""

from __future__ import annotations

import pathlib
import random
import subprocess
import threading

import pytest
import tilewright as tw
from tilewright._explore import Questions
from tilewright._explore_export import Source
from tilewright._explore_server import Server

WORK = "gemm: m=64 n=64 k=64"
SLIDER = '[aria-label="GlobalBuffer capacity, slider"]'
SLOW = "conv2d: batch=4 in_channels=512 out_channels=512 p=28 q=28 r=3 s=3"  # on simba with the map-space ruby
EYERISS = tw.Architecture("eyeriss")


def new_server(address=(0, "")):
    found = Server(Questions(Source("eyeriss", EYERISS), {WORK: tw.Workload(WORK)}), *address)
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    return found, thread


def end(server, thread):
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def server():
    found, thread = new_server()
    yield found
    end(found, thread)


@pytest.fixture(scope="module")
def context(browser):
    found = browser.new_context(viewport={"width": 1366, "height": 768})
    found.set_default_timeout(20_000)
    yield found
    found.close()


@pytest.fixture
def open_page(context, server):
    """Opens the explorer; what the console says in anger is a failure."""
    complaints: list[str] = []
    pages = []

    def open_it(address="", quiet=True):
        page = context.new_page()
        pages.append(page)
        if quiet:
            page.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address or server.address)
        wait_for_answer(page)
        return page

    yield open_it
    for page in pages:
        page.close()
    assert complaints == []


def wait_for_answer(page):
    page.wait_for_function("""() => {
        const said = document.querySelector('.answer > [role="status"]');
        return said && !said.textContent.startsWith("mapping");
    }""", polling=20)  # fmt: skip


def slide(page, doublings):
    page.locator(SLIDER).evaluate(
        "(one, to) => { one.value = to; one.dispatchEvent(new Event('input', {bubbles: true})); }", doublings
    )


def energy_of(page):
    return float(page.locator(".figures data").first.get_attribute("value"))


def wait_for_figure(page, energy_pj):
    page.wait_for_function(
        "wanted => Number(document.querySelector('.figures data')?.value) === wanted", arg=energy_pj, polling=20
    )
    page.locator('#rest[aria-busy="false"]').wait_for()  # tables and charts come after the figures


def wait_for_energy(page, capacity):
    """Waits for the energy that mapping gives with this capacity."""
    wait_for_figure(page, tw.map(EYERISS.with_(GlobalBuffer={"capacity": capacity}), WORK).energy_pj)


# --- editing ------------------------------------------------------------------------


def test_a_slider_shows_the_best_mapping_of_the_new_size(open_page):
    page = open_page()
    for doublings, words in ((-4, 8192), (-3.5, 11585), (2, 524288)):
        slide(page, doublings)
        wait_for_energy(page, f"{words} words")
        assert page.locator("#GlobalBuffer-capacity").input_value() == f"{words} words"


def test_a_slider_is_moved_with_keys(open_page):
    page = open_page()
    page.locator(SLIDER).focus()
    page.keyboard.press("ArrowLeft")
    wait_for_energy(page, "110218 words")
    page.keyboard.press("Home")
    wait_for_energy(page, "8192 words")


def test_typing_undo_and_redo(open_page):
    page = open_page()
    before = energy_of(page)
    page.locator("#GlobalBuffer-capacity").fill("9000 words")
    wait_for_energy(page, "9000 words")
    page.get_by_role("button", name="Undo").click()
    wait_for_figure(page, before)
    assert page.locator("#GlobalBuffer-capacity").input_value() == "131072 words"
    page.get_by_role("button", name="Redo").click()
    wait_for_energy(page, "9000 words")


def test_mistakes_stand_beside_their_fields_and_the_answer_stays(open_page):
    page = open_page()
    before = energy_of(page)
    page.locator("#GlobalBuffer-capacity").fill("12 q")
    page.locator("#GlobalBuffer-capacity-problem").wait_for()
    assert page.locator("#GlobalBuffer-capacity").get_attribute("aria-invalid") == "true"
    assert "is not a size" in page.locator("#GlobalBuffer-capacity-problem").inner_text()
    page.locator("#workload").fill("gemm: m=0")
    page.locator("#workload-problem").wait_for()
    assert page.locator("#GlobalBuffer-capacity-problem").count() == 1
    page.locator("#GlobalBuffer-capacity").fill("131072 words")
    page.locator("#workload").fill(WORK)
    page.locator("#constraints").fill("Nowhere: M = 1")
    page.locator("#constraints-problem", has_text="line 1").wait_for()
    assert energy_of(page) == before
    page.locator("#constraints").fill("")
    page.locator("#GlobalBuffer-capacity").fill("1 B")
    page.locator(".answer .problem", has_text="no mapping fits GlobalBuffer").wait_for()
    page.locator("#GlobalBuffer-capacity").fill("131072 words")
    page.locator(".problem").first.wait_for(state="detached")


def test_levels_and_fields_come_and_go(open_page):
    page = open_page()
    page.get_by_role("button", name="add a memory inside GlobalBuffer").click()
    page.locator("#Buffer-capacity").fill("4 KiB")
    smaller = EYERISS.to_dict()
    smaller["levels"].insert(2, {"memory": "Buffer", "capacity": "4 KiB", "word": "8 bits", "class": "sram", "width": "64 bits"})
    wait_for_figure(page, tw.map(smaller, WORK).energy_pj)
    assert "estimated" in page.locator(".block", has=page.locator("#Buffer-capacity")).locator(".role").inner_text()
    fields = page.get_by_label("add or remove a field of Buffer")
    fields.select_option("add read")
    smaller["levels"][2]["read"] = "1 pJ"
    wait_for_figure(page, tw.map(smaller, WORK).energy_pj)
    page.get_by_label("name of the memory Buffer").fill("Scratch")
    page.get_by_role("button", name="remove Scratch").click()
    page.get_by_role("button", name="add a fan-out inside SARows").click()
    wider = EYERISS.to_dict()
    wider["levels"].insert(4, {"fanout": "Array", "x": 2})
    wait_for_figure(page, tw.map(wider, WORK).energy_pj)
    page.get_by_role("button", name="remove Array").click()
    wait_for_figure(page, tw.map(EYERISS, WORK).energy_pj)


def test_another_architecture_another_objective_and_map_space(open_page):
    page = open_page()
    page.locator("#base").select_option("toy_array")
    wait_for_figure(page, tw.map("toy_array", WORK).energy_pj)
    page.locator("#objective").select_option("energy")
    page.locator("#mapspace").select_option("ruby-s")
    page.locator("#workload").fill("gemm: m=7 n=11 k=13")
    wait_for_figure(page, tw.map("toy_array", "gemm: m=7 n=11 k=13", objective="energy", mapspace="ruby-s").energy_pj)


def test_what_is_changed_while_an_architecture_is_fetched_stays(open_page):
    page = open_page()
    held = []
    page.route("**/base", lambda route: held.append(route))
    with page.expect_request("**/base"):
        page.locator("#base").select_option("toy_array")
    page.locator("#workload").fill("gemm: m=7 n=11 k=13")
    held[0].continue_()
    wait_for_figure(page, tw.map("toy_array", "gemm: m=7 n=11 k=13").energy_pj)


def test_a_whole_network_and_one_of_its_layers(open_page):
    page = open_page()
    page.locator("#network").select_option("alexnet")
    wait_for_figure(page, tw.map("eyeriss", model="alexnet").energy_pj)
    rows = page.locator("#layers tbody tr")
    rows.nth(7).wait_for()
    assert rows.count() == 8
    rows.nth(1).locator("button").click()
    name = page.locator("#details > h2").inner_text()
    slide(page, -4)
    changed = EYERISS.with_(GlobalBuffer={"capacity": "8192 words"})
    wait_for_figure(page, tw.map(changed, model="alexnet").energy_pj)
    assert page.locator("#details > h2").inner_text() == name  # what was picked stays picked
    slide(page, 0)
    page.locator("#layer").select_option("2")
    wait_for_figure(page, tw.map("eyeriss", model="alexnet", layer="2").energy_pj)


def test_pins_are_compared(open_page):
    page = open_page()
    page.get_by_role("button", name="Pin").click()
    slide(page, -4)
    wait_for_energy(page, "8192 words")
    rows = page.locator("#compared tbody tr")
    assert rows.count() == 2
    assert rows.nth(0).inner_text().startswith("pin 1")


def test_what_limits_is_found_and_sorted(open_page):
    page = open_page()
    page.locator("#limits", has_text="was mapped again").wait_for()
    shown = [abs(float(one.get_attribute("value"))) for one in page.locator("table.limits data").all()]
    assert shown[0] == max(shown) > 0 or shown[1] == max(shown) > 0
    assert "WRegister read" in page.locator("table.limits").inner_text()
    slide(page, -4)
    wait_for_energy(page, "8192 words")
    page.locator("#limits", has_text="was mapped again").wait_for()


# --- slow searches --------------------------------------------------------------------


def test_a_slow_search_shows_its_best_so_far_and_ends_with_a_change(open_page):
    page = open_page()
    page.locator("#base").select_option("simba")
    page.locator("#workload").fill(SLOW)
    page.locator("#mapspace").select_option("ruby")
    page.locator("#searching", has_text="nothing is below").wait_for()
    page.locator("#mapspace").select_option("pfm")
    wait_for_figure(page, tw.map("simba", SLOW).energy_pj)
    page.locator("#mapspace").select_option("ruby")
    page.locator("#searching", has_text="best so far").wait_for()
    page.get_by_role("button", name="Take the best so far").click()
    page.locator(".proof", has_text="Not proven (").wait_for()


# --- saving ---------------------------------------------------------------------------


def test_architecture_and_report_are_saved(open_page, tmp_path):
    page = open_page()
    page.locator("#GlobalBuffer-capacity").fill("9000 words")
    wait_for_energy(page, "9000 words")
    for button, name in (("Save YAML", "architecture.yaml"), ("Save report", "report.html")):
        with page.expect_download() as saving:
            page.get_by_role("button", name=button).click()
        assert saving.value.suggested_filename == name
        saving.value.save_as(tmp_path / name)
    text = pathlib.Path(tmp_path / "architecture.yaml").read_text(encoding="utf-8")
    assert tw.Architecture.from_yaml(text) == EYERISS.with_(GlobalBuffer={"capacity": "9000 words"})
    assert "eyeriss" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_command_and_program_are_shown(open_page):
    page = open_page()
    page.locator("#GlobalBuffer-capacity").fill("9000 words")
    wait_for_energy(page, "9000 words")
    page.get_by_role("button", name="Command").click()
    wanted = f"tilewright map --arch eyeriss --set 'GlobalBuffer.capacity=9000 words' --workload '{WORK}'"
    page.locator("#exported pre", has_text=wanted).wait_for()
    page.get_by_role("button", name="Python").click()
    page.locator("#exported pre", has_text="import tilewright as tw").wait_for()
    page.get_by_role("button", name="Close").click()
    page.locator("#exported").wait_for(state="detached")


# --- when things go wrong ---------------------------------------------------------------


def test_two_tabs_do_not_disturb_each_other(open_page):
    first, second = open_page(), open_page()
    slide(first, -4)
    slide(second, 1)
    wait_for_energy(first, "8192 words")
    wait_for_energy(second, "262144 words")


def started(tool, *words):
    """The process of a server, and the address that it prints."""
    process = subprocess.Popen([*tool, "explore", "--workload", WORK, "--no-browser", *words], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def killed(process):
    process.kill()
    process.communicate()


def test_a_page_goes_on_when_its_server_was_killed_and_is_started_again(open_page, tool):
    first, address = started(tool)
    page = open_page(address, quiet=False)
    killed(first)
    page.locator("#GlobalBuffer-capacity").fill("9000 words")
    page.locator(".problem", has_text=f"--address '{address}'").wait_for()
    second, again = started(tool, "--address", address)
    assert again == address
    page.locator('.answer > [role="status"]', has_text="the server is back").wait_for()
    wait_for_energy(page, "9000 words")
    killed(second)
    stranger, thread = new_server((int(address.split(":")[2].split("/")[0]), ""))  # with another token
    slide(page, 1)
    page.locator(".problem", has_text="another server").wait_for()
    end(stranger, thread)


def test_many_edits_in_a_row_end_with_the_answer_to_the_last(open_page):
    page = open_page()
    chance = random.Random(7)
    values = ["", "1", "7 words", "64 pJ", "12 q", "-3", "unlimited", "0.5 words/cycle", "<b>"]
    edits = [[chance.random(), chance.choice(values)] for _ in range(250)]
    page.evaluate("""async (edits) => {
        const fields = [...document.querySelectorAll(".block .field input:not([type=range])")];
        for (const [at, value] of edits) {
            const field = fields[Math.floor(at * fields.length)];
            field.value = value;
            field.dispatchEvent(new Event("input", {bubbles: true}));
            await new Promise((go) => setTimeout(go));
        }
    }""", edits)  # fmt: skip
    wait_for_answer(page)
    page.locator(".block .problem").first.wait_for()
    page.evaluate("""async () => {
        const undo = [...document.querySelectorAll("button")].find((one) => one.textContent === "Undo");
        while (!undo.disabled) {
            undo.click();
            await new Promise((go) => setTimeout(go));
        }
    }""")
    wait_for_energy(page, "131072 words")
    page.locator(".problem").first.wait_for(state="detached")


def violations(page, options):
    found = page.evaluate("options => axe.run(options)", options)
    return [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]]


def test_everybody_can_use_it(open_page, npm_packages):
    page = open_page()
    page.get_by_role("button", name="Pin").click()
    page.locator("#limits", has_text="was mapped again").wait_for()
    page.get_by_role("button", name="Command").click()
    page.locator("#exported").wait_for()
    page.locator("#GlobalBuffer-capacity").fill("12 q")
    page.locator("#GlobalBuffer-capacity-problem").wait_for()
    page.evaluate((npm_packages / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))
    assert violations(page, {}) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, {"runOnly": ["color-contrast"]}) == []


def test_a_narrow_page_has_everything_below_each_other(open_page):
    page = open_page()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    fields, answer = page.locator(".fields").bounding_box(), page.locator(".answer").bounding_box()
    assert answer["y"] >= fields["y"] + fields["height"]
