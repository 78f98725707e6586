#include "mappers/optimal/home_filling.h"

#include <algorithm>

#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

HomeFilling::HomeFilling(const SolverTables& solver) : solver_(solver) {
  if (solver.is_perfect() || solver.uneven != 0 || solver.has_shared_rooms()) return;
  for (int t = 0; t < solver.tensor_count; ++t) {
    if (keepers_of(solver, t, false) != keepers_of(solver, t, true)) return;
  }
  choose_keepers();
  // All that is further in, and what is unrolled, is a loop of the innermost memory.
  while (memory_ > 0 && !leaves_all_extents(solver, memory_)) {
    if (++memory_ == solver.memory_count) memory_ = 0;
  }
}

// There must be some that is below a fan-out.
void HomeFilling::choose_keepers() {
  bool is_below = false;
  for (int t = 0; t < solver_.tensor_count; ++t) {
    bool has_parent = false;
    for (const int m : members(keepers_of(solver_, t, true))) {
      const bool outside = solver_.memory(m).fanouts_outside == 0;
      if (!outside && !(has_parent && knows_tiles(t, m))) break;
      keepers_[at(t)] |= 1U << m;
      has_parent = true;
      memory_ = std::max(memory_, m);
      is_below = is_below || (!outside && solver_.memory(m).room.bounded);
      if (!outside) break;
    }
  }
  if (!is_below) memory_ = 0;
}

// A tensor without windows moves as many words at least, whichever indices the instances have. Of
// windows it is known where the tiles of all instances are side by side.
bool HomeFilling::knows_tiles(int tensor, int memory) const {
  const TensorShape& shape = solver_.tensor(tensor);
  if (shape.windows.empty()) return true;
  return !shape.output && !solver_.boxes && solver_.memory(memory - 1).fanouts_outside == 0;
}

SolverTables HomeFilling::pooled() const {
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
  return tables;
}

void HomeFilling::find(Units limit, std::int64_t most_bytes, std::uint64_t most_steps,
                       const Deadline& deadline) {
  is_asked_ = true;
  try {
    const Filling found =
        bound_filling(pooled(), keepers_, limit, most_bytes, deadline, most_steps);
    least_ = std::min(found.least, limit);
  } catch (const Expired&) {
    return;
  } catch (const TooLarge&) {
    return;
  }
}

Units HomeFilling::others(const Subproblem& sub, const std::vector<MoreShared>& more) const {
  Units energy = 0;
  for (int t = 0; t < solver_.tensor_count; ++t) {
    int parent = -1;
    const auto pay = [&](int child, bool is_filled) {
      if (parent >= 0 && !is_filled) {
        const Link link = link_between(solver_, t, parent, child);
        energy = sum(energy, sub.least_energy(link, more[at(t)]));
      }
      parent = child;
    };
    for (const int m : members(keepers_of(solver_, t, true))) pay(m, contains(keepers_[at(t)], m));
    pay(solver_.memory_count, false);
  }
  return energy;
}

}  // namespace tilewright::optimal
