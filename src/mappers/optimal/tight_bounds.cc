#include "mappers/optimal/tight_bounds.h"

#include <algorithm>
#include <cmath>

namespace tilewright::optimal {
namespace {

// With so many tiles.
void add_tight_bounds(std::int64_t tiles, std::int64_t most_x, std::int64_t most_y,
                      std::vector<std::int64_t>& bounds) {
  for (std::int64_t x = 1; x <= std::min(most_x, tiles); ++x) {
    const std::int64_t left = ceil_div(tiles, x);
    for (std::int64_t y = std::min(most_y, left); y > 0; --y) {
      const std::int64_t groups = ceil_div(left, y);
      y = ceil_div(left, groups);  // the least with as many
      const bool is_tight = x == 1 || ceil_div(tiles, (x - 1) * y) > groups;
      if (is_tight) bounds.push_back(x * y);
    }
  }
}

// After whole groups.
void add_bounds_before_last_tile(std::int64_t tiles, std::int64_t most_x, std::int64_t most_y,
                                 std::vector<std::int64_t>& bounds) {
  const std::int64_t others = tiles - 1;
  for (std::int64_t x = 1; x <= std::min(most_x, others); ++x) {
    if (others % x != 0) continue;
    for (std::int64_t y = 1; y <= std::min(most_y, others / x); ++y) {
      if (others / x % y == 0) bounds.push_back(x * y);
    }
  }
}

void sort_out(std::vector<std::int64_t>& bounds) {
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
}

// Whether all of them are found soon.
bool are_found_soon(const SolverTables& solver, int fanout, int dim) {
  constexpr double kMostOfDivisors = 0x1p32;  // all divisors of larger sizes take long
  constexpr std::int64_t kMostOfAxis = 1 << 12;
  constexpr double kMostTried = 1 << 22;
  const FanoutShape& shape = solver.fanout(fanout);
  if (std::max(shape.size_x, shape.size_y) > kMostOfAxis) return false;
  const auto size = static_cast<double>(solver.size(dim));
  if (!has_remainders_in_time(solver)) return size <= kMostOfDivisors;
  const std::int64_t most_x = std::min(shape.size_x, solver.limits(shape.slot + 1, dim).most);
  const std::int64_t most_y = std::min(shape.size_y, solver.limits(shape.slot, dim).most);
  return 2 * std::sqrt(size) * static_cast<double>(most_x) * static_cast<double>(most_y) <=
         kMostTried;
}

struct Axes {
  std::int64_t x = 1, y = 1;
};
std::vector<std::int64_t> tight_bounds_on(const Axes& most, const SolverTables& solver, int dim) {
  const std::int64_t size = solver.size(dim);
  const std::int64_t most_x = std::min(most.x, size);
  return has_remainders_in_time(solver) ? tight_bounds_of_any_tiles(size, most_x, most.y)
                                        : tight_bounds(size, most_x, most.y);
}

bool unrolls_further_out(const SolverTables& solver, int fanout, int dim) {
  for (int f = 0; f < fanout; ++f) {
    const int slot = solver.fanout(f).slot;
    const FanoutShape& shape = solver.fanout(f);
    const bool along_y = std::min(shape.size_y, solver.limits(slot, dim).most) > 1;
    const bool along_x = std::min(shape.size_x, solver.limits(slot + 1, dim).most) > 1;
    if (along_x || along_y) return true;
  }
  return false;
}

}  // namespace

bool may_unroll_less(const SolverTables& solver, int fanout, int dim) {
  const FanoutShape& shape = solver.fanout(fanout);
  return solver.may_leave_remainder(shape.slot) && solver.limits(shape.slot, dim).least <= 1 &&
         solver.limits(shape.slot + 1, dim).least <= 1 &&
         solver.restrictions->least_instances(shape.level) <= 1;
}

// A group of a single tile that is cut short takes fewer steps. Where memories are read in blocks,
// instances with fewer words may have more blocks that are not full.
bool is_dealt_alike(const SolverTables& solver, int fanout, int dim) {
  const bool is_even = solver.uneven == 0 && !solver.has_shared_rooms() && !solver.stationary;
  if (!is_even || !may_unroll_less(solver, fanout, dim)) return false;
  if (!are_found_soon(solver, fanout, dim)) return false;
  for (const TensorShape& tensor : solver.tensors) {
    if (((tensor.relevant & ~tensor.alone) >> dim & 1U) != 0) return false;  // part of a window
  }
  for (const MemoryShape& memory : solver.memories) {
    if (memory.block != 1) return false;
  }
  return !unrolls_further_out(solver, fanout, dim);
}

bool may_hold_sums(const SolverTables& solver, int fanout, int dim) {
  if (contains(solver.tensors.back().relevant, dim)) return false;
  const std::uint32_t keepers = keepers_of(solver, solver.tensor_count - 1, false) |
                                keepers_of(solver, solver.tensor_count - 1, true);
  for (const int m : members(keepers)) {
    if (solver.memory(m).fanouts_outside > fanout) return true;
  }
  return false;
}

// With remainders the last group along one axis may have a single tile.
std::int64_t tiles_unrolled_by(const SolverTables& solver, int fanout, const BoundRange& bounds) {
  const std::int64_t bound = bounds.first;
  if (!solver.may_leave_remainder(solver.fanout(fanout).slot)) return bound;
  if (bounds.last > bound) return bound / 2 + 1;
  std::int64_t least = bound;
  for (std::int64_t x = 2; x * x <= bound; ++x) {
    if (bound % x == 0) least = std::min({least, bound - x + 1, bound - bound / x + 1});
  }
  return least;
}

std::vector<std::int64_t> tight_bounds(std::int64_t size, std::int64_t most_x,
                                       std::int64_t most_y) {
  std::vector<std::int64_t> bounds;
  for (std::int64_t tile = 1; tile * tile <= size; ++tile) {
    if (size % tile != 0) continue;
    add_tight_bounds(size / tile, most_x, most_y, bounds);
    add_tight_bounds(tile, most_x, most_y, bounds);
  }
  sort_out(bounds);
  return bounds;
}

std::vector<std::int64_t> tight_bounds_of_any_tiles(std::int64_t size, std::int64_t most_x,
                                                    std::int64_t most_y) {
  std::vector<std::int64_t> bounds;
  for (std::int64_t extent = 1; extent <= size;) {
    const std::int64_t tiles = ceil_div(size, extent);
    const std::int64_t last = tiles == 1 ? size : ceil_div(size, tiles - 1) - 1;  // with as many
    add_tight_bounds(tiles, most_x, most_y, bounds);
    const bool is_cut = last > extent || size % extent != 0;
    if (is_cut) add_bounds_before_last_tile(tiles, most_x, most_y, bounds);
    sort_out(bounds);
    extent = last + 1;
  }
  return bounds;
}

std::vector<std::int64_t> tight_bounds(const SolverTables& solver, int fanout, int dim) {
  const FanoutShape& shape = solver.fanout(fanout);
  return tight_bounds_on({std::min(solver.limits(shape.slot + 1, dim).most, shape.size_x),
                          std::min(solver.limits(shape.slot, dim).most, shape.size_y)},
                         solver, dim);
}

TightSplits::TightSplits(const SolverTables& solver) : solver_(solver) {
  if (!solver.only_tight_bounds) return;
  rules_.assign(at(solver.fanout_count * solver.dim_count), Rule::None);
  of_one_axis_.resize(rules_.size());
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) {
      Rule& rule = rules_[place(f, d)];
      if (may_unroll_less(solver, f, d)) rule = Rule::OneGroup;
      if (!is_dealt_alike(solver, f, d)) continue;
      rule = may_hold_sums(solver, f, d) ? Rule::AlikeWithoutSums : Rule::Alike;
      const FanoutShape& shape = solver.fanout(f);
      const std::int64_t most = std::min(solver.size(d), std::max(shape.size_x, shape.size_y));
      of_one_axis_[place(f, d)] = tight_bounds_on({1, most}, solver, d);
    }
  }
}

