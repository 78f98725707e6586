"""Sizes, energies and bandwidths of a storage, from its attributes and the tables."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from tilewright.importers.report import Report
from tilewright.importers.timeloop.components import Level
from tilewright.importers.timeloop.tables import Energy, EnergyTables
from tilewright.importers.values import Place, Scalar, Table, nearest, words
from tilewright.importers.writing import line

_ACCELERGY = "an input of Accelergy; the tables of energy and area say what came of it"
_LAYOUT = "no effect on what Timeloop counts"
_SPARSE = "compressed data is not modelled"
_NETWORK = "the energy and the latency of networks are not modelled"
# Attributes that are not taken over, and why.
_NOTES: dict[str, str] = {
    **dict.fromkeys(
        """technology tech_node type latency voltage global_cycle_seconds cycle_time cycle_seconds
        n_rdwr_ports n_rd_ports n_wr_ports nports num_pipeline_stages multiplier_width adder_width
        accum_datawidth bank_depth n_buffets update_fifo_depth memory_depth_aladdin col_id_width
        Y_X_wire_avg_length cell_datawidth n_PE_rows n_PE_cols size wordline class exponent mantissa
        datawidth subclass""".split(),
        _ACCELERGY,
    ),
    **dict.fromkeys("n_banks num_banks n_ports num_ports version num_dims".split(), _LAYOUT),
    **dict.fromkeys(
        """metadata_storage_depth metadata_storage_width metadata_datawidth metadata_block_size
        metadata_counter_width metadata_storage_bits decompression_supported compression_supported
        concordant_compressed_tile_traversal tile_partition_supported allow_overbooking
        metadata_word_bits""".split(),
        _SPARSE,
    ),
    **dict.fromkeys(
        """network_read network_fill network_drain network_update network_operand network_result
        network_fill_latency network_drain_latency network_word_bits wire_energy router_energy
        energy_per_hop tile_width network_type adder_energy fill_latency drain_latency""".split(),
        _NETWORK,
    ),
    "reduction_supported": "it concerns the energy of networks, which is not modelled",
    "has_power_gating": "instances that are not in use do not leak here either",
    "power_gated_at": "instances that are not in use do not leak here either",
    "addr_gen_energy": "the energy of address generators is not modelled",
    "min_utilization": "a least filling of a memory cannot be asked for",
    "per_dataspace_bandwidth_consumption_scale": "all tensors use bandwidth alike here",
}
_READ_ELSEWHERE = """depth memory_depth data_storage_depth width memory_width data_storage_width
    word_bits word_width block_size n_words cluster_size entries sizeKB instances meshX meshY
    read_bandwidth write_bandwidth shared_bandwidth bandwidth multiple_buffering cluster_area
    vector_access_energy name class energy area""".split()
KNOWN = (*_NOTES, *_READ_ELSEWHERE)


@dataclass(slots=True)
class Number:
    """A number in the file that is written, with its unit and where it came from."""

    text: str
    source: str
    table: str = ""  # of energies or areas, which has the number; the architecture itself has others


_MOST_WORDS = 1 << 60  # that a capacity can have here
_BUILT_IN = "Timeloop's built-in table"


def number_lines(numbers: dict[str, Number]) -> list[str]:
    """The lines of a level; what a table has is in a block of its own."""
    given = {key: number for key, number in numbers.items() if not number.table}
    imported = {key: number for key, number in numbers.items() if number.table}
    lines = [line(f"    {key}: {number.text}", number.source) for key, number in given.items()]
    if imported:
        tables = dict.fromkeys(number.table for number in imported.values())
        lines += ["    imported:", f"      from: {json.dumps(words(list(tables)))}"]
        lines += [
            line(f"      {key}: {number.text}", number.source) for key, number in imported.items()
        ]
    return lines


@dataclass(slots=True)
class Memory:
    """What is written of a storage."""

    level: Level
    words: int | None
    word_bits: int
    block: int
    cluster: int
    numbers: dict[str, Number] = field(default_factory=dict[str, Number])


def decimal(number: float) -> str:
    """A number without an exponent, with all its digits."""
    text = repr(float(number))
    if "e" in text:
        mantissa, exponent = text.split("e")
        places = max(0, len(mantissa.partition(".")[2]) - int(exponent))
        text = f"{number:.{places}f}"
    return text.removesuffix(".0")


def read_memory(level: Level, tables: EnergyTables, report: Report, largest: bool) -> Memory:
    """Reads all attributes of a storage."""
    word_bits = _count(level, report, "datawidth", "word_bits", "word_width") or 16
    width = _count(level, report, "width", "memory_width", "data_storage_width")
    block, cluster = _block_and_cluster(level, width, word_bits, report)
    memory = Memory(level, None, word_bits, block, cluster)
    memory.words = _words(memory, report)
    _bandwidths(memory, report)
    _energies(memory, tables, report, largest)
    _leak_and_area(memory, tables, report)
    name_the_rest(level, report)
    return memory


def _count(level: Level, report: Report, *keys: str) -> int | None:
    """A number of bits or words, which is 1 at least."""
    number = level.attributes.whole(*keys)
    if number is None or number >= 1:
        return number
    key = next((key for key in keys if level.attributes.value(key) is not None), keys[0])
    what = f"{key} of {level.name} is {number}"
    report.complain(what, "write a number from 1 on", _place_of(level, key))
    return None


def _block_and_cluster(
    level: Level, width: int | None, word_bits: int, report: Report
) -> tuple[int, int]:
    block = _count(level, report, "block_size", "n_words")
    cluster = _count(level, report, "cluster_size")
    if width is None:
        return block or 1, cluster or 1
    if block is not None:
        unit = word_bits * block
        cluster = cluster or max(1, width // unit)
    else:
        unit = word_bits * (cluster or 1)
        block = max(1, width // unit)
        if block > 1 and cluster is None:
            report.exact(
                f"width of {level.name}",
                _place_of(level, "width"),
                f"an access moves a row of {block} words, as in Timeloop of today; versions of 2019 "
                "and 2020 took them for instances that share the row (cluster_size)",
            )
    if width != word_bits * block * (cluster or 1):
        report.approximated(
            f"width of {level.name}",
            level.attributes.own.place_of("width"),
            f"{width} bits are not {word_bits} bits x block {block} x cluster {cluster or 1}; "
            "Timeloop refuses that, and the block is used here",
        )
    return block, cluster or 1


def _words(memory: Memory, report: Report) -> int | None:
    """The room in words; None is unlimited."""
    attributes, name = memory.level.attributes, memory.level.name
    place = memory.level.place
    entries = attributes.whole("entries")
    depth = attributes.whole("depth", "memory_depth", "data_storage_depth")
    size_kb = attributes.number("sizeKB")
    if entries is not None:
        words, source = entries, "entries"
        _name_other_sizes(memory, depth, size_kb, report)
    elif depth is not None:
        words, source = depth * memory.block, f"depth {depth} x block {memory.block}"
    elif size_kb is not None:
        words, source = int(size_kb * 8192 // memory.word_bits), f"{size_kb} KiB"
    else:
        _set_unlimited(memory, f"{name} has no depth", "no depth is given", report)
        return None
    buffering = attributes.number("multiple_buffering")
    if buffering is not None and buffering > 1:
        words = int(words / buffering)
        source += f" / multiple_buffering {buffering}"
    if words > _MOST_WORDS:
        _set_unlimited(memory, f"capacity of {name}", source, report)
        return None
    if words < 1:
        report.approximated(f"capacity of {name}", place, "it holds nothing; here it holds a word")
        words = 1
    memory.numbers["capacity"] = Number(f"{words} words", f"{source}; {place}")
    report.exact(f"capacity of {name}", place, f"{words} words ({source})")
    return words


def _name_other_sizes(
    memory: Memory, depth: int | None, size_kb: float | None, report: Report
) -> None:
    """Sizes beside ``entries``, which alone counts in Timeloop."""
    for key, number in (("depth", depth), ("sizeKB", size_kb)):
        if number is not None:
            what = f"{key} of {memory.level.name} = {decimal(number)}"
            report.left_out(what, memory.level.place, "entries say the size, as in Timeloop")


def _set_unlimited(memory: Memory, what: str, source: str, report: Report) -> None:
    memory.numbers["capacity"] = Number("unlimited", source)
    report.exact(what, memory.level.place, "its capacity is unlimited")


def _bandwidths(memory: Memory, report: Report) -> None:
    attributes = memory.level.attributes
    for key, ours in (
        ("read_bandwidth", "read_bandwidth"),
        ("write_bandwidth", "write_bandwidth"),
        ("shared_bandwidth", "bandwidth"),
    ):
        number = attributes.number(key)
        if number is not None and number > 0:
            _set_bandwidth(memory, ours, number, key, report)
    both = attributes.number("bandwidth")
    if both is not None and both > 0:
        for ours in ("read_bandwidth", "write_bandwidth"):
            if ours not in memory.numbers:
                _set_bandwidth(memory, ours, both / 2, "bandwidth, half each way", report)


def _set_bandwidth(memory: Memory, ours: str, number: float, key: str, report: Report) -> None:
    place = _place_of(memory.level, key.split(",")[0])
    memory.numbers[ours] = Number(f"{decimal(number)} words/cycle", f"{key}; {place}")
    report.exact(f"{key} of {memory.level.name}", place, f"{decimal(number)} words per cycle")


def _place_of(level: Level, key: str) -> Place:
    for table in level.attributes.tables:
        if table.spelling(key) is not None:
            return table.place_of(key)
    return level.place


def _energies(memory: Memory, tables: EnergyTables, report: Report, largest: bool) -> None:
    level = memory.level
    given = level.attributes.number("vector_access_energy")
    missing: list[str] = []
    for ours in ("read", "write", "update"):
        found: Energy | None = None
        table = ""
        if given is not None:
            found = Energy(float(given), _place_of(level, "vector_access_energy"))
        else:
            found = tables.largest(level.name) if largest else tables.energy(level.name, ours)
            table = found.table if found is not None else ""
        if found is not None:
            note = "largest of all actions" if largest and given is None else "of one row"
            source = f"{note}; {found.place}"
            memory.numbers[ours] = Number(f"{decimal(found.pj)} pJ", source, table)
            report.exact(f"{ours} energy of {level.name}", found.place, f"{decimal(found.pj)} pJ")
        else:
            missing.append(ours)
    if not missing:
        return
    pj = _built_in(memory)
    for ours in missing:
        source = f"for {memory.word_bits}-bit words"
        memory.numbers[ours] = Number(f"{decimal(pj)} pJ", source, _BUILT_IN)
    report.approximated(
        f"{words(missing)} energy of {level.name}",
        level.place,
        f"no table of energies has it; {decimal(pj)} pJ is what Timeloop takes without Accelergy",
    )


def _built_in(memory: Memory) -> float:
    """What Timeloop takes without Accelergy: a line through two points of Eyeriss."""
    bits = memory.word_bits * memory.block * memory.cluster
    level = memory.level
    if "dram" in level.component_class.lower() or "dram" in _technology(level):
        return 200.0 * memory.word_bits * memory.block / 16
    rows = -(-(memory.words or 1) // memory.block)
    row = (5 / 99.5) * (bits * rows / 8192 - 0.5) + 1
    return row * bits / 16 / memory.cluster


def _technology(level: Level) -> str:
    value = level.attributes.own.peek("technology")
    return value.text.lower() if isinstance(value, Scalar) else ""


def _leak_and_area(memory: Memory, tables: EnergyTables, report: Report) -> None:
    name = memory.level.name
    leak = tables.energy(name, "leak")
    if leak is not None and leak.pj > 0:
        text = f"{decimal(leak.pj)} pJ/cycle"
        memory.numbers["leakage"] = Number(text, str(leak.place), leak.table)
        report.exact(f"leakage of {name}", leak.place, f"{decimal(leak.pj)} pJ per cycle")
    area = tables.areas.get(name)
    table = area.table if area is not None else ""
    given = memory.level.attributes.number("cluster_area")
    if area is None and given is not None:
        area = Energy(float(given), _place_of(memory.level, "cluster_area"))
    if area is not None and area.pj > 0:
        memory.numbers["area"] = Number(f"{decimal(area.pj)} um2", str(area.place), table)
        report.exact(f"area of {name}", area.place, f"{decimal(area.pj)} um^2")


def name_the_rest(level: Level, report: Report) -> None:
    """Reports every attribute of a level that was not taken over."""
    table = level.attributes.own
    for key in list(table.unread()):
        _name_attribute(level, table, key, report)
    table.see_all()


def _name_attribute(level: Level, table: Table, key: str, report: Report) -> None:
    place = table.places.get(key, table.place)
    value = table.entries[key]
    text = f"{key} of {level.name}"
    if isinstance(value, Scalar) and len(value.text) <= 40:
        text += f" = {value.text}"
    name = key.replace("-", "_")
    if name in _NOTES:
        report.left_out(text, place, _NOTES[name])
        return
    if name in _READ_ELSEWHERE:
        report.left_out(text, place, "another key says the same, or it means nothing here")
        return
    meant = nearest(name, KNOWN)
    if meant is not None:
        report.warn(f"unknown attribute {key} of {level.name}", f"did you mean {meant}?", place)
    report.left_out(text, place, "unknown to Timeloop; an input of Accelergy at most")


def compute_energy(
    level: Level, tables: EnergyTables, report: Report, largest: bool
) -> dict[str, Number]:
    """Energy and area of the multipliers."""
    numbers: dict[str, Number] = {}
    found = tables.largest(level.name) if largest else tables.energy(level.name, "compute")
    given = level.attributes.number("energy")
    bits = _count(level, report, "word_bits", "datawidth", "word_width") or 16
    table = found.table if found is not None else ""
    if given is not None:
        found, table = Energy(float(given), _place_of(level, "energy")), ""
    if found is not None:
        numbers["energy"] = Number(f"{decimal(found.pj)} pJ", str(found.place), table)
        report.exact(f"energy of {level.name}", found.place, f"{decimal(found.pj)} pJ")
    else:
        pj = (bits / 16) ** 2
        numbers["energy"] = Number(f"{decimal(pj)} pJ", f"for {bits} bits", _BUILT_IN)
        report.approximated(
            f"energy of {level.name}",
            level.place,
            f"no table of energies has it; {decimal(pj)} pJ is what Timeloop takes without Accelergy",
        )
    area = tables.areas.get(level.name)
    if area is not None and area.pj > 0:
        numbers["area"] = Number(f"{decimal(area.pj)} um2", str(area.place), area.table)
        report.exact(f"area of {level.name}", area.place, f"{decimal(area.pj)} um^2")
    name_the_rest(level, report)
    return numbers
