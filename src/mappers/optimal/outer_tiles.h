// Tiles of the memory just inside the outermost one, and what it takes at least to bring them
// there, and to bring what goes past it further in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/filling_bound.h"
#include "mappers/optimal/fit.h"

namespace tilewright::optimal {

// The extents that a memory's tiles can have in a dimension, ascending, whatever is unrolled: those
// of one instance, or of all of them together. What goes past the end of the dimension counts as
// all of it. Nothing if there are too many.
enum class Instances { One, Together };
std::optional<std::vector<std::int64_t>> reachable_extents(const SolverTables& solver, int memory,
                                                           int dim,
                                                           Instances instances = Instances::One);

// The lists of these that count for the memory just inside the outermost one, of a subproblem that
// stands for those of the solver with nothing unrolled. Nothing if they are too long.
std::optional<ExtentLists> outer_extents(const SolverTables& solver, const Subproblem& sub);

// The least energy of the links from the outermost memory, of a subproblem without fan-outs, over
// tiles with these extents of the memory just inside it: of the links into that one exactly, and of
// those that go past it by the room that their memory has, or as a bound after so many boxes of
// tiles, or where it reaches a limit. kNever if none fits. Throws Expired.
Filling least_over_tiles(const Subproblem& sub, ExtentLists extents, std::size_t most_boxes,
                         const Deadline& deadline, Units limit = kNever);

// Some tiles: what the largest and the smallest extents of each dimension leave of its iterations,
// and what all links from the outermost memory take with any of them, and those into the next one
// alone. Where the extents of a dimension make no difference, the set is for all of them.
struct TileSet {
  PerDim least_left{}, most_left{};
  Units all = 0, outer = 0;
};

// All tiles with which the links take less than a limit, in so many sets, or about so. Throws
// Expired.
std::vector<TileSet> tiles_below(const Subproblem& sub, ExtentLists extents, Units limit,
                                 std::size_t most_sets, const Deadline& deadline);

}  // namespace tilewright::optimal
