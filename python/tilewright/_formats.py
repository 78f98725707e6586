"""The formats of files, in words."""

from __future__ import annotations

from tilewright import _native
from tilewright._errors import InputError, Problem


def explain(kind: str) -> str:
    """A file format, key by key: ``architecture``, ``workload``, ``mapping``, ``network``,
    ``constraints``, ``cascade`` or ``plan``."""
    kinds = _native.format_kinds()
    if kind not in kinds:
        raise InputError([Problem(f"{kind!r} is no file format",
                                  f"write one of {', '.join(kinds)}", file="format")])  # fmt: skip
    return _native.describe_format(kind)
