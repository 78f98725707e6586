"""Pages of what is no mapping: sweeps, arenas, map-spaces, flexibility, fused plans."""

from __future__ import annotations

import pytest
import tilewright as tw
from report_pages import WORK, rows, texts, values


def test_variants_of_a_study_are_those_of_the_json(results, reported, open_page):
    data = results.data("study")
    page = open_page(reported("study"))
    assert rows(page, "#variants") == [
        [one["area_overhead"], *[one["results"][0][key] for key in ("relative", "energy_pj", "cycles")]]
        for one in data["variants"]
    ]


# --- sweeps -------------------------------------------------------------------------


def test_designs_of_a_sweep_are_those_of_the_json(results, reported, open_page):
    data = results.data("sweep")
    page = open_page(reported("sweep"))
    assert rows(page, "#designs") == [
        [one["energy_pj"], one["cycles"], one["edp"], one["MACs"]] for one in data["results"]
    ]
    assert len(data["results"]) == 4
    assert rows(page, "#sensitivity") == [
        [one["mean_ratio"], one["largest_ratio"]] for one in data["sensitivity"]
    ]


def test_a_sweep_has_a_line_for_each_design_and_a_cell_for_each_pair(results, reported, open_page):
    data = results.data("sweep")
    page = open_page(reported("sweep"))
    assert page.locator("#parallel path[stroke]").count() >= len(data["results"])
    first, second = (one["values"] for one in data["parameters"])
    cells = texts(page, "#heat svg text")
    for value in (*first, *second):
        assert value in cells
    shown = sorted(float(cell.replace(",", "")) for cell in cells if cell not in (*first, *second) and cell[0].isdigit())
    assert shown == pytest.approx(sorted(one["edp"] for one in data["results"]), rel=1e-3)


def test_the_front_of_a_sweep_is_that_of_the_json(results, reported, open_page):
    data = results.data("sweep")
    page = open_page(reported("sweep"))
    marked = page.locator('#front circle[fill="var(--limit)"]').count()
    assert marked == sum(one["on_front"] for one in data["results"]) > 0


def test_quantities_of_a_sweep_are_chosen(reported, open_page):
    page = open_page(reported("sweep"), fresh=True)
    page.locator("#front select").first.select_option(label="EDP (pJ·cycles)")
    page.locator("#front svg text", has_text="EDP").wait_for()
    page.locator("#heat select").nth(2).select_option(label="energy")
    page.locator("#heat svg text", has_text="J").first.wait_for()
    assert page.locator("#parallel path[stroke='var(--ink)']").count() == 0
    page.locator("#designs .pick").nth(1).click()
    page.locator("#parallel path[stroke='var(--ink)']").wait_for()


def test_two_sweeps_are_held_against_each_other(results, reported, open_page):
    first, second = results.data("sweep"), results.data("other_sweep")
    page = open_page(reported("sweep", "other_sweep"))
    assert "no result of equal work and settings" in page.locator("#sweeps").inner_text()
    assert page.locator("#designs").count() == page.locator("#r2-designs").count() == 1
    page = open_page(reported("other_sweep", "other_sweep"))
    assert rows(page, "#sweeps") == [[one["edp"], one["edp"]] for one in second["results"]]
    assert first["best"].keys() == second["best"].keys()


def test_the_best_design_is_that_of_the_json(results, reported, open_page):
    data = results.data("codesign")
    page = open_page(reported("codesign"))
    assert values(page, ".figures") == [data[key] for key in ("value", "designs", "mapped", "excluded")]
    assert rows(page, "#mapped") == [[one[key] for key in ("energy_pj", "cycles", "edp")] for one in data["results"]]


# --- arena, spaces, flexion ---------------------------------------------------------


def test_standings_of_an_arena_are_those_of_the_json(results, reported, open_page):
    data = results.data("arena")
    page = open_page(reported("arena"))
    keys = ("layers", "found", "within_1_percent", "mean_ratio", "worst_ratio", "seconds", "mappings_seen")
    assert rows(page, "#quality") == [[one[key] for key in keys] for one in data["standings"]]
    assert rows(page, "#layers") == [[run["ratio"] for run in layer["runs"]] for layer in data["layers"]]


def test_convergence_has_a_point_for_each_step_and_the_end(results, reported, open_page):
    data = results.data("arena")
    page = open_page(reported("arena"))
    steps = [len(run["steps"]) for run in data["layers"][0]["runs"]]
    assert sum(steps) > 0
    points = page.locator("#convergence circle[fill^='var(']").count()
    assert points == sum(count + 1 for count in steps if count)


def test_counts_of_a_space_are_those_of_the_json(results, reported, open_page):
    data = results.data("space")
    page = open_page(reported("space"))
    shown = page.eval_on_selector_all("#counts data", "all => all.map(one => one.value)")
    assert shown == [*data["chains"].values(), data["tilings"], data["bypasses"], data["mappings"]]
    assert f"{int(data['mappings']):,} mappings" in page.locator(".sentence").inner_text()


