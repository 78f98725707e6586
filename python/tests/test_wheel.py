"""What the wheel brings along."""

import os
import re
import shutil
import subprocess

import pytest

from tilewright import _native


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs binutils")
def test_the_native_module_needs_the_c_library_alone() -> None:
    listing = subprocess.run(
        ["readelf", "--dynamic", "--wide", _native.__file__],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout
    needed = re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", listing)
    assert needed
    of_the_c_library = re.compile(r"(libc|libm|libpthread|libdl|ld-linux[\w-]*)\.so\.\d+")
    assert [name for name in needed if not of_the_c_library.fullmatch(name)] == []
