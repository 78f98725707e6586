#!/usr/bin/env python3
"""Runs clang-tidy over src/**/*.cc, skipping files that were clean before.

usage: run_clang_tidy.py BUILD_FOLDER

A file that was found clean leaves a stamp in BUILD_FOLDER/tidy, named by a hash of all
that the finding depends on: the text of the file and of the project's headers
it includes, its compile command, the settings and the version of clang-tidy.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

from project_includes import reachable

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"


def commands_of(build):
    """{source below src: compile command}"""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = {pathlib.Path(entry["file"]): entry["command"] for entry in entries}
    return {path: command for path, command in files.items()
            if path.is_relative_to(ROOT / "src") and path.is_file()}


def stamp_name(path, command, common):
    digest = hashlib.sha256(common)
    digest.update(command.encode())
    for source in reachable(ROOT, path):
        digest.update(str(source.relative_to(ROOT)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


def tidy(build, path):
    """clang-tidy's findings about a file; empty if there are none."""
    # The command lines are g++'s; these are the two differences that matter.
    extra = ["-Wno-unknown-warning-option", "-Wno-deprecated-declarations"]
    run = subprocess.run(
        [TIDY, "--quiet", "-p", str(build), *(f"--extra-arg={flag}" for flag in extra), str(path)],
        capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if run.returncode == 0 else run.stdout or run.stderr


def main(arguments):
    build = pathlib.Path(arguments[0]).resolve()
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()

    names = {path: stamp_name(path, command, common)
             for path, command in commands_of(build).items()}
    todo = [path for path, name in names.items() if not (stamps / name).exists()]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, findings in zip(todo, pool.map(lambda path: tidy(build, path), todo)):
            if findings:
                bad += 1
                print(findings.replace(f"{ROOT}/", ""), flush=True)
            else:
                (stamps / names[path]).touch()
    for stamp in stamps.iterdir():
        if stamp.name not in names.values():
            stamp.unlink()
    print(f"{len(names)} files, {len(names) - len(todo)} unchanged since they were clean, "
          f"{bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
