#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/names.h"
#include "report/speed.h"
#include "report/table.h"
#include "tilewright/estimate.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

std::string words(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, " "));
}

// What happens to tensors that no list of a memory without `keep` names.
std::string rest_text(const Memory& memory) {
  if (memory.bypass.empty() && memory.free.empty()) return "keeps all";
  for (const Role role : {Role::Input, Role::Weight, Role::Output}) {
    const std::string name = to_string(role);
    if (!contains(memory.bypass, name) && !contains(memory.free, name)) return "keeps the rest";
  }
  return "";
}

std::string residence_text(const Memory& memory) {
  std::vector<std::string> parts;
  if (memory.keep) parts.push_back("keeps " + words(*memory.keep));
  if (!memory.keep && !memory.bypass.empty()) parts.push_back("bypasses " + words(memory.bypass));
  if (!memory.free.empty()) parts.push_back("the mapping decides on " + words(memory.free));
  const std::string rest = memory.keep ? "" : rest_text(memory);
  if (!rest.empty()) parts.push_back(rest);
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string bandwidths(const Memory& memory) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::optional<Rational>& bandwidth) {
    if (bandwidth) add_text(parts, "{}{}", what, plain(bandwidth->value()));
  };
  add("r ", memory.read_bandwidth);
  add("w ", memory.write_bandwidth);
  add("rw ", memory.shared_bandwidth);
  return parts.empty() ? "unlimited" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string capacity_text(const Capacity& capacity) {
  if (capacity.unit != Capacity::Unit::Words) return to_string(capacity);
  return grouped(capacity.amount) + (capacity.amount == 1 ? " word" : " words");
}

// 131072 words as "128 Ki": short enough for a list.
std::string short_capacity(const Capacity& capacity) {
  if (capacity.unit != Capacity::Unit::Words) return to_string(capacity);
  constexpr std::array<const char*, 4> kPrefixes = {"", " Ki", " Mi", " Gi"};
  std::int64_t amount = capacity.amount;
  std::size_t prefix = 0;
  while (prefix + 1 < kPrefixes.size() && amount >= 1024 && amount % 1024 == 0) {
    amount /= 1024;
    ++prefix;
  }
  return grouped(amount) + kPrefixes[prefix];
}

std::string capacity_cell(const Memory& memory) {
  if (memory.is_part && memory.name != memory.point_of) return "of " + memory.point_of;
  std::string text = capacity_text(memory.capacity);
  for (const auto& [tensor, part] : memory.partitions) {
    text += fmt::format(", {} {}", tensor, capacity_text(part));
  }
  if (memory.word_bits > 1) text += fmt::format(", words of {} bits", memory.word_bits);
  if (memory.double_buffered) text += ", double buffered";
  if (memory.uneven) text += ", uneven";
  return text;
}

std::string loops_text(const DimNames& dims) {
  if (!dims) return "";
  return dims->empty() ? "; no loops" : "; loops over " + words(*dims);
}

std::string axis_text(const char* name, const FanoutAxis& axis) {
  if (axis.size == 1) return "";
  return fmt::format("{} {}{}", name, axis.size,
                     axis.dims ? fmt::format(" ({})", words(*axis.dims)) : "");
}

struct Row {
  std::string size, access, bandwidth, notes;
};

Row row_of(const Memory& memory) {
  std::string access = fmt::format("{} / {} / {}", plain(memory.read_pj), plain(memory.write_pj),
                                   plain(memory.update_pj));
  if (memory.energy_of_bits) {
    access += fmt::format(" per {} bits", memory.word_bits * memory.block_words);
  } else if (memory.block_words > 1) {
    access += fmt::format(" per {} words", memory.block_words);
  }
  std::string notes = residence_text(memory);
  notes += loops_text(memory.dims);
  if (memory.accumulates_in_place) notes += "; accumulates in place";
  if (memory.leakage_pj_per_cycle > 0) {
    notes += fmt::format("; leaks {} pJ/cycle", plain(memory.leakage_pj_per_cycle));
  }
  return {capacity_cell(memory), access, bandwidths(memory), notes};
}

