#!/usr/bin/env python3
"""Sorts source files into groups that can be compiled as one.

usage: unity_groups.py MOST FILE...     prints the number of its group before each file

Reading the headers of others takes longer than compiling our own code, so files are
compiled, and checked, several at a time: those that declare nothing of the same name.
"""

import pathlib
import re
import sys

# What a file declares outside of functions and classes, since only that starts a line.
DECLARED = re.compile(
    r"^(?=\w)(?!namespace\b|using namespace\b|using [\w:]+;).*?\b(\w+)(?= ?[({\[=;])", re.M)
# Taken from elsewhere: no trouble to another file that takes it too, but to one that
# declares it.
USED = re.compile(r"^using [\w:]*?(\w+);", re.M)
# Tests are known by both of their names together.
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", re.M)
MACROS = {"TEST", "TEST_F", "TEST_P", "INSTANTIATE_TEST_SUITE_P"}


def declared_in(text):
    names = set(DECLARED.findall(text)) - MACROS
    return names | {".".join(test) for test in TEST.findall(text)}


def used_in(text):
    return set(USED.findall(text))


def groups_of(paths, most):
    """Lists of files that declare nothing of the same name, the longest first.

    What two files have in common otherwise (a type that both call by another name, say)
    is for whoever compiles them to find.
    """
    groups = []
    for path in sorted(paths):
        text = path.read_text(encoding="utf-8")
        declared, used = declared_in(text), used_in(text)
        for group, taken, needed in groups:
            if len(group) < most and not declared & (taken | needed) and not used & taken:
                group.append(path)
                taken.update(declared)
                needed.update(used)
                break
        else:
            groups.append(([path], declared, used))
    return sorted((group for group, _, _ in groups),
                  key=lambda group: -sum(path.stat().st_size for path in group))


if __name__ == "__main__":
    all_groups = groups_of([pathlib.Path(name) for name in sys.argv[2:]], int(sys.argv[1]))
    for number, files in enumerate(all_groups):
        for file in files:
            print(number, file)