bool TightSplits::can_be_less(const SpatialBounds& spatial, int fanout, int dim,
                              bool keeps_no_sums) const {
  const std::int64_t bound = spatial.unrolled(fanout, dim);
  const std::int64_t size = solver_.size(dim);
  const Rule rule = rules_[place(fanout, dim)];
  if (rule == Rule::None || bound == 1) return false;
  if (bound > size) return true;
  const bool alike = rule == Rule::Alike || (rule == Rule::AlikeWithoutSums && keeps_no_sums);
  const std::vector<std::int64_t>& tight = of_one_axis_[place(fanout, dim)];
  return alike && !std::binary_search(tight.begin(), tight.end(), bound);
}

bool TightSplits::is_superfluous(const SpatialBounds& spatial, int fanout, const PerDim& along_x,
                                 bool keeps_no_sums) const {
  if (rules_.empty()) return false;
  const FanoutShape& shape = solver_.fanout(fanout);
  std::int64_t all_x = 1;
  std::int64_t all_y = 1;
  for (int d = 0; d < solver_.dim_count; ++d) {
    all_x *= along_x[at(d)];
    all_y *= spatial.unrolled(fanout, d) / along_x[at(d)];
  }
  for (int d = 0; d < solver_.dim_count; ++d) {
    if (!can_be_less(spatial, fanout, d, keeps_no_sums)) continue;
    const std::int64_t x = along_x[at(d)];
    const std::int64_t y = spatial.unrolled(fanout, d) / x;
    const std::int64_t most = std::min(spatial.unrolled(fanout, d), solver_.size(d));
    const auto has_room = [&](std::int64_t others, std::int64_t room, int slot) {
      return most <= room / others && most <= solver_.limits(slot, d).most;
    };
    if (has_room(all_x / x, shape.size_x, shape.slot + 1)) return true;
    if (has_room(all_y / y, shape.size_y, shape.slot)) return true;
  }
  return false;
}

