"""Pages about the package say what it has."""

from __future__ import annotations

import re
import runpy
import tomllib

import tilewright as tw


def test_the_page_of_the_api_is_up_to_date(checkout):
    """To renew it: python tools/python_api.py > docs/python_api.md"""
    made = runpy.run_path(str(checkout / "tools" / "python_api.py"))["page"]()
    assert (checkout / "docs" / "python_api.md").read_text(encoding="utf-8") == made


def test_the_programs_of_the_guide_run(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    guide = (checkout / "docs" / "python.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    assert len(programs) >= 3
    names: dict[str, object] = {}
    for program in programs:
        exec(program, names)
    assert isinstance(names["best"], tw.MapResult)


def test_everything_public_has_a_docstring():
    for module in (tw, tw.flex):
        for name in module.__all__:
            thing = getattr(module, name)
            if not name.startswith("_"):
                assert (thing.__doc__ or "").strip(), name


def test_the_wheel_is_built_with_the_packages_of_the_lock_file(checkout):
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    locked = (checkout / "python" / "requirements-build.lock").read_text(encoding="utf-8")
    for package in project["build-system"]["requires"]:
        assert f"\n{package} \\\n" in f"\n{locked}"
