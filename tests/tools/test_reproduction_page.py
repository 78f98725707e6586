#!/usr/bin/env python3
"""The page of reproductions says what the program's results say, of every item."""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import reproduction_page  # noqa: E402

ITEM = re.compile(r'^      \{"([a-z0-9_]+)",', re.M)


def items():
    """(paper, item) of the program's table."""
    source = (ROOT / "reproduce/figure.cc").read_text(encoding="utf-8")
    for part in source.split("const std::vector<Item>& ")[1:]:
        paper = part.partition("(")[0]
        for item in ITEM.findall(part.partition("\n}\n")[0]):
            yield paper, item


class ReproductionPage(unittest.TestCase):
    def test_items_are_found(self):
        self.assertGreater(len(list(items())), 30)
        self.assertIn(("ruby", "table1"), list(items()))

    def test_the_page_is_that_of_the_results(self):
        page = reproduction_page.PAGE.read_text(encoding="utf-8")
        self.assertEqual(page, reproduction_page.page())

    def test_every_item_has_a_row(self):
        page = reproduction_page.PAGE.read_text(encoding="utf-8")
        for paper, item in items():
            self.assertIn(f"`{paper} {item}`", page)

    def test_no_result_is_of_an_item_that_is_gone(self):
        names = {f"{paper}_{item}" for paper, item in items()}
        self.assertEqual({path.stem for path in reproduction_page.RESULTS.glob("*.csv")} - names, set())

    def test_a_place_is_a_cell(self):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder)
            (results / "a_b.csv").write_text('x,y,y\n1,2,3\n2,"4, 5",6\n', encoding="utf-8")
            made = reproduction_page.page("{{a_b; y}} {{a_b; x=2; y}} {{a_b; x=2; y#2}}", results)
            self.assertEqual(made, "2 4, 5 6")
            self.assertEqual(reproduction_page.page("{{a_c; x=3; y}}", results), reproduction_page.NOT_RUN)
            for place in ("{{a_b; x=3; y}}", "{{a_b; z}}", "{{a_b; y#3}}"):
                with self.assertRaises(LookupError):
                    reproduction_page.page(place, results)


if __name__ == "__main__":
    unittest.main()
