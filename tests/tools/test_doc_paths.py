#!/usr/bin/env python3
"""Files and folders that the documents name are there."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In backticks; a path with a placeholder (NAME), a brace or a star names no one file.
PATH = re.compile(r"`((?:src|include|tests|tools|bench|fuzz|reproduce|docs|cmake)/[a-z0-9_/.]+)`")
FILE = re.compile(r"`([a-z0-9_]+\.(?:h|cc|py))`")


def documents():
    return [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]


def names():
    """Names of our files, without their folders."""
    folders = ("src", "include", "tests", "tools", "bench", "fuzz", "reproduce")
    return {path.name for folder in folders for path in (ROOT / folder).rglob("*")}


class DocPaths(unittest.TestCase):
    def test_documents_are_found(self):
        self.assertGreater(len(documents()), 5)

    def test_paths_exist(self):
        missing = [f"{document.name}: {path}" for document in documents()
                   for path in PATH.findall(document.read_text(encoding="utf-8"))
                   if not (ROOT / path).exists()]
        self.assertEqual(missing, [])

    def test_files_exist(self):
        known = names()
        missing = [f"{document.name}: {name}" for document in documents()
                   for name in FILE.findall(document.read_text(encoding="utf-8"))
                   if name not in known]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
