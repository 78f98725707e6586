"""The stub of the native module says what the module has."""

from __future__ import annotations

import pathlib

import pytest
import tilewright
from tilewright import _native

stubgen = pytest.importorskip("nanobind.stubgen")


def test_the_stub_is_up_to_date(checkout):
    """To renew it: python -m nanobind.stubgen -m tilewright._native -o python/tilewright/_native.pyi"""
    made = stubgen.StubGen(_native)
    made.put(_native)
    assert (checkout / "python" / "tilewright" / "_native.pyi").read_text() == made.get()


def test_the_package_says_that_it_has_types():
    assert (pathlib.Path(tilewright.__file__).parent / "py.typed").exists()
