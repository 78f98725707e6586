#!/usr/bin/env python3
"""Sorts source files into groups that can be compiled as one.

usage: unity_groups.py MOST FILE...     prints the number of its group before each file

Reading the headers of others takes longer than compiling our own code, so files are
compiled, and checked, several at a time: those that declare nothing of the same name.
Those that read the longest of these headers come together, so that few groups read them.
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
# Another name for something: no trouble to another file that says the same.
ALIAS = re.compile(r"^using (\w+) = [^;]+;", re.M)
# Tests are known by both of their names together.
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", re.M)
MACROS = {"TEST", "TEST_F", "TEST_P", "INSTANTIATE_TEST_SUITE_P"}
# What a file keeps to itself.
UNNAMED = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.M | re.S)
# The namespace that a file is in.
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$", re.M)
# Others' headers that take seconds to compile.
LONG_HEADERS = re.compile(r"\b(nlohmann|CLI|YAML)::")


class Names:
    """What a file, or a group of files, declares and takes from elsewhere."""

    def __init__(self, text=""):
        self.aliases = {match[1]: match[0] for match in ALIAS.finditer(text)}
        own = "".join(UNNAMED.findall(text))
        self.own = self._declared_in(own) | {".".join(test) for test in TEST.findall(text)}
        self.shared = self._declared_in(UNNAMED.sub("", text))
        self.own |= self.shared & {"main"}  # of which a program has one
        self.used = set(USED.findall(text))

    def _declared_in(self, text):
        # A member that is defined outside of its class declares nothing.
        names = {match[1] for match in DECLARED.finditer(text) if text[match.start(1) - 1] != ":"}
        return names - MACROS - self.aliases.keys()

    def clashes_with(self, other):
        return self._spoils(other) or other._spoils(self)

    def hides_from(self, other):
        """Whether a name is kept to itself in one namespace and shared in another."""
        return self.own & other.shared or other.own & self.shared

    def _spoils(self, other):
        # What both share with all others has two names, or one name and other arguments.
        return (self.own & (other.own | other.shared)
                or (self.own | self.shared) & (other.used | other.aliases.keys())
                or self.aliases.keys() & other.used
                or any(other.aliases.get(name, alias) != alias
                       for name, alias in self.aliases.items()))

    def add(self, other):
        self.aliases |= other.aliases
        self.own |= other.own
        self.shared |= other.shared
        self.used |= other.used


def can_join(names, namespace, taken):
    return not any(names.clashes_with(other) if place == namespace else names.hides_from(other)
                   for place, other in taken.items())


def clashes_of(files):
    """{path: the number of other files that it cannot be compiled with}"""
    return {path: sum(not can_join(names, namespace, {place: other})
                      for other_path, (other, place) in files.items() if other_path != path)
            for path, (names, namespace) in files.items()}


def groups_of(paths, most, by_namespace=False):
    """Lists of files that declare nothing of the same name, the longest first.

    What two files have in common otherwise (a type that both call by another name, say)
    is for whoever compiles them to find. With `by_namespace`, files of different namespaces
    may declare the same name for themselves, too: there is more of that to find.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(paths)}
    files = {}
    for path, text in texts.items():
        inside = NAMESPACE.search(text) if by_namespace else None
        files[path] = Names(text), inside[1] if inside else ""
    clashes = clashes_of(files)
    groups = []
    # Files that clash with many others come first, while there is a place for them: fewer groups.
    for path in sorted(files, key=lambda path: (not LONG_HEADERS.search(texts[path]),
                                                -clashes[path])):
        names, namespace = files[path]
        for group, taken in groups:
            if len(group) < most and can_join(names, namespace, taken):
                group.append(path)
                taken.setdefault(namespace, Names()).add(names)
                break
        else:
            # A copy, since the names of others are added to it.
            groups.append(([path], {namespace: Names(texts[path])}))
    return sorted((sorted(group) for group, _ in groups),
                  key=lambda group: -sum(path.stat().st_size for path in group))


if __name__ == "__main__":
    all_groups = groups_of([pathlib.Path(name) for name in sys.argv[2:]], int(sys.argv[1]))
    for number, files in enumerate(all_groups):
        for file in files:
            print(number, file)
