#!/usr/bin/env python3
"""Runs clang-tidy over src and reproduce, skipping files that were clean before.

usage: run_clang_tidy.py BUILD_FOLDER

A file that was found clean leaves a stamp in BUILD_FOLDER/tidy, named by a hash of all
that the finding depends on: the text of the file and of the project's headers
it includes, its compile command, the settings and the version of clang-tidy.

Most of the time goes into the headers of other libraries, which clang-tidy
reads and checks with every file. So several files are checked as one that
includes them all, and if there is something to say, its halves.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

from project_includes import reachable
from unity_groups import groups_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
CHECKED = ("src", "reproduce")
MOST_TOGETHER = 250


def compilations_of(build):
    """{source of ours: its entry of compile_commands.json}"""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    files = {pathlib.Path(entry["file"]): entry for entry in entries}
    return {path: entry for path, entry in files.items()
            if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in CHECKED
            and path.is_file()}


def stamp_name(path, command, common):
    digest = hashlib.sha256(common)
    digest.update(command.encode())
    for source in reachable(ROOT, path):
        digest.update(str(source.relative_to(ROOT)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


def halves(name, group):
    middle = len(group) // 2
    return [(f"{name}a", group[:middle]), (f"{name}b", group[middle:])]


def write_together(folder, name, group, compilations):
    """Files that include all of a group, of its halves and so on; how to compile them."""
    if len(group) == 1:
        return []
    together = folder / f"{name}.cc"
    together.write_text("".join(f'#include "{path}"\n' for path in group), encoding="utf-8")
    first = compilations[group[0]]
    command = first["command"].replace(first["file"], str(together))
    return [{**first, "file": str(together), "command": command}] + [
        entry for half in halves(name, group)
        for entry in write_together(folder, *half, compilations)]


def write_database(folder, compilations, groups):
    entries = list(compilations.values())
    for number, group in enumerate(groups):
        entries += write_together(folder, str(number), group, compilations)
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")


def tidy(database, path):
    """clang-tidy's findings about a file; empty if there are none."""
    # The command lines are g++'s; the first two are the differences that matter. A name of one
    # file shadows none of another, only where both are read as one.
    extra = ["-Wno-unknown-warning-option", "-Wno-deprecated-declarations", "-Wno-shadow"]
    run = subprocess.run(
        [TIDY, "--quiet", "-p", str(database), f"--config-file={ROOT / '.clang-tidy'}",
         *(f"--extra-arg={flag}" for flag in extra), str(path)],
        capture_output=True, text=True, check=False, cwd=ROOT)
    return "" if run.returncode == 0 else run.stdout or run.stderr


def findings_of(database, name, group):
    """{path: findings} of those files of a group that have any"""
    findings = tidy(database, group[0] if len(group) == 1 else database / f"{name}.cc")
    if not findings:
        return {}
    if len(group) == 1:
        return {group[0]: findings}
    apart = {path: text for half in halves(name, group)
             for path, text in findings_of(database, *half).items()}
    if not apart:
        print(f"these files have names in common, and were checked apart, which takes long:\n"
              f"{findings}", flush=True)
    return apart


def main(arguments):
    build = pathlib.Path(arguments[0]).resolve()
    stamps = build / "tidy"
    database = build / "tidy_database"
    for folder in (stamps, database):
        folder.mkdir(exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()

    compilations = compilations_of(build)
    names = {path: stamp_name(path, entry["command"], common)
             for path, entry in compilations.items()}
    todo = [path for path, name in names.items() if not (stamps / name).exists()]
    groups = groups_of(todo, MOST_TOGETHER, by_namespace=True)
    write_database(database, compilations, groups)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda item: findings_of(database, str(item[0]), item[1]),
                         enumerate(groups))
        for group, findings in zip(groups, found):
            bad += len(findings)
            for text in findings.values():
                print(text.replace(f"{ROOT}/", ""), flush=True)
            for path in group:
                if path not in findings:
                    (stamps / names[path]).touch()
    for stamp in stamps.iterdir():
        if stamp.name not in names.values():
            stamp.unlink()
    print(f"{len(names)} files, {len(names) - len(todo)} unchanged since they were clean, "
          f"{bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
