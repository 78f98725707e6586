// All subproblems of a map-space.
#pragma once

#include <optional>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

std::vector<Placement> list_placements(const SolverTables& solver);

// Subproblems that differ only in how a product is split over the axes of a fan-out
// are listed once, where the split makes no difference. Nothing if there are
// more than `most`. Throws Expired.
std::optional<std::vector<SpatialBounds>> list_spatial_bounds(const SolverTables& solver,
                                                              std::size_t most,
                                                              const Deadline& deadline);

}  // namespace tilewright::optimal
