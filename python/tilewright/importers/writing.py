"""Texts of the files that are written: readable, each number with where it came from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_WORDS = ("null", "Null", "NULL", "true", "false", "yes", "no", "on", "off")


def name_text(name: str) -> str:
    """A name, in quotes where YAML would take it for something else."""
    return name if _PLAIN.match(name) and name not in _WORDS else json.dumps(name)


def list_text(names: Iterable[str]) -> str:
    return f"[{', '.join(name_text(name) for name in names)}]"


def map_text(entries: Mapping[str, str]) -> str:
    """Entries on one line; values are quoted where they need it."""
    texts = (f"{name_text(key)}: {_value(text)}" for key, text in entries.items())
    return f"{{{', '.join(texts)}}}"


def _value(text: str) -> str:
    return text if text.isdigit() else name_text(text)


def line(text: str, comment: str = "", width: int = 44) -> str:
    """A line, with a comment behind it if there is one."""
    comment = " ".join(comment.split())
    return f"{text:<{width}} # {comment}".rstrip() if comment else text


def heading(command: str, files: Iterable[str]) -> list[str]:
    """What a written file says first."""
    names = ", ".join(files)
    return [
        f"# Written by `tilewright {command}` from {names}.",
        "# report.md says what is exact, what is approximated and what is left out.",
    ]