// In another split a dimension may have fewer branches than before, where its tiles are few.
bool TightSplits::may_be_split_anew(const SpatialBounds& spatial, int fanout) const {
  for (int d = 0; d < solver_.dim_count; ++d) {
    const Rule rule = rules_[place(fanout, d)];
    if (rule == Rule::None && spatial.unrolled(fanout, d) > 1) return false;
  }
  return true;
}

bool TightSplits::has_split(const SpatialBounds& spatial, int fanout, int but, int from,
                            Room room) const {
  int d = from;
  while (d < solver_.dim_count && (d == but || spatial.unrolled(fanout, d) == 1)) ++d;
  if (d == solver_.dim_count) return true;
  const int slot = solver_.fanout(fanout).slot;
  const std::int64_t all = spatial.unrolled(fanout, d);
  const std::int64_t most_x = std::min({all, room.x, solver_.limits(slot + 1, d).most});
  const std::int64_t most_y = std::min(room.y, solver_.limits(slot, d).most);
  for (std::int64_t x = 1; x <= most_x; ++x) {
    const std::int64_t y = all / x;
    if (all % x != 0 || y > most_y) continue;
    if (has_split(spatial, fanout, but, d + 1, {room.x / x, room.y / y})) return true;
  }
  return false;
}

// With fewer branches, but no fewer than tiles, each still has one and no group follows.
bool TightSplits::is_superfluous(const SpatialBounds& spatial, int fanout,
                                 const PerDim& left) const {
  if (rules_.empty() || !may_be_split_anew(spatial, fanout)) return false;
  const FanoutShape& shape = solver_.fanout(fanout);
  for (int d = 0; d < solver_.dim_count; ++d) {
    const std::int64_t bound = spatial.unrolled(fanout, d);
    const std::int64_t tiles = left[at(d)];
    if (bound <= std::max<std::int64_t>(tiles, 1)) continue;
    const std::int64_t most_x =
        std::min({tiles, shape.size_x, solver_.limits(shape.slot + 1, d).most});
    const std::int64_t most_y = std::min(shape.size_y, solver_.limits(shape.slot, d).most);
    for (std::int64_t x = 1; x <= most_x; ++x) {
      const std::int64_t y = ceil_div(tiles, x);
      if (y > most_y || x * y >= bound) continue;
      if (has_split(spatial, fanout, d, 0, {shape.size_x / x, shape.size_y / y})) return true;
    }
  }
  return false;
}

}  // namespace tilewright::optimal
