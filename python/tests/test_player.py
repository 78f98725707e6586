"""The player of a report: steps through a mapping, held against what the model counts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def player(reported, open_page):
    """The page of a mapping of a few steps."""
    return open_page(reported("small"), fresh=True)


def shown(page) -> tuple[int, int]:
    """The step that is shown, and how many there are."""
    place = page.locator(".player")
    return int(place.get_attribute("data-step")), int(place.get_attribute("data-steps"))


def test_steps_are_the_cycles_of_the_multipliers(results, reported, open_page):
    """Also with remainders, uneven places and systolic arrays."""
    for name in ("small", "layer", "uneven", "array"):
        page = open_page(reported(name), fresh=True)
        depth = page.get_by_label("Steps")
        depth.select_option(index=depth.locator("option").count() - 1)
        assert shown(page)[1] == results.data(name)["result"]["compute"]["cycles"], name


def test_tiles_that_are_brought_are_the_fills_of_the_model(results, player):
    """All steps, one by one: new tiles times their words are what the model counts for an instance."""
    data = results.data("small")["result"]
    last = shown(player)[1] - 1
    walk = """async last => {
        const found = {};
        const note = () => document.querySelectorAll(".player .stage").forEach(row => {
            const level = row.querySelector("b").textContent;
            row.querySelectorAll("figure.fresh").forEach(tile => {
                const words = [...tile.querySelector(":scope > small").textContent.matchAll(/ (\\d+)(?:–(\\d+))?/g)]
                    .reduce((product, [, from, to]) => product * ((to ?? from) - from + 1), 1);
                const key = level + " " + tile.querySelector("b").textContent;
                found[key] = (found[key] ?? 0) + words;
            });
        });
        const slider = document.querySelector(".player input[type=range]");
        for (let step = 0; step <= last; ++step) {
            slider.value = step;
            slider.dispatchEvent(new Event("input", {bubbles: true}));
            while (document.querySelector(".player").dataset.step !== String(step)) await new Promise(requestAnimationFrame);
            note();
        }
        return found;
    }"""
    found = player.evaluate(walk, last)
    inputs = {tensor["name"] for tensor in data["workload"]["tensors"] if tensor["role"] != "output"}
    fills = {f"{memory['level']} {held['tensor']}": held["busiest_instance"]["fills"]
             for memory in data["memories"] for held in memory["tensors"] if held["tensor"] in inputs}  # fmt: skip
    assert {key: found.get(key, 0) for key in fills} == fills
    assert sum(fills.values()) > 0


def test_it_is_played_with_the_keyboard(player):
    last = shown(player)[1] - 1
    player.get_by_label("step", exact=True).focus()
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", last), ("Home", 0)]:
        player.keyboard.press(key)
        expect(player.locator(".player")).to_have_attribute("data-step", str(step))
    player.keyboard.press("PageDown")
    after = shown(player)[0]
    assert 0 < after <= last
    player.keyboard.press("PageUp")
    expect(player.locator(".player")).to_have_attribute("data-step", "0")


def test_it_plays_pauses_and_stops_at_the_end(player):
    last = shown(player)[1] - 1
    player.get_by_label("speed").select_option("fast")
    play = player.locator(".player button").first
    play.click()
    assert play.inner_text() == "Pause"
    expect(player.locator(".player")).not_to_have_attribute("data-step", "0")
    play.click()
    assert play.inner_text() == "Play"
    player.get_by_label("step", exact=True).focus()
    player.keyboard.press("End")
    player.keyboard.press("ArrowLeft")
    player.keyboard.press("Space")
    expect(player.locator(".player")).to_have_attribute("data-step", str(last))
    expect(play).to_have_text("Play")


def test_each_step_is_told_in_words(player):
    said = player.locator(".player .step")
    assert said.get_attribute("aria-live") == "polite"
    assert re.match(r"Step 1 of \d+: the run begins\. New: ", said.inner_text())
    player.get_by_role("button", name="Step", exact=True).click()
    expect(said).to_have_text(re.compile(r"^Step 2 of \d+: [A-Z] at \w+ advances to 2 of \d+\. "))
    assert player.locator(".player li.advanced").count() == 1


def test_large_problems_are_stepped_by_levels(reported, open_page):
    page = open_page(reported("network"), fresh=True)
    page.locator("#layers .pick").first.click()
    assert shown(page)[1] <= 2000
    assert "Loops further in run within each step" in page.locator(".player").inner_text()


def test_nothing_slides_for_those_who_want_less_motion(player):
    moved = "getComputedStyle(document.querySelector('.player rect.first')).transitionDuration"
    assert player.evaluate(moved) != "0s"
    player.emulate_media(reduced_motion="reduce")
    assert player.evaluate(moved) == "0s"
