// Subproblems by what they fix.
#pragma once

#include <cstdint>
#include <vector>

#include "mappers/optimal/subproblem_queue.h"

namespace tilewright::optimal {

// What the memories keep, and how far each fan-out unrolls each dimension.
using SubproblemKey = std::vector<std::int64_t>;

inline SubproblemKey key_of(const SolverTables& solver, const Placement& placement,
                            const SpatialBounds& spatial) {
  SubproblemKey key;
  for (int m = 0; m < solver.memory_count; ++m) key.push_back(placement.kept[at(m)]);
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) key.push_back(spatial.unrolled(f, d));
  }
  return key;
}

inline SubproblemKey key_of(const SolverTables& solver, const Candidate& candidate) {
  return key_of(solver, candidate.placement, *candidate.spatial);
}

}  // namespace tilewright::optimal
