#include "certificate/frames.h"

#include <algorithm>
#include <set>

namespace tilewright::certificate {

namespace {

// The bounds of one spatial slot, by dimension.
using Bounds = std::vector<std::int64_t>;

void extend_bounds(const Problem& problem, const Rules& rules, int slot, int dim, std::int64_t room,
                   Bounds& bounds, std::vector<Bounds>& found) {
  if (dim == problem.dim_count()) {
    found.push_back(bounds);
    return;
  }
  const Rules::Limits& limits = rules.at_slot(slot, dim);
  const std::int64_t size = problem.workload().dims[at(dim)].size;
  const std::int64_t most = std::min({limits.most, size, room});
  for (std::int64_t b = limits.least; b <= most; ++b) {
    if (rules.kind == SpaceKind::Perfect && size % b != 0) continue;
    bounds[at(dim)] = b;
    extend_bounds(problem, rules, slot, dim + 1, room / b, bounds, found);
  }
  bounds[at(dim)] = 1;
}

std::vector<Bounds> bounds_of(const Problem& problem, const Rules& rules, int slot) {
  std::vector<Bounds> found;
  Bounds bounds(at(problem.dim_count()), 1);
  extend_bounds(problem, rules, slot, 0, problem.instances_along(slot), bounds, found);
  return found;
}

// Both bounds of a dimension must find iterations that are left.
bool go_together(const Problem& problem, const Rules& rules, const Bounds& y, const Bounds& x) {
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
  const int slot = fanout_slots(problem)[at(fanout)];
  const LevelId level = problem.slots()[at(slot)].level;
  const std::int64_t least = rules.least_instances[at(level)];
  std::set<std::vector<std::int64_t>> found;
  const std::vector<Bounds> along_x = bounds_of(problem, rules, slot + 1);
  for (const Bounds& y : bounds_of(problem, rules, slot)) {
    for (const Bounds& x : along_x) {
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

std::vector<int> fanout_slots(const Problem& problem) {
  std::vector<int> slots;
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].kind == SlotKind::SpatialY) slots.push_back(s);
  }
  return slots;
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
