#include "tilewright/flex.h"

namespace tilewright {

namespace {

bool keeps_everything(const Memory& memory) {
  return !memory.keep && memory.bypass.empty() && memory.free.empty();
}

}  // namespace

std::optional<SetUp> outside_of_array(const Workload& workload, const Architecture& arch,
                                      const std::optional<ConvOrder>& order) {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  Setting single;
  single.shape = {1, 1};
  single.pair = {ConvDim::K, ConvDim::C};
  single.order = order;
  SetUp outside = set_up(workload, arch, single);
  auto& levels = outside.arch.levels;
  levels.erase(levels.begin() + index_of(parts.array), levels.end() - 1);
  for (const Level& level : levels) {
    if (std::holds_alternative<Fanout>(level)) return std::nullopt;
  }
  if (index_of(parts.buffer) != index_of(parts.array) - 1 || index_of(parts.buffer) == 0 ||
      !keeps_everything(std::get<Memory>(arch.level(parts.buffer)))) {
    return std::nullopt;
  }
  const auto is_gone = [&](const Constraint& constraint) {
    return !outside.arch.find_level(constraint.level);
  };
  std::erase_if(outside.constraints, is_gone);
  std::erase_if(outside.arch.constraints, is_gone);
  return outside;
}

}  // namespace tilewright