Row row_of(const Fanout& fanout) {
  std::vector<std::string> parts;
  for (const std::string& part : {axis_text("x", fanout.x), axis_text("y", fanout.y)}) {
    if (!part.empty()) parts.push_back(part);
  }
  std::string notes = parts.empty() ? "x 1" : fmt::format("{}", fmt::join(parts, ", "));
  if (!fanout.multicast) notes += "; no multicast";
  if (!fanout.reduction) notes += "; no reduction";
  if (fanout.shares_halos) notes += "; halos shared";
  if (!fanout.stationary.empty()) notes += fmt::format("; {} stationary", fanout.stationary);
  if (fanout.fills_diagonally) {
    notes += fmt::format("; fills in {} cycles", grouped(fanout.fill_cycles()));
  }
  if (fanout.preload) {
    notes += fmt::format("; preloads in {} cycles", grouped(fanout.preload_cycles()));
  }
  return {"", fanout.word_pj > 0 ? plain(fanout.word_pj) + " per word" : "", "", notes};
}

Row row_of(const Compute& compute) {
  return {"", plain(compute.mac_pj) + " per MAC", "",
          fmt::format("{} MAC{} every {}", compute.macs, compute.macs == 1 ? "" : "s",
                      compute.cycles == 1 ? "cycle" : fmt::format("{} cycles", compute.cycles))};
}

const char* kind_of(const Level& level) {
  constexpr std::array<const char*, 3> kKinds = {"memory", "fan-out", "compute"};
  return kKinds[level.index()];
}

std::string constraints_text(const std::vector<Constraint>& constraints) {
  if (constraints.empty()) return "";
  std::string text = "\n  mappings must keep to\n";
  for (const Constraint& constraint : constraints) text += "    " + to_string(constraint) + "\n";
  return text;
}

// Which numbers of a level come from where: "read imported from ERT.yaml; area estimated".
template <typename T>
std::string origins_text(const T& level) {
  std::vector<std::string> parts;
  if (!level.imported.keys.empty()) {
    add_text(parts, "{} imported from {}", fmt::join(level.imported.keys, ", "),
             level.imported.from);
  }
  if (!level.estimated.empty()) {
    add_text(parts, "{} estimated, mostly within a factor of {}", fmt::join(level.estimated, ", "),
             error_factor_of(level.made_as));
  }
  if (parts.empty()) return "all numbers are given";
  return fmt::format("{}; all else is given", fmt::join(parts, "; "));
}

// Told where levels say how they are made, or have numbers of another tool.
std::string estimates_text(const Architecture& arch) {
  std::string text;
  const auto add = [&](const auto& level) {
    if (level.made_as.empty() && level.imported.keys.empty()) return;
    const std::string made = level.made_as.empty() ? "" : fmt::format(" ({})", level.made_as);
    text += fmt::format("    {}{}: {}\n", level.name, made, origins_text(level));
  };
  for (const Level& level : arch.levels) {
    if (const auto* memory = std::get_if<Memory>(&level)) add(*memory);
    if (const auto* fanout = std::get_if<Fanout>(&level)) add(*fanout);
    if (const auto* compute = std::get_if<Compute>(&level)) add(*compute);
  }
  return text.empty() ? "" : "\n  where numbers come from (docs/energy.md)\n" + text;
}

}  // namespace

