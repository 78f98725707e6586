"""The name of a question: a hash of everything that its answer depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tilewright._documents import parse
from tilewright._values import Architecture, Network, Workload

MODEL_VERSION = 1
"""To be raised with every change of the model, of an estimate or of a mapper that changes an
answer: what older versions computed is not taken for an answer any more, and
``tilewright results STORE clean`` deletes it. A test holds some answers and fails if they change."""

# They say who somebody is and not what they do.
_NAMES_OF_ARCHITECTURE = ("architecture", "source", "technology")
_NOT_ASKED = ("threads",)  # answers do not depend on them


def canonical_architecture(arch: Architecture) -> str:
    """What the answers depend on: the file without names, and every number, also estimated ones."""
    document = {k: v for k, v in arch.to_dict().items() if k not in _NAMES_OF_ARCHITECTURE}
    summary: dict[str, Any] = arch.summary()
    return _text([document, summary["levels"]])


def canonical_work(work: Workload | Network) -> str:
    """A workload without its name; a network as its layers with their counts, in order."""
    if isinstance(work, Workload):
        return _text(_workload(work))
    return _text([[_workload(layer.workload), layer.count] for layer in work.layers])


def _workload(work: Workload) -> Any:
    return {key: value for key, value in parse(work.to_yaml()).items() if key != "workload"}


def key_of(arch: str, work: str, options: Mapping[str, str], constrain: Sequence[str]) -> bytes:
    """Of canonical texts and options."""
    asked = {name: text for name, text in options.items() if name not in _NOT_ASKED}
    text = _text([MODEL_VERSION, arch, work, asked, list(constrain)])
    return hashlib.sha256(text.encode()).digest()[:16]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
