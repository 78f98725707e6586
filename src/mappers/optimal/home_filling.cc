#include "mappers/optimal/home_filling.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mappers/optimal/outer_tiles.h"
#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

HomeFilling::HomeFilling(const SolverTables& solver, const Keepers& all)
    : solver_(solver), all_(all) {
  if (solver.is_perfect() || solver.uneven != 0 || solver.has_shared_rooms()) return;
  choose_keepers();
  choose_memory();
  for (int t = 0; t < solver.tensor_count; ++t) {
    const bool is_home = (keepers_[at(t)] & (keepers_[at(t)] - 1U)) == 0;
    if (!is_home && contains(keepers_[at(t)], solver.memory_count - 1)) filled_inside_ |= 1U << t;
  }
}

void HomeFilling::choose_keepers() {
  for (int t = 0; t < solver_.tensor_count; ++t) {
    bool has_parent = false;
    for (const int m : members(all_[at(t)])) {
      const bool outside = solver_.memory(m).fanouts_outside == 0;
      if (!outside && !(has_parent && knows_tiles(t, m))) break;
      keepers_[at(t)] |= 1U << m;
      has_parent = true;
      memory_ = std::max(memory_, m);
      if (!outside) break;
    }
  }
}

// All that is further in, and what is unrolled, is a loop of the innermost memory. If none of those
// further in has all loops, what fills that one is left out.
void HomeFilling::choose_memory() {
  int memory = memory_;
  while (memory > 0 && memory < solver_.memory_count && !leaves_all_extents(solver_, memory))
    ++memory;
  if (memory == solver_.memory_count) {
    memory = memory_;
    while (memory > 0 && !leaves_all_extents(solver_, memory)) --memory;
  }
  memory_ = memory;
  for (int t = 0; t < solver_.tensor_count; ++t) {
    std::uint32_t& keepers = keepers_[at(t)];
    keepers &= memory_ == 0 ? 0U : (2U << at(memory_)) - 1U;
    for (const int m : members(keepers)) {
      const MemoryShape& shape = solver_.memory(m);
      is_below_ = is_below_ || (shape.fanouts_outside > 0 && shape.room.bounded);
    }
  }
}

// A tensor without windows moves as many words at least, whichever indices the instances have. Of
// windows it is known where the tiles of all instances are side by side.
bool HomeFilling::knows_tiles(int tensor, int memory) const {
  const TensorShape& shape = solver_.tensor(tensor);
  if (shape.windows.empty()) return true;
  return !shape.output && !solver_.boxes && solver_.memory(memory - 1).fanouts_outside == 0;
}

// All bounds that fan-outs can have.
SpatialBounds HomeFilling::any_bounds() const {
  SpatialBounds any(solver_.fanout_count, solver_.dim_count, true);
  for (int f = 0; f < solver_.fanout_count; ++f) {
    const FanoutShape& fanout = solver_.fanout(f);
    for (int d = 0; d < solver_.dim_count; ++d) {
      const std::int64_t y = std::min(fanout.size_y, solver_.limits(fanout.slot, d).most);
      const std::int64_t x = std::min(fanout.size_x, solver_.limits(fanout.slot + 1, d).most);
      any.set_range(f, d, 1, times(y, x));
    }
  }
  return any;
}

// Makes it stand for all of its instances.
void HomeFilling::pool(MemoryShape& memory, const SpatialBounds& ranges) const {
  if (memory.fanouts_outside == 0) return;
  InstanceShape instance{memory.room, {}};
  instance.most_beside.fill(1);
  std::int64_t instances = 1;
  for (int f = 0; f < memory.fanouts_outside; ++f) {
    const FanoutShape& fanout = solver_.fanout(f);
    std::int64_t unrolled = 1;
    for (int d = 0; d < solver_.dim_count; ++d) {
      unrolled = times(unrolled, ranges.last(f, d));
      instance.most_beside[at(d)] = times(instance.most_beside[at(d)], ranges.last(f, d));
    }
    instances = times(instances, std::min(unrolled, times(fanout.size_x, fanout.size_y)));
  }
  for (auto& partition : memory.room.partitions) {
    if (partition) partition->amount = times(partition->amount, instances);
  }
  memory.room.capacity.amount = times(memory.room.capacity.amount, instances);
  memory.fanouts_outside = 0;
  memory.instance = instance;
}

