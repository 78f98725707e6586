#!/usr/bin/env python3
"""Makes docs/reproduction.md from its template and from what `tilewright reproduce` wrote.

The template is reproduce/page.md, the results are reproduce/results/PAPER_ITEM.csv. In the template
{{PAPER_ITEM; COLUMN=CELL; ...; COLUMN}} stands for one cell: of the first row that has those cells,
in the last column named; COLUMN#2 is the second column of that heading. Of an item without a
file of results a dash stands there, and "none" for a cell without text.

usage: reproduction_page.py           writes the page
       reproduction_page.py --check   says whether the page is up to date, as a test does
       reproduction_page.py --run [PAPER [ITEM ...]]
           computes results again first (all takes about half an hour), with ./tilewright reproduce
"""

import csv
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "reproduce/page.md"
RESULTS = ROOT / "reproduce/results"
PAGE = ROOT / "docs/reproduction.md"
PAPERS = ("ruby", "goma", "quickflow", "flexibility", "silicon")
NOT_RUN = "–"
EMPTY = "none"
PLACE = re.compile(r"\{\{(.*?)\}\}", re.S)


def column(headings, name):
    """The number of a column, by its heading."""
    heading, _, number = name.partition("#")
    places = [i for i, one in enumerate(headings) if one == heading]
    which = int(number or 1) - 1
    if which >= len(places):
        raise LookupError(f"there is no column {name!r}; there are {', '.join(headings)}")
    return places[which]


def cell(place, results=RESULTS):
    """What stands for a place of the template."""
    item, *conditions, wanted = [part.strip() for part in place.split(";")]
    if not (results / f"{item}.csv").exists():
        return NOT_RUN
    with open(results / f"{item}.csv", encoding="utf-8", newline="") as file:
        headings, *rows = csv.reader(file)
    for condition in conditions:
        name, _, value = condition.partition("=")
        at = column(headings, name)
        rows = [row for row in rows if row[at] == value]
    if not rows:
        raise LookupError(f"{item} has no row with {'; '.join(conditions)}")
    return rows[0][column(headings, wanted)] or EMPTY


def page(template=None, results=RESULTS):
    """The text of the page; a LookupError names a place that means nothing."""
    text = TEMPLATE.read_text(encoding="utf-8") if template is None else template
    return PLACE.sub(lambda match: cell(match[1], results), text)


def run(words):
    """Computes the results of all papers, or of one, or of some of its items."""
    for paper in words[:1] or PAPERS:
        command = ["./tilewright", "reproduce", paper, *words[1:], "--out", str(RESULTS)]
        subprocess.run(command, cwd=ROOT, check=True)


def main(words):
    if words[:1] == ["--run"]:
        run(words[1:])
    elif words not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        text = page()
    except (LookupError, OSError) as error:
        print(f"{TEMPLATE.relative_to(ROOT)}: {error}", file=sys.stderr)
        return 1
    if words == ["--check"]:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        if not same:
            print("docs/reproduction.md is out of date: run tools/reproduction_page.py", file=sys.stderr)
        return 0 if same else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
