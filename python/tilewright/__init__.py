"""Mappings of tensor contractions on accelerators: what they cost, which is best, and proof.

>>> import tilewright as tw
>>> best = tw.map("eyeriss", "gemm: m=64 n=64 k=64", objective="energy")
>>> best.proven
True
>>> best.energy_pj < tw.map("eyeriss", "gemm: m=64 n=64 k=64", objective="latency").energy_pj
True

A workload, an architecture, a mapping, a network and constraints are values
(:class:`Workload`, :class:`Architecture`, :class:`Mapping`, :class:`Network`,
:class:`Constraints`). The questions are :func:`evaluate`, :func:`map`, :func:`pareto`,
:func:`space` and :func:`check`, of several contractions as one (:class:`Cascade`, :class:`Plan`)
:func:`fuse` and :func:`evaluate_plan`; :mod:`tilewright.flex` asks what freedom is worth. Every option
of the command line has the same name and the same default here.
"""

from __future__ import annotations

import atexit
import os

from tilewright import _native, flex
from tilewright._ask import Stop, check, evaluate, map, pareto, space
from tilewright._errors import (
    Error,
    Infeasible,
    InputError,
    MissingDependency,
    NothingFound,
    Problem,
)
from tilewright._fusion import (
    Cascade,
    FusedNetworkResult,
    FuseResult,
    Plan,
    PlanResult,
    cascades,
    evaluate_plan,
    fuse,
)
from tilewright._fusion_checks import (
    NetworkCheck,
    PartCheck,
    PlanCheck,
    check_network,
    check_plan,
)
from tilewright._load import Loaded, load
from tilewright._report import report
from tilewright._results import (
    CheckResult,
    Evaluation,
    Front,
    LayerResult,
    MapResult,
    NetworkResult,
    Progress,
    Proof,
)
from tilewright._spaces import Evaluator, Mappings, Score, Scores, Space
from tilewright._values import (
    Architecture,
    Constraints,
    Layer,
    Mapping,
    Network,
    Workload,
    architecture,
    architectures,
    explain,
    network,
    networks,
)
from tilewright.sweeps import SweepResult, sweep

__version__: str = _native.VERSION

__all__ = [
    "Architecture",
    "Cascade",
    "CheckResult",
    "Constraints",
    "Error",
    "Evaluation",
    "Evaluator",
    "Front",
    "FuseResult",
    "FusedNetworkResult",
    "Infeasible",
    "InputError",
    "Layer",
    "LayerResult",
    "Loaded",
    "MapResult",
    "Mapping",
    "Mappings",
    "MissingDependency",
    "Network",
    "NetworkCheck",
    "NetworkResult",
    "NothingFound",
    "PartCheck",
    "Plan",
    "PlanCheck",
    "PlanResult",
    "Problem",
    "Progress",
    "Proof",
    "Score",
    "Scores",
    "Space",
    "Stop",
    "SweepResult",
    "Workload",
    "__version__",
    "architecture",
    "architectures",
    "cascades",
    "check",
    "check_network",
    "check_plan",
    "evaluate",
    "evaluate_plan",
    "explain",
    "flex",
    "fuse",
    "load",
    "map",
    "network",
    "networks",
    "pareto",
    "report",
    "space",
    "sweep",
]

# A search that still runs when the interpreter ends is cancelled, and waited for.
atexit.register(_native.end_calls)
os.register_at_fork(after_in_child=_native.forget_calls)
