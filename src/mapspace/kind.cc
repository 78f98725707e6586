#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "mapspace/tables.h"

namespace tilewright {

namespace {

constexpr std::array<const char*, 4> kSpaceNames = {"pfm", "ruby-s", "ruby-t", "ruby"};

}  // namespace

std::string to_string(SpaceKind kind) { return kSpaceNames[static_cast<std::size_t>(kind)]; }

std::optional<SpaceKind> space_kind(const std::string& name) {
  const auto found = std::find(kSpaceNames.begin(), kSpaceNames.end(), name);
  if (found == kSpaceNames.end()) return std::nullopt;
  return static_cast<SpaceKind>(found - kSpaceNames.begin());
}

bool may_leave_remainder(SpaceKind kind, const Slot& slot) {
  if (kind == SpaceKind::Ruby) return true;
  return kind == (slot.is_temporal() ? SpaceKind::RubyT : SpaceKind::RubyS);
}

namespace mapspace {

namespace {

// "3 of the 5 x 1 instances of Array must take part", where the rule counts
// the instances of a slot.
void add_least_use(const Problem& problem, const Restrictions& restrictions, const Slot& slot,
                   std::vector<std::string>& limits) {
  const auto& fanout = std::get<Fanout>(problem.arch().level(slot.level));
  const std::int64_t least = restrictions.least_instances(slot.level);
  if (least == 1) return;
  add_text(limits, "{} of the {} x {} instances of {} must take part ({})", least, fanout.x.size,
           fanout.y.size, fanout.name, restrictions.least_instances_from(slot.level));
}

// What keeps a dimension from a loop over all of it.
void add_most(const Problem& problem, const Restrictions& restrictions, int slot, DimId dim,
              std::vector<std::string>& limits) {
  const BoundLimits& limit = restrictions.limits(slot, dim);
  const Dimension& dimension = problem.workload().dim(dim);
  if (limit.most >= dimension.size) return;
  add_text(limits, "{} at most {} at {} ({})", dimension.name, limit.most, problem.slot_name(slot),
           limit.most_from);
}

}  // namespace

// "at least 2 at Rows.y (Rows.y: M >= 2)" for what limits a dimension beyond
// its size.
std::string no_chain_text(const Problem& problem, const Restrictions& restrictions, SpaceKind kind,
                          DimId dim) {
  const Dimension& dimension = problem.workload().dim(dim);
  std::vector<std::string> limits;
  for (int s = 0; s < problem.slot_count(); ++s) {
    const BoundLimits& limit = restrictions.limits(s, dim);
    const Slot& slot = problem.slots()[at(s)];
    const std::string place = problem.slot_name(s);
    // The slot of the y axis stands before that of the x axis.
    if (slot.kind == SlotKind::SpatialX &&
        std::max(limit.most, restrictions.limits(s - 1, dim).most) > 1) {
      add_least_use(problem, restrictions, slot, limits);
    }
    if (limit.least == limit.most && limit.least > 1) {
      add_text(limits, "{} at {} ({})", limit.least, place, limit.least_from);
      continue;
    }
    if (limit.least > 1) {
      add_text(limits, "at least {} at {} ({})", limit.least, place, limit.least_from);
    }
    if (limit.most < dimension.size && (limit.most_by_constraint || limit.most > 1)) {
      add_text(limits, "at most {} at {} ({})", limit.most, place, limit.most_from);
    }
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    const ExtentLimit& limit = restrictions.extent_limit(MemoryId{m}, dim);
    if (limit.most >= dimension.size) continue;
    add_text(limits, "at most {} in the tiles of {} (room for {})", limit.most,
             problem.memory(MemoryId{m}).name, problem.workload().tensor(limit.tensor).name);
  }
  return fmt::format("no chain of {} factors makes up {} = {}: {}", to_string(kind), dimension.name,
                     dimension.size, fmt::join(limits, "; "));
}

std::string no_room_text(const Problem& problem, const Restrictions& restrictions) {
  std::vector<std::string> limits;
  for (int s = 0; s < problem.slot_count(); ++s) {
    const Slot& slot = problem.slots()[at(s)];
    for (int d = 0; d < problem.dim_count(); ++d) {
      const BoundLimits& limit = restrictions.limits(s, DimId{d});
      // What the memories do not take is left to the fan-outs.
      if (slot.is_temporal() || limit.most_by_constraint) {
        add_most(problem, restrictions, s, DimId{d}, limits);
      }
      if (!slot.is_temporal() && limit.least > 1) {
        add_text(limits, "{} (of {} instances)", limit.least_from, problem.instances_along(s));
      }
    }
    if (slot.kind == SlotKind::SpatialX) add_least_use(problem, restrictions, slot, limits);
  }
  return fmt::format("no choice of factors goes together on the fan-outs: {}",
                     fmt::join(limits, "; "));
}

}  // namespace mapspace

}  // namespace tilewright
