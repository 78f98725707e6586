#include "certificate/frames.h"

#include <algorithm>
#include <set>

namespace tilewright::certificate {

namespace {

// Bounds of one axis, all dimensions.
using Axis = std::vector<std::int64_t>;

struct FanoutSlots {
  int y = 0;
  LevelId level{};
};

std::vector<FanoutSlots> fanout_slots(const Problem& problem) {
  std::vector<FanoutSlots> found;
  for (int s = 0; s < problem.slot_count(); ++s) {
    const Slot& slot = problem.slots()[at(s)];
    if (slot.kind == SlotKind::SpatialY) found.push_back({s, slot.level});
  }
  return found;
}

void extend_axis(const Problem& problem, const Rules& rules, int slot, int dim, std::int64_t room,
                 Axis& axis, std::vector<Axis>& found) {
  if (dim == problem.dim_count()) {
    found.push_back(axis);
    return;
  }
  const Rules::Limits& limits = rules.at_slot(slot, dim);
  const std::int64_t size = problem.workload().dims[at(dim)].size;
  const std::int64_t most = std::min({limits.most, size, room});
  for (std::int64_t b = limits.least; b <= most; ++b) {
    if (rules.kind == SpaceKind::Perfect && size % b != 0) continue;
    axis[at(dim)] = b;
    extend_axis(problem, rules, slot, dim + 1, room / b, axis, found);
  }
  axis[at(dim)] = 1;
}

std::vector<Axis> axes_of(const Problem& problem, const Rules& rules, int slot) {
  std::vector<Axis> found;
  Axis axis(at(problem.dim_count()), 1);
  extend_axis(problem, rules, slot, 0, problem.instances_along(slot), axis, found);
  return found;
}

// Both bounds of a dimension must find iterations that are left.
bool go_together(const Problem& problem, const Rules& rules, const Axis& y, const Axis& x) {
  for (std::size_t d = 0; d < y.size(); ++d) {
    const std::int64_t size = problem.workload().dims[d].size;
    if (rules.kind == SpaceKind::Perfect ? size % (Count(y[d]) * x[d]) != 0
                                         : y[d] > ceil_div(size, x[d])) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Placement> all_placements(const Problem& problem, const Rules& rules) {
  const std::uint32_t all = (1U << problem.tensor_count()) - 1;
  std::vector<Placement> found;
  Placement placement;
  const auto extend = [&](const auto& self, std::uint32_t kept) -> void {
    const std::size_t m = placement.size();
    if (m == rules.must.size()) {
      if (kept == all) found.push_back(placement);
      return;
    }
    for (std::uint32_t bits = 0; bits <= all; ++bits) {
      if ((bits & ~rules.may[m]) != 0 || (rules.must[m] & ~bits) != 0) continue;
      placement.push_back(bits);
      self(self, kept | bits);
      placement.pop_back();
    }
  };
  extend(extend, 0);
  return found;
}

std::vector<std::vector<std::int64_t>> unrollings_of(const Problem& problem, const Rules& rules,
                                                     int fanout) {
  const FanoutSlots slots = fanout_slots(problem)[at(fanout)];
  const std::int64_t least = rules.least_instances[at(index_of(slots.level))];
  std::set<std::vector<std::int64_t>> found;
  const std::vector<Axis> along_x = axes_of(problem, rules, slots.y + 1);
  for (const Axis& y : axes_of(problem, rules, slots.y)) {
    for (const Axis& x : along_x) {
      if (!go_together(problem, rules, y, x)) continue;
      std::vector<std::int64_t> product;
      Count used = 1;
      for (std::size_t d = 0; d < y.size(); ++d) {
        product.push_back(Count(y[d]) * x[d]);
        used *= product.back();
      }
      if (used >= least) found.insert(std::move(product));
    }
  }
  return {found.begin(), found.end()};
}

std::vector<int> fanout_places(const Problem& problem) {
  std::vector<int> places;
  int memories = 0;
  for (const Slot& slot : problem.slots()) {
    if (slot.is_temporal()) ++memories;
    if (slot.kind == SlotKind::SpatialY) places.push_back(memories);
  }
  return places;
}

}  // namespace tilewright::certificate
