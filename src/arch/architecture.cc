#include <fmt/format.h>

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

std::string to_string(const Capacity& capacity) {
  switch (capacity.unit) {
    case Capacity::Unit::Unlimited:
      return "unlimited";
    case Capacity::Unit::Words:
      return fmt::format("{} word{}", capacity.amount, capacity.amount == 1 ? "" : "s");
    case Capacity::Unit::Bits:
      break;
  }
  if (capacity.amount % 8 != 0) return fmt::format("{} bits", capacity.amount);
  std::int64_t amount = capacity.amount / 8;
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && amount != 0 && amount % 1024 == 0) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", amount, kUnits[unit]);
}

std::string to_string(Accounting accounting) {
  return accounting == Accounting::Exact ? "exact" : "timeloop";
}

}  // namespace tilewright