std::string architecture_text(const Architecture& arch, int width) {
  std::string text = arch.name;
  if (!arch.technology.empty()) text += fmt::format(" ({})", arch.technology);
  text += "\n";
  if (!arch.source.empty()) text += fmt::format("  source: {}\n", indented(arch.source, 4));
  if (arch.flexibility) {
    text += fmt::format("  flexibility: {} ({})\n", to_string(*arch.flexibility),
                        class_of(*arch.flexibility, parts_of(arch, *arch.flexibility)->pes));
    if (arch.flexibility->tile_of) {
      text += fmt::format("  a fixed tile is that of {} in each PE\n", *arch.flexibility->tile_of);
    }
  }
  if (arch.clock_hz) text += fmt::format("  clock: {}\n", clock_text(*arch.clock_hz));
  text += fmt::format("  {} accounting; leakage of {} instances{}\n\n", to_string(arch.accounting),
                      arch.leaking == LeakingInstances::All ? "all" : "used",
                      arch.reads_first_sums ? "; first sums are read back" : "");
  Table table({{"level", Align::Left},
               {"kind", Align::Left, 4},
               {"instances", Align::Right, 1},
               {"capacity", Align::Left},
               {"pJ: read / write / update", Align::Left, 2},
               {"words/cycle", Align::Left, 3},
               {"notes", Align::Left, 5}},
              width);
  for (int l = 0; l < arch.level_count(); ++l) {
    const Level& level = arch.level(LevelId{l});
    const Row row = std::visit([](const auto& kind) { return row_of(kind); }, level);
    table.add({name_of(level), kind_of(level), grouped(physical_instances(arch, LevelId{l})),
               row.size, row.access, row.bandwidth, row.notes});
  }
  text += table.text();
  text += estimates_text(arch);
  text += constraints_text(arch.constraints);
  if (const double um2 = total_area_um2(arch); um2 > 0)
    text += fmt::format("\n  area {}\n", area(um2));
  return text;
}

std::string architecture_list(const std::vector<Architecture>& archs, bool json, int width) {
  if (json) return architecture_list_json(archs);
  Table table({{"architecture", Align::Left},
               {"MACs"},
               {"limited memories (words of one instance)", Align::Left, 1},
               {"technology", Align::Left, 2}},
              width);
  for (const Architecture& arch : archs) {
    std::vector<std::string> memories;
    for (const Level& level : arch.levels) {
      const auto* memory = std::get_if<Memory>(&level);
      if (memory == nullptr || memory->capacity.unit == Capacity::Unit::Unlimited) continue;
      add_text(memories, "{} {}", memory->name, short_capacity(memory->capacity));
    }
    table.add({arch.name, grouped(physical_instances(arch, arch.compute_level())),
               fmt::format("{}", fmt::join(memories, ", ")), arch.technology});
  }
  return table.text();
}

std::string workload_text(const Workload& workload) {
  std::string text = fmt::format("{}\n  {}\n  {} MACs\n\n", workload.name, einsum_text(workload),
                                 grouped(multiply_accumulates(workload)));
  Table dims({{"dimension", Align::Left}, {"size"}, {"reused by", Align::Left}});
  for (int d = 0; d < workload.dim_count(); ++d) {
    std::vector<std::string> reused;
    for (const Tensor& tensor : workload.tensors) {
      if (!is_relevant(tensor, DimId{d})) reused.push_back(tensor.name);
    }
    dims.add({workload.dim(DimId{d}).name, grouped(workload.dim(DimId{d}).size),
              reused.empty() ? "-" : fmt::format("{}", fmt::join(reused, " "))});
  }
  Table tensors({{"tensor", Align::Left}, {"role", Align::Left}, {"shape", Align::Left}, {"bits"}});
  std::vector<std::int64_t> sizes;
  for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
  for (const Tensor& tensor : workload.tensors) {
    std::vector<std::int64_t> shape;
    for (const Rank& rank : tensor.ranks) shape.push_back(box_extent(rank, sizes));
    tensors.add({tensor.name, to_string(tensor.role), fmt::format("{}", fmt::join(shape, " x ")),
                 grouped(tensor.bits)});
  }
  return text + dims.text() + "\n" + tensors.text();
}

}  // namespace tilewright::report