// Links of some tensors into the innermost memory are free.
SolverTables HomeFilling::pooled(std::uint32_t free, const SpatialBounds& ranges) const {
  SolverTables tables = tables_down_to(solver_, memory_);
  for (MemoryShape& memory : tables.memories) pool(memory, ranges);
  const int inner = solver_.memory_count - 1;
  for (const int t : members(free)) {
    int parent = 0;
    for (const int m : members(keepers_[at(t)])) parent = m < inner ? m : parent;
    AccessUnits& outside = tables.memories[at(parent)].access[at(t)];
    outside.read = outside.update = 0;
    tables.memories[at(inner)].access[at(t)].write = 0;
  }
  return tables;
}

void HomeFilling::set_limits(Units limit, std::int64_t most_bytes) {
  limit_ = limit;
  most_bytes_ = most_bytes;
}

template <typename Result, typename Look>
Result HomeFilling::with_tiles(const SolverTables& pooled, Result nothing, Look look) const {
  const Placement placement = placement_of(pooled, keepers_);
  const SpatialBounds nothing_unrolled(0, pooled.dim_count);
  const Subproblem sub(pooled, placement, nothing_unrolled);
  if (placement.links.empty()) return nothing;
  std::optional<ExtentLists> extents = outer_extents(solver_, sub);
  return extents ? look(sub, std::move(*extents)) : nothing;
}

namespace {

// What links that do not come from the outermost memory take, each element once.
Units energy_further_in(const Subproblem& sub) {
  Units energy = 0;
  for (const Link& link : sub.placement().links) {
    if (link.parent > 0) energy = sum(energy, sub.least_energy(link));
  }
  return energy;
}

}  // namespace

// Tiles of the memory next to the outermost one, of all its instances together, are those of
// mappings, whatever is unrolled. A tensor that goes past it, and that no loop inside such a tile
// moves, has all of it that belongs to the tile in the instances of its memory together. One that
// is moved there comes anew for every tile at least, but for those that differ in its own
// dimensions alone.
HomeFilling::ByTiles HomeFilling::bound_by_tiles(const SolverTables& pooled, std::size_t most_boxes,
                                                 const Deadline& deadline) const {
  return with_tiles(pooled, ByTiles{}, [&](const Subproblem& sub, ExtentLists extents) {
    const Units further_in = energy_further_in(sub);
    const Units limit = limit_ >= kNever ? kNever : std::max<Units>(0, limit_ - further_in);
    const Filling found = least_over_tiles(sub, std::move(extents), most_boxes, deadline, limit);
    return ByTiles{sum(found.least, further_in), found.least, found.steps};
  });
}

void HomeFilling::find_ahead(const SolverTables& pooled, const Deadline& deadline) {
  constexpr std::size_t kMostSets = 1U << 15U;
  if (limit_ >= kNever) return;
  using Ahead = std::shared_ptr<const TilesAhead>;
  ahead_ = with_tiles(pooled, Ahead{}, [&](const Subproblem& sub, ExtentLists extents) -> Ahead {
    const Units limit = std::max<Units>(0, limit_ - energy_further_in(sub));
    return std::make_shared<const TilesAhead>(
        tiles_below(sub, std::move(extents), limit, kMostSets, deadline), solver_.dim_count);
  });
}

// Ranges of extents say less than tiles, but they know of the links further in, too.
void HomeFilling::find(const FillingEffort& effort, const Deadline& deadline) {
  constexpr std::size_t kMostBoxes = 1U << 18U;
  if (memory_ == 0) return;
  try {
    const SolverTables tables = pooled(0, any_bounds());
    const ByTiles by_tiles = bound_by_tiles(tables, kMostBoxes, deadline);
    least_ = std::min(by_tiles.all, limit_);
    least_of_outermost_ = std::min(by_tiles.outermost, limit_);
    if (least_ >= limit_) return;
    find_ahead(tables, deadline);
    if (least_ > effort.known) return;
    const Filling found = bound_filling(tables, keepers_, limit_, most_bytes_, deadline, effort);
    least_ = std::max(least_, std::min(found.least, limit_));
  } catch (const Expired&) {
    return;
  } catch (const TooLarge&) {
    return;
  }
}

