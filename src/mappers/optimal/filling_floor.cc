#include "mappers/optimal/filling_floor.h"

#include <algorithm>

#include "mappers/optimal/uneven_paths.h"

namespace tilewright::optimal {

FillingFloor::FillingFloor(const SolverTables& solver) : solver_(solver) {
  while (memory_ + 1 < solver.memory_count && solver.memory(memory_ + 1).fanouts_outside == 0) {
    ++memory_;
  }
  // Without memories inside there is nothing that it could close. With windows, whose loops
  // have to be taken as a whole, or remainders, with any extents inside, it takes longer to find
  // than it spares.
  const bool windows = std::any_of(solver.tensors.begin(), solver.tensors.end(),
                                   [](const TensorShape& one) { return !one.windows.empty(); });
  if (windows || !solver.is_perfect() || memory_ + 1 == solver.memory_count) memory_ = 0;
}

Units FillingFloor::least(const Subproblem& sub, Units limit, std::int64_t most_bytes,
                          const Deadline& deadline) {
  Placement outer;
  std::copy_n(sub.placement().kept.begin(), memory_ + 1, outer.kept.begin());
  const std::vector<std::uint32_t> key(outer.kept.begin(), outer.kept.begin() + memory_ + 1);
  const std::lock_guard lock(mutex_);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  for (const Link& link : sub.placement().links) {
    if (link.child <= memory_) outer.links.push_back(link);
  }
  const SpatialBounds nothing_unrolled(solver_.fanout_count, solver_.dim_count);
  const Subproblem alone(solver_, outer, nothing_unrolled);
  Units least = 0;
  try {
    UnevenPaths::Options options;
    options.limit = sum(limit, alone.fixed_energy());
    options.most_bytes = most_bytes;
    options.innermost = memory_;
    const UnevenPaths paths(alone, Goal(std::nullopt), options, deadline);
    least = limit;
    for (const UnevenPaths::End& end : paths.ends()) {
      least = std::min(least, end.energy - alone.fixed_energy());
    }
  } catch (const TooLarge&) {
    least = 0;  // nothing is known
  }
  known_.emplace(key, least);
  return least;
}

}  // namespace tilewright::optimal