def test_settings_of_a_flexible_space_are_those_of_the_json(results, reported, open_page):
    data = results.data("flex_space")
    page = open_page(reported("flex_space"))
    shown = page.eval_on_selector_all("#settings data", "all => all.map(one => one.value)")
    assert shown == [one["mappings"] for one in data["settings"]]
    assert f"{int(data['sum']):,} mappings" in page.locator(".sentence").inner_text()


def test_layers_of_a_fixed_design_are_those_of_the_json(results, reported, open_page):
    data = results.data("flex_design")
    page = open_page(reported("flex_design"))
    assert rows(page, "#design") == [[one[key] for key in ("cycles", "energy_pj", "utilisation")] for one in data["layers"]]
    assert data["design"] in page.locator(".sentence").inner_text()


def test_flexion_is_that_of_the_json(results, reported, open_page):
    data = results.data("flexion")
    page = open_page(reported("flexion"))
    keys = ("class_space", "accelerator_space", "workload_space", "class_workload_space",
            "accelerator_workload_space", "hardware_flexion", "workload_flexion")  # fmt: skip
    assert rows(page, "#flexion") == [[one[key] for key in keys] for one in data["mean"]]


# --- fused plans --------------------------------------------------------------------


def test_a_fused_plan_is_that_of_the_json(results, reported, open_page):
    data = results.data("fusion")
    page = open_page(reported("fusion"))
    words = [tensor["outer_words"] for one in data["einsums"] for tensor in one["tensors"]]
    assert values(page, ".figures") == [data["energy_pj"], data["unfused_pj"], data["cycles"], sum(words)]
    assert rows(page, "#traffic") == [[one] for one in words]
    assert values(page, "#plan h3") == data["group_pj"]
    assert texts(page, "#plan .leaf b") == [one["name"] for one in data["einsums"]]
    live = page.locator("#plan .leaf").all_inner_texts()
    for text, one in zip(live, data["einsums"], strict=True):
        assert f"{one['live_words']:,} words live in {data['shared']}" in text


def test_einsums_stand_below_the_loops_that_they_share(results, reported, open_page):
    data = results.data("fusion")
    page = open_page(reported("fusion"))
    above = """leaf => { const loops = []; for (let at = leaf.closest(".branch"); at; at = at.parentElement.closest(".branch"))
        loops.unshift(at.querySelector(":scope > code").textContent); return loops; }"""
    for leaf, one in zip(page.locator("#plan .leaf").all(), data["einsums"], strict=True):
        loops = [f"for {loop['dim']} in {loop['count']}" for loop in one["shared_loops"]]
        assert leaf.evaluate(above) == loops
    assert page.locator("#plan .branch").count() == len(
        {(loop["dim"], loop["count"], loop["first"], depth) for one in data["einsums"]
         for depth, loop in enumerate(one["shared_loops"])})  # fmt: skip


def test_words_and_energies_of_a_plan_are_those_of_the_json(results, reported, open_page):
    data = results.data("plan")
    page = open_page(reported("plan"))
    assert rows(page, "#accesses") == [
        [held[key] for key in ("reads", "fills", "updates", "energy_pj")]
        for one in data["einsums"] for memory in one["memories"] for held in memory["tensors"]
    ]  # fmt: skip
    assert sum(row[-1] for row in rows(page, "#energy")) == pytest.approx(data["energy_pj"])
    assert values(page, ".figures")[:2] == [data["energy_pj"], data["optimum"]["unfused_pj"]]


def test_parts_of_a_fused_network_are_those_of_the_json(results, reported, open_page):
    data = results.data("fused_network")
    page = open_page(reported("fused_network"))
    assert rows(page, "#fused-parts") == [
        [one["count"], one["unfused_pj"], one["energy_pj"]] for one in data["parts"]
    ]
    assert texts(page, "#cuts tbody td:first-child") == [one["operator"] for one in data["cuts"]]


# --- from Python --------------------------------------------------------------------


def test_python_reports_sweeps_and_flexibility(tmp_path, open_page):
    out = tmp_path / "report.html"
    found = tw.sweep({"sweep": "mine", "architecture": "toy_array", "networks": ["ncf"],
                      "parameters": {"Buffer.capacity": ["1 KiB", "2 KiB"]}})  # fmt: skip
    tw.report(found, tw.flex.measure("flex_1024", WORK), out=out)
    page = open_page(out.as_uri())
    assert rows(page, "#designs")[0][0] == found.rows[0].energy_pj
    assert page.locator("#r2-flexion").count() == 1


def test_python_refuses_what_it_cannot_draw(tmp_path):
    with pytest.raises(tw.InputError, match="nothing to draw"):
        tw.report(tw.Architecture("eyeriss"), out=tmp_path / "no.html")
