#include "mappers/optimal/pooled_filling.h"

#include <algorithm>

#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {
namespace {

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
  memory_ = std::min(solver.memory_count, kMaxMemories - 1) - 1;
  while (memory_ > 0 && !leaves_all_extents(solver, memory_)) --memory_;
  bool bounded = false;
  for (int m = 1; m <= memory_; ++m) {
    const MemoryShape& memory = solver.memory(m);
    bounded = bounded || (memory.room.bounded && memory.fanouts_outside > 0);
  }
  for (int t = 0; t < solver.tensor_count; ++t) bounded = bounded && is_fixed(t);
  if (!bounded) memory_ = 0;
  if (memory_ > 0) tensors_.emplace(solver, memory_);
}

// What memories keep of a tensor.
bool PooledFilling::is_fixed(int tensor) const {
  return (keepers_of(solver_, tensor, false) & ~keepers_of(solver_, tensor, true)) == 0;
}

// Copies cost what they cost; room that they take is lost.
SolverTables PooledFilling::pooled(const TensorBranches& branches) const {
  SolverTables tables = tensors_->tables();
  for (int m = 0; m <= memory_; ++m) {
    MemoryShape& memory = tables.memories[at(m)];
    std::int64_t most = 1;
    for (int t = 0; t < tensors_->count(); ++t) {
      if (!contains(tensors_->keepers(t), m)) continue;
      const std::int64_t same = outside(solver_, branches.same, m, tensors_->origin(t));
      const std::int64_t different = outside(solver_, branches.different, m, tensors_->origin(t));
      AccessUnits& access = memory.access[at(t)];
      access = {times(access.read, same), times(access.write, same), times(access.update, same)};
      auto& partition = memory.room.partitions[at(t)];
      if (partition) partition->amount = times(partition->amount, different);
      most = std::max(most, different);
    }
    memory.room.capacity.amount = times(memory.room.capacity.amount, most);
  }
  return tables;
}

PooledFilling::Key PooledFilling::key_of(const TensorBranches& branches) const {
  Key key;
  for (int t = 0; t < tensors_->count(); ++t) {
    for (const int m : members(tensors_->keepers(t))) {
      key.push_back(outside(solver_, branches.same, m, tensors_->origin(t)));
      key.push_back(outside(solver_, branches.different, m, tensors_->origin(t)));
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
  const Units least = find(outermost(branches), most_asked_, effort);
  return least >= effort.limit ? least : std::max(least, find(branches, 16 * most_asked_, effort));
}

TensorBranches PooledFilling::outermost(const TensorBranches& branches) const {
  int m = 0;
  while (m < memory_ && solver_.memory(m).fanouts_outside == 0) ++m;
  return any_inside(branches, solver_.memory(m).fanouts_outside);
}

// Memories further in may have loops, of which nothing is known.
Units PooledFilling::least(const TensorBranches& branches, const PerDim& unrolled) const {
  const std::shared_ptr<const FillingAhead> known = ahead(branches);
  if (known == nullptr || memory_ + 1 < solver_.memory_count) return 0;
  return known->least_from(unrolled);
}

std::shared_ptr<const FillingAhead> PooledFilling::ahead(const TensorBranches& branches) const {
  for (const TensorBranches& each : {branches, outermost(branches), any_inside({}, 0)}) {
    const auto known = known_.find(key_of(each));
    if (known != known_.end() && known->second.ahead) return known->second.ahead;
  }
  return nullptr;
}

void PooledFilling::keep(std::shared_ptr<const FillingAhead> found, std::int64_t most_bytes,
                         Known& known) {
  if (known.ahead) bytes_ -= known.ahead->bytes();
  known.ahead = bytes_ + found->bytes() > most_bytes ? nullptr : std::move(found);
  if (known.ahead) bytes_ += known.ahead->bytes();
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
    // Others with these branches may be interested in some more.
    const Units limit = std::min(effort.most, sum(effort.limit, effort.limit / 8));
    const auto found = std::make_shared<const FillingAhead>(pooled(branches), *tensors_, limit,
                                                            effort.most_bytes, effort.deadline);
    last_steps_ = found->steps();
    steps_ += found->steps();
    known.is_exact = found->least() < found->limit();
    known.least = std::max(known.least, found->least());
    keep(found, effort.most_bytes, known);
  } catch (const Expired&) {
    return known.least;
  } catch (const TooLarge&) {
    known.is_exact = true;  // nothing more comes out
  }
  return known.least;
}

}  // namespace tilewright::optimal
