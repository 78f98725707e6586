#include "mappers/optimal/home_filling.h"

#include <algorithm>

#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

HomeFilling::HomeFilling(const SolverTables& solver, const Keepers& all)
    : solver_(solver), all_(all) {
  if (solver.is_perfect() || solver.uneven != 0 || solver.has_shared_rooms()) return;
  choose_keepers();
  // All that is further in, and what is unrolled, is a loop of the innermost memory.
  while (memory_ > 0 && !leaves_all_extents(solver, memory_)) {
    if (++memory_ == solver.memory_count) memory_ = 0;
  }
  if (memory_ == 0) keepers_ = {};
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
      is_below_ = is_below_ || (!outside && solver_.memory(m).room.bounded);
      if (!outside) break;
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

// Links of some tensors into the innermost memory are free.
SolverTables HomeFilling::pooled(std::uint32_t free) const {
  SolverTables tables = tables_down_to(solver_, memory_);
  for (MemoryShape& memory : tables.memories) {
    std::int64_t instances = 1;
    for (int f = 0; f < memory.fanouts_outside; ++f) {
      instances = times(instances, times(solver_.fanout(f).size_x, solver_.fanout(f).size_y));
    }
    for (auto& partition : memory.room.partitions) {
      if (partition) partition->amount = times(partition->amount, instances);
    }
    memory.room.capacity.amount = times(memory.room.capacity.amount, instances);
    memory.fanouts_outside = 0;
  }
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

// Of the tensors that are filled inside, those that a loop of some dimension moves.
std::vector<std::uint32_t> HomeFilling::moved_together() const {
  std::vector<std::uint32_t> all;
  for (int d = 0; d < solver_.dim_count; ++d) {
    std::uint32_t moved = 0;
    for (const int t : members(filled_inside_)) {
      if (contains(solver_.tensor(t).relevant, d)) moved |= 1U << t;
    }
    if (moved != 0 && std::find(all.begin(), all.end(), moved) == all.end()) all.push_back(moved);
  }
  return all;
}

Units HomeFilling::least_without(std::uint32_t tensors) const {
  if (tensors == 0) return least_;
  for (const auto& [free, least] : least_without_) {
    if (free == tensors) return least;
  }
  return 0;
}

void HomeFilling::find(Units limit, std::int64_t most_bytes, const FillingEffort& effort,
                       const Deadline& deadline) {
  if (memory_ == 0) return;
  const auto bound = [&](std::uint32_t free) {
    const SolverTables tables = pooled(free);
    return std::min(bound_filling(tables, keepers_, limit, most_bytes, deadline, effort).least,
                    limit);
  };
  try {
    least_ = bound(0);
    for (const std::uint32_t moved : moved_together()) {
      if (least_ < limit) least_without_.emplace_back(moved, bound(moved));
    }
  } catch (const Expired&) {
    return;
  } catch (const TooLarge&) {
    return;
  }
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
