// Tiles of the memory just inside the outermost one, and what it takes at least to bring them
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/fit.h"

namespace tilewright::optimal {

// The extents that a memory's tiles can have in a dimension, ascending, whatever is unrolled. What
// goes past the end of the dimension counts as all of it. Nothing if there are too many.
std::optional<std::vector<std::int64_t>> reachable_extents(const SolverTables& solver, int memory,
                                                           int dim);

// The least energy of all links of a subproblem that has two memories and no fan-outs, over tiles
// with these extents: exactly, or as a bound after so many boxes of them. kNever if none fits.
// Throws Expired.
Units least_over_tiles(const Subproblem& sub, ExtentLists extents, std::size_t most_boxes,
                       const Deadline& deadline);

}  // namespace tilewright::optimal
