#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilewright/arch.h"

namespace tilewright {

std::optional<LevelId> Architecture::find_level(const std::string& level_name) const {
  for (int i = 0; i < level_count(); ++i) {
    if (name_of(level(LevelId{i})) == level_name) return LevelId{i};
  }
  return std::nullopt;
}

const std::string& name_of(const Level& level) {
  return std::visit([](const auto& alternative) -> const std::string& { return alternative.name; },
                    level);
}

std::int64_t physical_instances(const Architecture& arch, LevelId level) {
  std::vector<std::int64_t> sizes;
  for (int i = 0; i < index_of(level); ++i) {
    if (const auto* fanout = std::get_if<Fanout>(&arch.level(LevelId{i}))) {
      sizes.push_back(fanout->x.size);
      sizes.push_back(fanout->y.size);
    }
  }
  // A sound architecture stays below the limit.
  return checked_product(sizes).value_or(kCountLimit);
}

bool takes_energy(const Architecture& arch) {
  return std::any_of(arch.levels.begin(), arch.levels.end(), [](const Level& level) {
    if (const auto* memory = std::get_if<Memory>(&level)) {
      const double words = memory->read_pj + memory->write_pj + memory->update_pj;
      return words + memory->leakage_pj_per_cycle > 0;
    }
    if (const auto* fanout = std::get_if<Fanout>(&level)) return fanout->word_pj > 0;
    return std::get<Compute>(level).mac_pj > 0;
  });
}

void lift_bandwidths(Memory& memory) {
  memory.read_bandwidth.reset();
  memory.write_bandwidth.reset();
  memory.shared_bandwidth.reset();
}

bool shares_halos(const Architecture& arch) {
  return std::any_of(arch.levels.begin(), arch.levels.end(), [](const Level& level) {
    const auto* fanout = std::get_if<Fanout>(&level);
    return fanout != nullptr && fanout->shares_halos;
  });
}

bool has_parts(const Architecture& arch) {
  return std::any_of(arch.levels.begin(), arch.levels.end(), [](const Level& level) {
    const auto* memory = std::get_if<Memory>(&level);
    return memory != nullptr && memory->is_part;
  });
}

Architecture without_estimates(Architecture arch) {
  const auto settle = [](auto& level) {
    level.made_as.clear();
    level.estimated.clear();
    level.imported = {};
  };
  for (Level& level : arch.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) {
      settle(*memory);
      memory->leaks_fast = false;
    }
    if (auto* fanout = std::get_if<Fanout>(&level)) {
      settle(*fanout);
      fanout->wire_mm = 0;
      fanout->word_bits = 0;
    }
    if (auto* compute = std::get_if<Compute>(&level)) settle(*compute);
  }
  return arch;
}

double total_area_um2(const Architecture& arch) {
  double area = 0;
  for (int i = 0; i < arch.level_count(); ++i) {
    const auto instances = static_cast<double>(physical_instances(arch, LevelId{i}));
    const Level& level = arch.level(LevelId{i});
    if (const auto* memory = std::get_if<Memory>(&level)) area += instances * memory->area_um2;
    if (const auto* compute = std::get_if<Compute>(&level)) area += instances * compute->area_um2;
  }
  return area;
}

namespace {

struct SizeUnit {
  const char* name;
  std::int64_t bits;
};

// The largest unit in which all amounts are whole numbers.
SizeUnit common_unit(const std::vector<std::int64_t>& bits) {
  constexpr std::array<SizeUnit, 5> kUnits = {{{"GiB", std::int64_t{8} << 30},
                                               {"MiB", std::int64_t{8} << 20},
                                               {"KiB", std::int64_t{8} << 10},
                                               {"B", 8},
                                               {"bits", 1}}};
  // Nothing at all is "0 B".
  const bool none = std::all_of(bits.begin(), bits.end(), [](auto amount) { return amount == 0; });
  if (none) return kUnits[3];
  return *std::find_if(kUnits.begin(), kUnits.end(), [&](const SizeUnit& unit) {
    return std::all_of(bits.begin(), bits.end(),
                       [&](std::int64_t amount) { return amount % unit.bits == 0; });
  });
}

}  // namespace

std::vector<std::string> in_one_unit(Capacity::Unit unit,
                                     const std::vector<std::int64_t>& amounts) {
  std::vector<std::string> texts;
  const SizeUnit bits = common_unit(amounts);
  for (const std::int64_t amount : amounts) {
    texts.push_back(unit == Capacity::Unit::Unlimited ? "unlimited"
                    : unit == Capacity::Unit::Words
                        ? fmt::format("{} word{}", amount, amount == 1 ? "" : "s")
                        : fmt::format("{} {}", amount / bits.bits, bits.name));
  }
  return texts;
}

std::string to_string(const Capacity& capacity) {
  return in_one_unit(capacity.unit, {capacity.amount}).front();
}

std::string to_string(Accounting accounting) {
  return accounting == Accounting::Exact ? "exact" : "timeloop";
}

}  // namespace tilewright
