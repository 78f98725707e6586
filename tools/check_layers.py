#!/usr/bin/env python3
"""Checks that the modules include only what tools/layers.txt lets them.

usage: check_layers.py [ROOT]     (default: the checkout this file is in)
"""

import pathlib
import sys

from project_includes import includes_of, project_files, resolve


def read_layers(path):
    """{module: set of modules it may include}, shared headers, what is wrong with the file.

    A module may include those of the lines above it alone, which rules out cycles.
    """
    allowed, shared, complaints = {}, [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        names, colon, targets = line.partition(":")
        if not colon:
            complaints.append((path, number, 'a line reads "module ...: module ..."'))
            continue
        if names == "shared":
            shared += targets.split()
            continue
        for target in targets.split():
            if target not in allowed:
                complaints.append((path, number, f"{target} is not on a line above"))
        for name in names.split():
            if name in allowed:
                complaints.append((path, number, f"{name} has a line already"))
            allowed[name] = set(targets.split())
    return allowed, shared, complaints


def module_of(root, path, shared):
    """The module of a file, and whether other modules may include it."""
    parts = path.relative_to(root).parts
    if parts[:2] == ("include", "tilewright"):
        return parts[2].removesuffix(".h"), True
    if parts[0] in ("reproduce", "python"):
        return parts[0], False
    if parts[0] != "src" or len(parts) < 3:
        return None, False
    inside = path.relative_to(root / "src")
    return str(inside.parent), any(inside.match(pattern) for pattern in shared)


def complaint_about(allowed, source, target, target_is_public, text):
    """What is wrong with an include, or None."""
    if target == source:
        return None
    if target not in allowed:
        return f'"{text}" belongs to no module of tools/layers.txt'
    if target not in allowed[source]:
        return f"{source} must not include {target}"
    if not target_is_public:
        return f'"{text}" is private to {target}; include "tilewright/{target}.h"'
    return None


def check_file(root, path, allowed, shared, graph):
    """Complaints about a file's includes; notes in graph where they lead."""
    source, _ = module_of(root, path, shared)
    if source not in allowed:
        return [(path, 1, f"module {source or path.name} is not in tools/layers.txt")]
    complaints = []
    graph[path] = []
    for number, text in includes_of(path):
        found = resolve(root, path, text)
        if found is None:
            if text.startswith("tilewright/"):
                complaints.append((path, number, f'there is no "{text}"'))
            continue
        graph[path].append(found)
        message = complaint_about(allowed, source, *module_of(root, found, shared), text)
        if message:
            complaints.append((path, number, message))
    return complaints


def find_cycle(graph):
    """The files of some cycle, in order, or None."""
    finished = set()

    def visit(node, trail):
        if node in trail:
            return trail[trail.index(node):]
        if node in finished:
            return None
        for target in graph.get(node, ()):
            cycle = visit(target, trail + [node])
            if cycle:
                return cycle
        finished.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node, [])
        if cycle:
            return cycle
    return None


def check(root):
    """Every complaint about a checkout: (file, line, message)."""
    root = pathlib.Path(root).resolve()
    allowed, shared, complaints = read_layers(root / "tools" / "layers.txt")
    graph = {}
    for path in project_files(root):
        complaints += check_file(root, path, allowed, shared, graph)
    cycle = find_cycle(graph)
    if cycle:
        names = [str(path.relative_to(root)) for path in cycle + cycle[:1]]
        complaints.append((cycle[0], 1, "cycle of includes: " + " -> ".join(names)))
    return [(path.relative_to(root), line, message) for path, line, message in complaints]


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).parent.parent
    complaints = check(root)
    for path, line, message in complaints:
        print(f"{path}:{line}: {message}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
