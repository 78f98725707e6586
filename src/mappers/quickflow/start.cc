#include "mappers/quickflow/start.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace tilewright::quickflow {
namespace {

// One dimension's bounds from the inside out, each as small as can be completed.
class Outermost {
 public:
  Outermost(const SearchTables& tables, int dim) : tables_(tables), dim_(dim) { bounds_.fill(1); }

  // Some bounds may be wanted as they are; 0 wants nothing.
  std::optional<Chain> find(const Chain& wanted) {
    wanted_ = wanted;
    hopeless_.clear();
    if (!place(tables_.slots - 1, tables_.size(dim_))) return std::nullopt;
    return bounds_;
  }

 private:
  bool place(int slot, std::int64_t left) {
    if (slot < 0) return left == 1;
    if (hopeless_.contains({slot, left})) return false;
    const BoundLimits& limits = tables_.limits(slot, dim_);
    const std::int64_t wanted = wanted_[at(slot)];
    const std::int64_t least = std::max(limits.least, wanted);
    const std::int64_t most = wanted > 0 ? wanted : std::min(limits.most, left);
    // Bounds that leave as many steps as a smaller one are passed over; no divisor is.
    for (std::int64_t bound = least; bound <= std::min(most, left);) {
      const std::int64_t steps = ceil_div(left, bound);
      bounds_[at(slot)] = bound;
      const bool allowed = tables_.may_leave_remainder(slot) || left % bound == 0;
      if (allowed && place(slot - 1, steps)) return true;
      if (steps == 1) break;
      bound = ceil_div(left, steps - 1);
    }
    hopeless_.insert({slot, left});
    return false;
  }

  const SearchTables& tables_;
  int dim_;
  Chain bounds_{};
  Chain wanted_{};
  std::set<std::pair<int, std::int64_t>> hopeless_;
};

// What memories keep, from the outside in: as much as is allowed and fits.
class Keepers {
 public:
  explicit Keepers(const Allocation& allocation) : allocation_(allocation) {}

  // True if all tensors have a place; `mapping` gets what is kept.
  bool find(Mapping& mapping) { return place(0, 0, mapping); }

 private:
  bool place(int m, std::uint32_t outside, Mapping& mapping) {
    const SearchTables& tables = allocation_.tables();
    if (m == tables.memory_count()) {
      return outside == (1U << tables.tensors) - 1U;
    }
    if (hopeless_.contains({m, outside})) return false;
    for (const std::uint32_t kept : choices(tables.keep_always(m), tables.keep_allowed(m))) {
      mapping.set_kept(MemoryId{m}, kept);
      if (allocation_.has_room(m, kept, outside) && place(m + 1, outside | kept, mapping)) {
        return true;
      }
    }
    hopeless_.insert({m, outside});
    return false;
  }

  // The largest first.
  static std::vector<std::uint32_t> choices(std::uint32_t always, std::uint32_t allowed) {
    const std::uint32_t open = allowed & ~always;
    std::vector<std::uint32_t> found = {allowed};
    for (std::uint32_t some = open; some != 0;) {
      some = (some - 1) & open;
      found.push_back(always | some);
    }
    std::sort(found.begin(), found.end(), [](std::uint32_t a, std::uint32_t b) {
      return std::pair(std::popcount(a), a) > std::pair(std::popcount(b), b);
    });
    return found;
  }

  Allocation allocation_;  // of which the tiles count
  std::set<std::pair<int, std::uint32_t>> hopeless_;
};

// The only dimension that may have a bound in a spatial slot; -1 if there are
// several or none.
int only_dim(const SearchTables& tables, int slot) {
  int found = -1;
  for (int d = 0; d < tables.dims; ++d) {
    if ((tables.open_slots(d) >> slot & 1U) == 0 || tables.size(d) == 1) continue;
    if (found >= 0) return -1;
    found = d;
  }
  return found;
}

// Gives slots that only one dimension may use as much of it as goes in and fits.
void fill(const SearchTables& tables, Mapping& mapping) {
  std::vector<Chain> wanted(static_cast<std::size_t>(tables.dims), Chain{});
  for (int s = tables.slots; s-- > 0;) {
    const int dim = tables.is_spatial(s) ? only_dim(tables, s) : -1;
    if (dim < 0) continue;
    Chain& want = wanted[at(dim)];
    for (std::int64_t bound = tables.limits(s, dim).most; bound > 1; --bound) {
      want[at(s)] = bound;
      const auto bounds = Outermost(tables, dim).find(want);
      if (!bounds) continue;
      Mapping filled = mapping;
      set_chain(*bounds, dim, filled);
      if (!Allocation(tables, filled).fits()) continue;
      mapping = std::move(filled);
      break;
    }
    want[at(s)] = mapping.bound(s, DimId{dim});
  }
}

std::int64_t least_prime(std::int64_t number) {
  for (std::int64_t prime = 2; prime * prime <= number; ++prime) {
    if (number % prime == 0) return prime;
  }
  return number;
}

}  // namespace

std::optional<Allocation> start_of(const SearchTables& tables) {
  Mapping mapping(tables.problem);
  for (int d = 0; d < tables.dims; ++d) {
    const auto bounds = Outermost(tables, d).find(Chain{});
    if (!bounds) return std::nullopt;
    set_chain(*bounds, d, mapping);
  }
  if (!Keepers(Allocation(tables, mapping)).find(mapping)) return std::nullopt;
  if (!Allocation(tables, mapping).fits()) return std::nullopt;
  fill(tables, mapping);
  return Allocation(tables, mapping);
}

void keep_alone(Allocation& allocation, int tensor) {
  const SearchTables& tables = allocation.tables();
  for (int m = tables.memory_count(); m-- > 0;) {
    if ((tables.keep_allowed(m) >> tensor & 1U) == 0) continue;
    Move move;
    move.keeper = static_cast<std::int8_t>(m);
    move.kept = tables.keep_always(m) | 1U << tensor;
    if (allocation.allows(move)) allocation.apply(move);
    return;
  }
}

void make_stationary(Allocation& allocation, int tensor) {
  const SearchTables& tables = allocation.tables();
  const std::uint32_t relevant = tables.flat.tensor[at(tensor)].relevant;
  for (int m = tables.memory_count(); m-- > 1;) {
    const int to = tables.memory(m).slot;
    for (bool moved = true; moved;) {
      moved = false;
      for (int d = 0; d < tables.dims; ++d) {
        if ((relevant >> d & 1U) != 0 || tables.open_slots(d) == 0) continue;
        const int from = __builtin_ctz(tables.open_slots(d));
        if (from == to) continue;
        const std::int64_t bound = allocation.mapping().bound(from, DimId{d});
        if (bound == 1) continue;
        Move move;
        move.splits[0] = {static_cast<std::int8_t>(d), static_cast<std::int8_t>(from),
                          static_cast<std::int8_t>(to), bound / least_prime(bound)};
        if (!allocation.allows(move)) continue;
        allocation.apply(move);
        moved = true;
      }
    }
  }
}

}  // namespace tilewright::quickflow
