#include "architecture_fields.h"

#include <array>

#include "constraint_fields.h"
#include "decimal.h"
#include "imported_numbers.h"
#include "member_fields.h"
#include "tilewright/estimate.h"

namespace tilewright::io {

namespace {

std::string capacity_text(const Capacity& capacity) { return to_string(capacity); }

// --- memory -----------------------------------------------------------------

using Partitions = std::map<std::string, Capacity>;

std::optional<Partitions> read_partitions(Context& context, const Node& node) {
  if (!context.expect_map(node, "shares such as \"{weight: 32 KiB, output: 2 KiB}\"")) {
    return std::nullopt;
  }
  Partitions partitions;
  for (const std::size_t entry : context.usable_entries(node)) {
    const auto name = read_text(context, node.key(entry), kNameForm);
    const auto share = read_capacity(context, node.value(entry));
    if (name && share) partitions[*name] = *share;
  }
  return partitions;
}

std::string partitions_text(const Partitions& partitions) {
  std::vector<std::string> shares;
  for (const auto& [name, share] : partitions) {
    shares.push_back(fmt::format("{}: {}", quoted_if_needed(name), to_string(share)));
  }
  return fmt::format("{{{}}}", join(shares, ", "));
}

inline constexpr char kBandwidthKey[] = "bandwidth";

// Estimates are not written: whoever reads the file makes them again. So what was given in place
// of one is written whatever it is. What was imported has a block of its own.
template <typename T>
bool is_given(const T& level, const char* key) {
  return !contains(level.estimated, key) && !level.imported.keys.contains(key);
}

// Changes what is written of a field whose number may be estimated.
template <auto Member, const char* Key, auto Text>
constexpr Field<OwnerOf<Member>> estimable(Field<OwnerOf<Member>> field) {
  using Owner = OwnerOf<Member>;
  field.write = [](const Owner& owner) -> std::optional<std::string> {
    const bool usual = owner.made_as.empty() && owner.*Member == Owner{}.*Member;
    if (usual || !is_given(owner, Key)) return std::nullopt;
    return Text(owner, owner.*Member);
  };
  return field;
}

// The energy is that of a block of words; where the file gave it for bits, so does this text.
std::string access_energy_text(const Memory& memory, double pj) {
  if (!memory.energy_of_bits) return energy_text(pj);
  return fmt::format("{} per {}", energy_text(pj),
                     width_text(memory.word_bits * memory.block_words));
}

std::string mac_energy_text(const Compute& /*compute*/, double pj) { return energy_text(pj); }

template <auto Member>
constexpr Field<Memory> access_energy_field(const char* key, const char* fallback,
                                            const char* help) {
  return member_field<Member, read_access_energy_pj, energy_text>(key, kAccessEnergyForm, fallback,
                                                                  help);
}

// The three energies default to one another, so what an absent key means is
// settled after the whole memory has been read (see read_levels).
template <auto Member, auto Other, const char* Key>
constexpr Field<Memory> energy_as(const char* fallback, const char* help) {
  Field<Memory> field = access_energy_field<Member>(Key, fallback, help);
  field.write = [](const Memory& memory) -> std::optional<std::string> {
    const bool follows = memory.*Member == memory.*Other && !contains(memory.estimated, kReadKey);
    if (follows || !is_given(memory, Key)) return std::nullopt;
    return access_energy_text(memory, memory.*Member);
  };
  return field;
}

constexpr Field<Memory> shared_bandwidth_field() {
  Field<Memory> field = bandwidth_field<&Memory::shared_bandwidth>(
      kBandwidthKey, "reads, fills and updates of one instance together");
  field.write = [](const Memory& memory) -> std::optional<std::string> {
    if (!memory.shared_bandwidth || !is_given(memory, kBandwidthKey)) return std::nullopt;
    return bandwidth_text(*memory.shared_bandwidth);
  };
  return field;
}

// Queues and DRAM have no area that is estimated.
constexpr Field<Memory> memory_area_field() {
  Field<Memory> field = area_field<&Memory::area_um2>(kAreaKey, "area of one instance");
  field.write = [](const Memory& memory) -> std::optional<std::string> {
    const bool usual =
        memory.area_um2 == 0 && memory.made_as != "regfile" && memory.made_as != "sram";
    if (usual || !is_given(memory, kAreaKey)) return std::nullopt;
    return area_text(memory.area_um2);
  };
  return field;
}

constexpr Field<Memory> leakage_field() {
  Field<Memory> field =
      member_field<&Memory::leakage_pj_per_cycle, read_power_pj_per_cycle, power_text>(
          kLeakageKey, kPowerForm, "0 pJ/cycle", "energy one instance loses each cycle");
  field.write = [](const Memory& memory) -> std::optional<std::string> {
    const bool usual = memory.leakage_pj_per_cycle == 0 && !memory.leaks_fast;
    if (usual || !is_given(memory, kLeakageKey)) return std::nullopt;
    return power_text(memory.leakage_pj_per_cycle);
  };
  return field;
}

constexpr Field<Memory> capacity_field() {
  Field<Memory> field = member_field<&Memory::capacity, read_capacity, capacity_text>(
      "capacity", kCapacityForm, nullptr, "what the tensors kept here may take together");
  field.write = [](const Memory& memory) -> std::optional<std::string> {
    return to_string(memory.capacity);
  };
  return field;
}

// Two keys for one member: arrays on the chip, and kinds of DRAM.
template <auto Kinds>
std::optional<std::string> read_kind(Context& context, const Node& node) {
  const auto choice = read_choice(context, node, Kinds());
  if (!choice) return std::nullopt;
  return Kinds()[*choice];
}

template <auto Kinds>
constexpr Field<Memory> kind_field(const char* key, const char* form, const char* help) {
  Field<Memory> field =
      member_field<&Memory::made_as, read_kind<Kinds>, quoted_if_needed>(key, form, "none", help);
  field.write = [](const Memory& memory) -> std::optional<std::string> {
    if (!contains(Kinds(), memory.made_as)) return std::nullopt;
    return memory.made_as;
  };
  return field;
}

NumberTexts number_texts(const Memory& memory) {
  return {{kReadKey, access_energy_text(memory, memory.read_pj)},
          {kWriteKey, access_energy_text(memory, memory.write_pj)},
          {kUpdateKey, access_energy_text(memory, memory.update_pj)},
          {kLeakageKey, power_text(memory.leakage_pj_per_cycle)},
          {kAreaKey, area_text(memory.area_um2)}};
}

constexpr TwoWords kCells = {"unknown", "high_performance"};
constexpr TwoWords kAccumulation = {"read_back", "in_place"};

constexpr Field<Memory> keep_field() {
  return member_field<&Memory::keep, read_tensor_names, optional_names_text>(
      "keep", kTensorsForm, "all that is not listed elsewhere",
      "tensors always kept here, by role or name; with this key all others pass by");
}

constexpr auto kMemoryFields = std::to_array<Field<Memory>>({
    name_field<&Memory::name>("memory", "its name"),
    capacity_field(),
    member_field<&Memory::partitions, read_partitions, partitions_text>(
        "partitions", "a map such as \"{weight: 32 KiB}\"", "none",
        "shares of single tensors, which then do not use the capacity"),
    member_field<&Memory::word_bits, read_width_bits, width_text>(
        "word", kWidthForm, "1 bits",
        "elements take whole words of this width where the capacity is in bytes or bits; energies "
        "and bandwidths that are said of bits are converted by it"),
    member_field<&Memory::block_words, read_words, words_text>("block", kWordsForm, "1 words",
                                                               "words moved by one access"),
    estimable<&Memory::read_pj, kReadKey, access_energy_text>(access_energy_field<&Memory::read_pj>(
        kReadKey, "0 pJ", "energy of one read access (of one block)")),
    energy_as<&Memory::write_pj, &Memory::read_pj, kWriteKey>(
        "as read", "energy of one write access, which fills from outside"),
    energy_as<&Memory::update_pj, &Memory::write_pj, kUpdateKey>(
        "as write", "energy of one access that takes partial sums from inside"),
    bandwidth_field<&Memory::read_bandwidth>("read_bandwidth", "reads of one instance"),
    bandwidth_field<&Memory::write_bandwidth>("write_bandwidth",
                                              "fills and updates of one instance"),
    shared_bandwidth_field(),
    leakage_field(),
    memory_area_field(),
    imported_field<Memory, number_texts>(),
    kind_field<memory_kinds>("class", "sram, regfile or fifo",
                             "what numbers that are not given are estimated by (docs/energy.md)"),
    kind_field<dram_kinds>("dram",
                           "lpddr4, lpddr5, lpddr, ddr3, ddr4, ddr5, gddr5, gddr6, hbm2 or hbm3",
                           "the same, of a memory outside the chip"),
    member_field<&Memory::row_bits, read_width_bits, width_text>(
        "width", kWidthForm, "not known",
        "of a row; rows, banks and ports give the bandwidth if none is given"),
    count_field<&Memory::banks>("banks", "1", "that move a row each"),
    count_field<&Memory::ports>("ports", "1", "of each bank"),
    choice_field<&Memory::leaks_fast, kCells>(
        "cells", "unknown or high_performance",
        "of sram; the leakage of high-performance cells is estimated"),
    keep_field(),
    tensors_field<&Memory::bypass>("bypass", "none", "tensors never kept here"),
    tensors_field<&Memory::free>("free", "none", "tensors for which the mapping decides"),
    bool_field<&Memory::double_buffered>("double_buffered", "false",
                                         "half of the capacity is usable at a time"),
    choice_field<&Memory::accumulates_in_place, kAccumulation>(
        "accumulate", "read_back or in_place",
        "how partial sums are added: by what is inside, or by the memory itself"),
    bool_field<&Memory::uneven>(
        "uneven", "false",
        "search mappings, too, in which each tensor has its tile cut at a place of its own"),
    dims_field<&Memory::dims>("dims", "dimensions that may have a loop here"),
});

// The memory's own level has its numbers; the other parts say what they keep, and where.
constexpr Field<Memory> shares_field() {
  Field<Memory> field = name_field<&Memory::point_of>(
      kSharesKey, "the memory just outside whose room, ports, energies and area it is part of");
  field.text.form = "the name of a memory";
  return field;
}

constexpr auto kPartFields = std::to_array<Field<Memory>>({
    name_field<&Memory::name>("memory", "its name"),
    shares_field(),
    keep_field(),
    tensors_field<&Memory::bypass>("bypass", "none", "tensors never kept here"),
    tensors_field<&Memory::free>("free", "none", "tensors for which the mapping decides"),
    dims_field<&Memory::dims>("dims", "dimensions that may have a loop here"),
});

// --- fan-out ----------------------------------------------------------------

constexpr auto kAxisFields = std::to_array<Field<FanoutAxis>>({
    count_field<&FanoutAxis::size>("size", nullptr, "instances along the axis"),
    dims_field<&FanoutAxis::dims>("dims", "dimensions that may be unrolled along the axis"),
});

std::optional<FanoutAxis> read_axis(Context& context, const Node& node) {
  FanoutAxis axis;
  if (node.is_scalar()) {
    const auto size = read_count(context, node);
    if (!size) return std::nullopt;
    axis.size = *size;
  } else {
    read_fields(context, node, FieldTable<FanoutAxis>(kAxisFields), axis, "an axis");
  }
  return axis;
}

std::string axis_text(const FanoutAxis& axis) {
  if (!axis.dims) return fmt::format("{}", axis.size);
  return fmt::format("{{size: {}, dims: {}}}", axis.size, names_text(*axis.dims));
}

constexpr const char* kAxisForm = "a number such as \"14\", or \"{size: 14, dims: [Q, M]}\"";

constexpr TwoWords kFillings = {"none", "diagonal"};
constexpr TwoWords kHalos = {"apart", "shared"};

constexpr std::array<const char*, 3> kPreloads = {"none", "x", "y"};

std::optional<std::optional<Axis>> read_preload(Context& context, const Node& node) {
  const auto choice = read_choice(context, node, {kPreloads.begin(), kPreloads.end()});
  if (!choice) return std::nullopt;
  if (*choice == 0) return std::optional<Axis>{};
  return std::optional<Axis>{*choice == 1 ? Axis::X : Axis::Y};
}

std::string preload_text(const std::optional<Axis>& axis) {
  return kPreloads[!axis ? 0 : *axis == Axis::X ? 1 : 2];
}

constexpr Field<Fanout> word_energy_field() {
  Field<Fanout> field = energy_field<&Fanout::word_pj>(
      kWordEnergyKey, "network energy per word and instance it goes to or comes from");
  field.write = [](const Fanout& fanout) -> std::optional<std::string> {
    const bool usual = fanout.word_pj == 0 && fanout.made_as.empty();
    if (usual || !is_given(fanout, kWordEnergyKey)) return std::nullopt;
    return energy_text(fanout.word_pj);
  };
  return field;
}

constexpr Field<Fanout> wire_field() {
  Field<Fanout> field = member_field<&Fanout::wire_mm, read_length_mm, length_text>(
      "wire", kLengthForm, "not known",
      "how far a word goes; with \"word\" it gives the energy if that is not given");
  field.read = [](Context& context, const Node& node, Fanout& fanout) {
    const auto length = read_length_mm(context, node);
    if (!length) return;
    fanout.wire_mm = *length;
    fanout.made_as = kWire;
  };
  return field;
}

NumberTexts number_texts(const Fanout& fanout) {
  return {{kWordEnergyKey, energy_text(fanout.word_pj)}};
}

constexpr auto kFanoutFields = std::to_array<Field<Fanout>>({
    name_field<&Fanout::name>("fanout", "its name"),
    member_field<&Fanout::x, read_axis, axis_text>("x", kAxisForm, "1", "instances along x"),
    member_field<&Fanout::y, read_axis, axis_text>("y", kAxisForm, "1", "instances along y"),
    bool_field<&Fanout::multicast>("multicast", "true", "what several instances need is read once"),
    bool_field<&Fanout::reduction>("reduction", "true",
                                   "partial sums of several instances are added on the way out"),
    choice_field<&Fanout::shares_halos, kHalos>(
        "halo", "apart or shared",
        "whether words in which the windows of several instances overlap are read once, too"),
    word_energy_field(),
    imported_field<Fanout, number_texts>(),
    wire_field(),
    member_field<&Fanout::word_bits, read_width_bits, width_text>("word", kWidthForm, "not known",
                                                                  "how wide the wires are"),
    member_field<&Fanout::stationary, read_name, quoted_if_needed>(
        "stationary", "a tensor, by role or name", "none",
        "of a systolic array: the tensor that stands still in the memory inside"),
    choice_field<&Fanout::fills_diagonally, kFillings>(
        "fill", "none or diagonal",
        "x + y - 2 cycles at each change of the stationary tile, in which the array fills and "
        "drains"),
    member_field<&Fanout::preload, read_preload, preload_text>(
        "preload", "none, x or y", "none",
        "as many cycles as the axis is long at each change of the stationary tile, in which it "
        "is loaded"),
});

// --- compute ----------------------------------------------------------------

NumberTexts number_texts(const Compute& compute) {
  return {{kEnergyKey, energy_text(compute.mac_pj)}, {kAreaKey, area_text(compute.area_um2)}};
}

constexpr Field<Compute> compute_area_field() {
  Field<Compute> field = area_field<&Compute::area_um2>(kAreaKey, "area of one instance");
  field.write = [](const Compute& compute) -> std::optional<std::string> {
    if (compute.area_um2 == 0 || !is_given(compute, kAreaKey)) return std::nullopt;
    return area_text(compute.area_um2);
  };
  return field;
}

constexpr auto kComputeFields = std::to_array<Field<Compute>>({
    name_field<&Compute::name>("compute", "its name"),
    count_field<&Compute::macs>("macs", "1",
                                "multiply-accumulates that one instance starts at once"),
    count_field<&Compute::cycles>("cycles", "1", "cycles from one start to the next"),
    estimable<&Compute::mac_pj, kEnergyKey, mac_energy_text>(
        energy_field<&Compute::mac_pj>(kEnergyKey, "energy of one multiply-accumulate")),
    compute_area_field(),
    imported_field<Compute, number_texts>(),
    member_field<&Compute::made_as, read_kind<mac_kinds>, quoted_if_needed>(
        "mac", "int4, int8, int16, fp8, bf16, fp16 or fp32", "none",
        "what the energy is estimated by if it is not given (docs/energy.md)"),
});

// --- architecture -----------------------------------------------------------

constexpr TwoWords kAccountings = {"exact", "timeloop"};
constexpr TwoWords kLeaking = {"used", "all"};
constexpr TwoWords kFirstSums = {"skipped", "read"};

constexpr Field<Architecture> flexibility_field() {
  return {{kFlexibilityKey, "a block with the keys below", "none",
           "what an accelerator for convolutions can be set to, layer by layer"},
          [](Context& context, const Node& node, Architecture& arch) {
            arch.flexibility.emplace();
            read_fields(context, node, flexibility_fields(), *arch.flexibility, "the flexibility");
          },
          [](const Architecture& arch) -> std::optional<std::string> {
            if (!arch.flexibility) return std::nullopt;
            const auto lines = write_fields(flexibility_fields(), *arch.flexibility);
            return lines.empty() ? " {}" : "\n  " + join(lines, "\n  ");
          }};
}

std::string optional_clock_text(const std::optional<std::int64_t>& hz) { return clock_text(*hz); }

std::string optional_volts_text(const std::optional<double>& volts) {
  return decimal_text(*volts) + " V";
}

constexpr auto kArchitectureFields = std::to_array<Field<Architecture>>({
    name_field<&Architecture::name>("architecture", "its name"),
    note_field<&Architecture::source>("source", "where the numbers come from"),
    note_field<&Architecture::technology>(
        "technology", "a node such as \"32 nm\", for estimates; otherwise for the reader alone"),
    member_field<&Architecture::volts, read_volts, optional_volts_text>(
        "voltage", kVoltsForm, "0.8 V", "the supply, for estimates"),
    member_field<&Architecture::clock_hz, read_clock_hz, optional_clock_text>(
        "clock", kClockForm, "none", "with it, results are in seconds and watts as well"),
    {{kVariablesKey, kVariablesForm, "none",
      "numbers by name, for arithmetic in levels such as \"2 * rows * 16 B\""},
     [](Context&, const Node&, Architecture&) {},  // read before all others
     [](const Architecture&) -> std::optional<std::string> { return std::nullopt; }},
    choice_field<&Architecture::accounting, kAccountings>(
        "accounting", "exact or timeloop",
        "how sliding windows are counted: distinct elements, or bounding boxes as Timeloop does"),
    choice_field<&Architecture::reads_first_sums, kFirstSums>(
        "first_sums", "skipped or read",
        "whether a sum is read back and filled in the first time too, before anything was added"),
    choice_field<&Architecture::leaking, kLeaking>("leakage_of", "used or all",
                                                   "which instances of a memory leak"),
    {{"levels", "the list of levels", nullptr,
      "outermost first: a memory, then memories and fan-outs, at last the compute level"},
     read_levels,
     write_levels},
    {{kConstraintsKey, kConstraintsForm, "none", kConstraintsHelp},
     [](Context&, const Node&, Architecture&) {},
     [](const Architecture& arch) { return constraints_text(arch.constraints); }},
    flexibility_field(),
});

}  // namespace

FieldTable<Architecture> architecture_fields() { return kArchitectureFields; }
FieldTable<Memory> memory_fields() { return kMemoryFields; }
FieldTable<Memory> part_fields() { return kPartFields; }
FieldTable<Fanout> fanout_fields() { return kFanoutFields; }
FieldTable<FanoutAxis> axis_fields() { return kAxisFields; }
FieldTable<Compute> compute_fields() { return kComputeFields; }

}  // namespace tilewright::io
