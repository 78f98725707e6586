#include "tilewright/flexibility.h"

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
  // What the buffer may not step through, the array may: the buffer stands for
  // both here, and keeps to the setting alone.
  auto& buffer = std::get<Memory>(levels[at(parts.buffer)]);
  buffer.dims.reset();
  std::erase_if(outside.arch.constraints, [&](const Constraint& constraint) {
    return constraint.level == buffer.name || !outside.arch.find_level(constraint.level);
  });
  std::erase_if(outside.constraints, [&](const Constraint& constraint) {
    return !outside.arch.find_level(constraint.level);
  });
  return outside;
}

}  // namespace tilewright
