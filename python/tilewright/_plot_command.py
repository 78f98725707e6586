"""``tilewright plot``: results as figures, from the command line."""

from __future__ import annotations

import sys


def main(words: list[str]) -> int:
    print("not yet", words, file=sys.stderr)
    return 2
