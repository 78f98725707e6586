"""What users describe: workloads, architectures, networks, constraints, mappings."""

from tilewright._architecture import (
    Architecture,
    architecture,
    architecture_of,
    architectures,
)
from tilewright._formats import explain
from tilewright._mapping import Constraints, Mapping
from tilewright._network import Layer, Network, network, network_of, networks
from tilewright._value import (
    Document,
    PathLike,
    Sizes,
    Value,
    certificate_text,
    read_text,
    size_lines,
)
from tilewright._workload import Workload, workload_of

__all__ = [
    "Architecture",
    "Constraints",
    "Document",
    "Layer",
    "Mapping",
    "Network",
    "PathLike",
    "Sizes",
    "Value",
    "Workload",
    "architecture",
    "architecture_of",
    "architectures",
    "certificate_text",
    "explain",
    "network",
    "network_of",
    "networks",
    "read_text",
    "size_lines",
    "workload_of",
]
