#include "mappers/optimal/pooled_filling.h"

#include <algorithm>

#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {
namespace {

bool has_unit_windows(const TensorShape& tensor) {
  return std::all_of(tensor.windows.begin(), tensor.windows.end(),
                     [](const Window& window) { return window.is_unit_pair(); });
}

// A row of numbers, multiplied over the fan-outs outside a memory.
std::int64_t outside(const SolverTables& solver, const TensorBranches::Numbers& numbers, int memory,
                     int tensor) {
  std::int64_t product = 1;
  for (int f = 0; f < solver.memory(memory).fanouts_outside; ++f) {
    product = times(product, numbers[at(f)][at(tensor)]);
  }
  return product;
}

}  // namespace

// With remainders there are so many extents that too little is known of their ranges.
PooledFilling::PooledFilling(const SolverTables& solver, int most_asked)
    : solver_(solver), most_asked_(most_asked) {
  if (!solver.is_perfect() || solver.uneven != 0 || solver.has_shared_rooms()) return;
  memory_ = solver.memory_count - 1;
  while (memory_ > 0 && !leaves_all_extents(solver, memory_)) --memory_;
  bool bounded = false;
  for (int m = 1; m <= memory_; ++m) {
    const MemoryShape& memory = solver.memory(m);
    bounded = bounded || (memory.room.bounded && memory.fanouts_outside > 0);
  }
  if (!bounded) memory_ = 0;
  if (memory_ > 0) choose_keepers();
}

void PooledFilling::choose_keepers() {
  const std::uint32_t memories = (2U << memory_) - 1U;
  for (int t = 0; t < solver_.tensor_count; ++t) {
    const std::uint32_t always = keepers_of(solver_, t, true);
    if ((keepers_of(solver_, t, false) & ~always) != 0) {
      memory_ = 0;
      return;
    }
    for (const int m : members(always & memories)) {
      if (knows_tiles(t, m)) keepers_[at(t)] |= 1U << m;
    }
  }
}

// The tiles of all instances together are one whose extents have all that is unrolled. Where loops
// of other memories lie between, they are not side by side: then windows must not have gaps. What
// instances hold of an output with windows is not known.
bool PooledFilling::knows_tiles(int tensor, int memory) const {
  const TensorShape& shape = solver_.tensor(tensor);
  if (solver_.memory(memory).fanouts_outside == 0 || shape.windows.empty()) return true;
  if (shape.output || solver_.boxes) return false;
  const bool are_side_by_side = solver_.memory(memory - 1).fanouts_outside == 0;
  return are_side_by_side || has_unit_windows(shape);
}

// Copies cost what they cost; room that they take is lost.
SolverTables PooledFilling::pooled(const TensorBranches& branches) const {
  SolverTables tables = tables_down_to(solver_, memory_);
  for (int m = 0; m <= memory_; ++m) {
    MemoryShape& memory = tables.memories[at(m)];
    std::int64_t most = 1;
    for (int t = 0; t < solver_.tensor_count; ++t) {
      if (!contains(keepers_[at(t)], m)) continue;
      const std::int64_t same = outside(solver_, branches.same, m, t);
      const std::int64_t different = outside(solver_, branches.different, m, t);
      AccessUnits& access = memory.access[at(t)];
      access = {times(access.read, same), times(access.write, same), times(access.update, same)};
      auto& partition = memory.room.partitions[at(t)];
      if (partition) partition->amount = times(partition->amount, different);
      most = std::max(most, different);
    }
    memory.room.capacity.amount = times(memory.room.capacity.amount, most);
    memory.fanouts_outside = 0;
  }
  return tables;
}

PooledFilling::Key PooledFilling::key_of(const TensorBranches& branches) const {
  Key key;
  for (int t = 0; t < solver_.tensor_count; ++t) {
    for (const int m : members(keepers_[at(t)])) {
      key.push_back(outside(solver_, branches.same, m, t));
      key.push_back(outside(solver_, branches.different, m, t));
    }
  }
  return key;
}

// The same with nothing known of the fan-outs from one on.
TensorBranches PooledFilling::any_inside(const TensorBranches& branches, int fanout) const {
  TensorBranches any = branches;
  for (int f = fanout; f < solver_.fanout_count; ++f) {
    any.same[at(f)].fill(1);
    any.different[at(f)].fill(times(solver_.fanout(f).size_x, solver_.fanout(f).size_y));
  }
  return any;
}

Units PooledFilling::least(const Effort& effort) { return find(any_inside({}, 0), 0, effort); }

// First with what is known of the outermost fan-outs alone: many have that in common.
Units PooledFilling::least(const TensorBranches& branches, const Effort& effort) {
  int m = 0;
  while (m < memory_ && solver_.memory(m).fanouts_outside == 0) ++m;
  const TensorBranches outer = any_inside(branches, solver_.memory(m).fanouts_outside);
  const Units least = find(outer, most_asked_, effort);
  return least >= effort.limit ? least : std::max(least, find(branches, 4 * most_asked_, effort));
}

Units PooledFilling::find(const TensorBranches& branches, int most_asked, const Effort& effort) {
  constexpr std::size_t kMostKnown = 1U << 16U;
  const Key key = key_of(branches);
  if (known_.size() >= kMostKnown && known_.count(key) == 0) return 0;
  Known& known = known_[key];
  const bool is_known = known.is_exact || known.least >= effort.limit;
  if (is_known || known.asked++ < most_asked) return known.least;
  try {
    if (last_steps_ == 0) last_steps_ = expected_steps(pooled(branches), effort.deadline);
    if (steps_ + last_steps_ > effort.most_steps) return known.least;
    const Filling found =
        bound_filling(pooled(branches), keepers_, effort.limit, effort.most_bytes, effort.deadline);
    last_steps_ = found.steps;
    steps_ += found.steps;
    known.is_exact = found.least < effort.limit;
    known.least = std::max(known.least, std::min(found.least, effort.limit));
  } catch (const Expired&) {
    return known.least;
  } catch (const TooLarge&) {
    known.is_exact = true;  // nothing more comes out
  }
  return known.least;
}

}  // namespace tilewright::optimal
