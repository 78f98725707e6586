"""Convolutions of any number of dimensions as einsums of their own tensors."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.importers.onnx.network import Item, Mapped
from tilewright.importers.onnx.nodes import Node, Unknown

_PLACES, _FILTER = "PQUVXY", "RSTJKH"  # height, width, and further dimensions


@dataclass(frozen=True, slots=True)
class _Convolution:
    """Sizes; a transposed one has the places of its input."""

    batch: int
    channels: int
    outputs: int
    groups: int
    places: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    transposed: bool

    @property
    def axes(self) -> range:
        return range(len(self.places))

    def spread(self, axis: int) -> int:
        """How far the window gets."""
        steps = (self.places[axis] - 1) * self.strides[axis]
        return steps + self._reach(axis) + 1

    def _reach(self, axis: int) -> int:
        return (self.kernel[axis] - 1) * self.dilations[axis]

    def window(self, axis: int) -> str:
        step, gap = self.strides[axis], self.dilations[axis]
        return f"{_times(step)}{_PLACES[axis]}+{_times(gap)}{_FILTER[axis]}"

    def fits(self, slid: tuple[int, ...]) -> bool:
        """Whether the filter reaches beyond neither end by a whole filter, and no step is left."""
        return all(
            self.spread(axis) - 2 * self._reach(axis)
            <= slid[axis]
            < self.spread(axis) + self.strides[axis]
            for axis in self.axes
        )


def convolution(node: Node, data: int = 0, filters: int = 1) -> list[Item]:
    """Conv and its kin; the inputs with those numbers are the data and the filters."""
    conv = _sizes(node, data, filters)
    items: list[Item] = []
    tensors = {"I": node.input(data), "W": node.input(filters), "O": node.written}
    slid = "O" if conv.transposed else "I"
    after: list[Item] = []
    if not conv.fits(node.shape_of(tensors[slid])[2:]):
        whole = (conv.batch, node.shape_of(tensors[slid])[1], *map(conv.spread, conv.axes))
        if 0 not in whole:
            tensors[slid] = _padded(node, tensors[slid], whole, slid, items, after)
    if conv.groups == 1:
        channels = ["C"], ["C", "M"] if conv.transposed else ["M", "C"], ["M"]
        sizes = {"N": conv.batch, "M": conv.outputs, "C": conv.channels}
    elif conv.groups == conv.channels == conv.outputs:  # Z is the one channel of a filter
        channels = ["G"], ["G", "Z"], ["G"]
        sizes = {"N": conv.batch, "G": conv.groups, "Z": 1}
    else:
        own = ["G", "C", "M"] if conv.transposed else ["G", "M", "C"]
        channels = ["G", "C"], own, ["G", "M"]
        sizes = {
            "N": conv.batch,
            "G": conv.groups,
            "M": conv.outputs // conv.groups,
            "C": conv.channels // conv.groups,
        }
        _split_groups(node, tensors, channels, sizes, items, after)
    made = _mapped(node, conv, channels, sizes, tensors)
    return [*items, made, *after]


def _sizes(node: Node, data: int, filters: int) -> _Convolution:
    shape, kernel = node.shape(data), node.shape(filters)
    groups = node.attribute("group") or 1
    transposed = node.op == "ConvTranspose"
    spatial = len(kernel) - 2
    if spatial < 1 or len(shape) != len(kernel) or not groups > 0 or shape[1] % groups:
        raise Unknown("its shapes do not fit together")
    if spatial > len(_PLACES):
        raise Unknown("a convolution of so many dimensions cannot be written")
    outputs = kernel[1] * groups if transposed else kernel[0]
    wanted = kernel[0] if transposed else kernel[1] * groups
    if shape[1] != wanted or node.out()[1:2] != (outputs,):
        raise Unknown("its shapes do not fit together")
    places = shape[2:] if transposed else node.out()[2:]
    strides = node.attribute("strides") or [1] * spatial
    dilations = node.attribute("dilations") or [1] * spatial
    if any(len(part) != spatial for part in (places, node.out()[2:], strides, dilations)):
        raise Unknown("its attributes do not fit its shapes")
    if outputs % groups or min(*strides, *dilations) < 1:
        raise Unknown("its attributes are not those of a convolution")
    return _Convolution(
        shape[0], shape[1], outputs, groups, places, kernel[2:], tuple(strides), tuple(dilations),
        transposed,
    )  # fmt: skip


def _padded(
    node: Node, name: str, whole: tuple[int, ...], role: str, before: list[Item], after: list[Item]
) -> str:
    """The tensor with all of its border, where there is more of it than a filter reaches."""
    made = node.tensor("padded", whole, name)
    if role == "I":
        before.append(node.other(".pad", "pad", [name], made))
    else:
        after.append(node.other(".crop", "crop", [made], name))
    return made


def _split_groups(
    node: Node,
    tensors: dict[str, str],
    channels: tuple[list[str], list[str], list[str]],
    sizes: dict[str, int],
    before: list[Item],
    after: list[Item],
) -> None:
    """Groups are an axis of their own in the einsum, but not in the model."""
    for role, axes in zip("IW", channels[:2], strict=True):
        shape = node.shape_of(tensors[role])
        split = [sizes[axis] for axis in axes]
        batch = [] if role == "W" else [sizes["N"]]
        whole = [*batch, *split, *shape[2:]]
        tensors[role], made = node.reshaped(tensors[role], f"groups_{role}", whole)
        before += made
    written = tensors["O"]
    shape = node.shape_of(written)
    own = [sizes["N"], *(sizes[axis] for axis in channels[2]), *shape[2:]]
    tensors["O"] = node.tensor("groups_O", own, written)
    after.insert(0, node.reshape_into(tensors["O"], "joined", written))


def _mapped(
    node: Node,
    conv: _Convolution,
    channels: tuple[list[str], list[str], list[str]],
    sizes: dict[str, int],
    tensors: dict[str, str],
) -> Mapped:
    places, kernel = _PLACES[: len(conv.places)], _FILTER[: len(conv.places)]
    windows, plain = [conv.window(axis) for axis in conv.axes], list(places)
    slid, still = (plain, windows) if conv.transposed else (windows, plain)
    read = ", ".join(["N", *channels[0], *slid])
    weight = ", ".join([*channels[1], *kernel])
    written = ", ".join(["N", *channels[2], *still])
    sizes = sizes | dict(zip(places, conv.places, strict=True))
    return Mapped(
        node.name,
        f"O[{written}] += I[{read}] * W:weight[{weight}]",
        sizes | dict(zip(kernel, conv.kernel, strict=True)),
        tensors,
        ["Z"] if sizes.get("Z") == 1 else [],
        _padding(node),
    )


def _padding(node: Node) -> str:
    pads = node.attribute("pads")
    auto = node.attribute("auto_pad")
    if auto and auto not in ("NOTSET", "VALID"):
        return f"auto_pad {auto}"
    return "pads " + " ".join(str(pad) for pad in pads) if pads and any(pads) else ""


def _times(factor: int) -> str:
    return "" if factor == 1 else f"{factor}*"