// What is unrolled is part of all tiles.
Units HomeFilling::least_with(const SpatialBounds& ranges, Units limit, const Deadline& deadline,
                              std::uint64_t& steps) const {
  constexpr FillingEffort kEffort{4};
  if (memory_ == 0 || limit >= kNever) return 0;
  LeastExtents least{};
  for (int d = 0; d < solver_.dim_count; ++d) {
    least[at(d)] = 1;
    for (int f = 0; f < solver_.fanout_count; ++f) {
      least[at(d)] = times(least[at(d)], ranges.first(f, d));
    }
    least[at(d)] = std::min(least[at(d)], solver_.size(d));  // axes may pass it together
  }
  try {
    const Filling found =
        bound_filling(pooled(0, ranges), keepers_, limit, most_bytes_, deadline, kEffort, least);
    steps += found.steps;
    return std::min(found.least, limit);
  } catch (const Expired&) {
    return 0;
  } catch (const TooLarge&) {
    return 0;
  }
}

Units HomeFilling::least_without(std::uint32_t tensors, bool may_find, const Deadline& deadline,
                                 std::uint64_t& steps) {
  constexpr FillingEffort kEffort{8};
  constexpr std::size_t kMostBoxes = 1U << 12U;
  if (memory_ == 0) return 0;
  const Units whatever = tensors == 0 ? least_ : 0;
  const auto known = known_.find(tensors);
  if (known != known_.end()) return known->second;
  if (!may_find || whatever >= limit_) return whatever;
  Units& least = known_[tensors];
  least = whatever;
  try {
    const SolverTables tables = pooled(tensors, any_bounds());
    const ByTiles by_tiles = bound_by_tiles(tables, kMostBoxes, deadline);
    steps += by_tiles.steps;
    least = std::max(whatever, std::min(by_tiles.all, limit_));
    if (least >= limit_) return least;
    const Filling found = bound_filling(tables, keepers_, limit_, most_bytes_, deadline, kEffort);
    steps += found.steps;
    least = std::max(least, std::min(found.least, limit_));
  } catch (const Expired&) {
    return least;
  } catch (const TooLarge&) {
    return least;
  }
  return least;
}

namespace {

// All that memories may keep; nothing if these are more choices.
std::vector<Keepers> choices_of_keepers(const SolverTables& solver, std::size_t most) {
  std::vector<Keepers> all(1);
  for (int t = 0; t < solver.tensor_count; ++t) {
    const std::uint32_t always = keepers_of(solver, t, true);
    const std::uint32_t free = keepers_of(solver, t, false) & ~always;
    std::vector<Keepers> more;
    for (std::uint32_t chosen = free; more.size() <= most; chosen = (chosen - 1) & free) {
      for (Keepers keepers : all) {
        keepers[at(t)] = always | chosen;
        if (keepers[at(t)] != 0) more.push_back(keepers);
      }
      if (chosen == 0) break;
    }
    if (more.size() > most) return {};
    all = std::move(more);
  }
  return all;
}

}  // namespace

// There must be some memory below a fan-out; what fills the others is known anyhow.
std::vector<HomeFilling> home_fillings(const SolverTables& solver) {
  constexpr std::size_t kMost = 64;
  std::vector<HomeFilling> all;
  bool is_any_below = false;
  if (solver.is_perfect()) return all;
  for (const Keepers& keepers : choices_of_keepers(solver, kMost)) {
    all.emplace_back(solver, keepers);
    is_any_below = is_any_below || all.back().knows_below();
  }
  if (!is_any_below) all.clear();
  return all;
}

}  // namespace tilewright::optimal
