#include <fmt/format.h>

#include "mapspace/tables.h"

namespace tilewright {

std::string to_string(SpaceKind kind) {
  switch (kind) {
    case SpaceKind::RubyS:
      return "ruby-s";
    case SpaceKind::RubyT:
      return "ruby-t";
    case SpaceKind::Ruby:
      return "ruby";
    case SpaceKind::Perfect:
      break;
  }
  return "pfm";
}

std::optional<SpaceKind> space_kind(const std::string& name) {
  for (const SpaceKind kind :
       {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT, SpaceKind::Ruby}) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

bool may_leave_remainder(SpaceKind kind, const Slot& slot) {
  if (kind == SpaceKind::Ruby) return true;
  return kind == (slot.is_temporal() ? SpaceKind::RubyT : SpaceKind::RubyS);
}

namespace mapspace {

// "at least 2 at Rows.y (Rows.y: M >= 2)" for what limits a dimension beyond
// its size.
std::string no_chain_text(const Problem& problem, const Restrictions& restrictions, SpaceKind kind,
                          DimId dim) {
  const Dimension& dimension = problem.workload().dim(dim);
  std::vector<std::string> limits;
  for (int s = 0; s < problem.slot_count(); ++s) {
    const BoundLimits& limit = restrictions.limits(s, dim);
    const std::string place = problem.slot_name(s);
    if (limit.least == limit.most && limit.least > 1) {
      limits.push_back(fmt::format("{} at {} ({})", limit.least, place, limit.least_from));
      continue;
    }
    if (limit.least > 1) {
      limits.push_back(fmt::format("at least {} at {} ({})", limit.least, place, limit.least_from));
    }
    if (limit.most < dimension.size && (limit.most_by_constraint || limit.most > 1)) {
      limits.push_back(fmt::format("at most {} at {} ({})", limit.most, place, limit.most_from));
    }
  }
  return fmt::format("no chain of {} factors makes up {} = {}: {}", to_string(kind), dimension.name,
                     dimension.size, fmt::join(limits, "; "));
}

std::string no_room_text(const Problem& problem, const Restrictions& restrictions) {
  std::vector<std::string> limits;
  for (int s = 0; s < problem.slot_count(); ++s) {
    const Slot& slot = problem.slots()[static_cast<std::size_t>(s)];
    if (slot.is_temporal()) continue;
    const auto& fanout = std::get<Fanout>(problem.arch().level(slot.level));
    const bool x = slot.kind == SlotKind::SpatialX;
    for (int d = 0; d < problem.dim_count(); ++d) {
      const BoundLimits& limit = restrictions.limits(s, DimId{d});
      if (limit.least == 1) continue;
      limits.push_back(
          fmt::format("{} (of {} instances)", limit.least_from, x ? fanout.x.size : fanout.y.size));
    }
    const std::int64_t least = restrictions.least_instances(slot.level);
    if (x && least > 1) {
      limits.push_back(fmt::format("{} of the {} x {} instances of {} must take part", least,
                                   fanout.x.size, fanout.y.size, fanout.name));
    }
  }
  return fmt::format("no choice of factors goes together on the fan-outs: {}",
                     fmt::join(limits, "; "));
}

}  // namespace mapspace

}  // namespace tilewright
