// Spatial bounds that some smaller ones are as good as, and those that are left (docs/optimal.md,
// "What is left out because something else is as good").
#pragma once

#include <cstdint>
#include <vector>

#include "mappers/optimal/solver_tables.h"

namespace tilewright::optimal {

// Whether a mapping may have smaller bounds of a dimension in a fan-out, as far as constraints go.
bool may_unroll_less(const SolverTables& solver, int fanout, int dim);

// Whether branches without a tile cost nothing and nothing can be saved by them: then of all bounds
// that leave as many groups of tiles the least is as good as any other, if no instance inside the
// fan-out holds sums of its own.
bool is_dealt_alike(const SolverTables& solver, int fanout, int dim);

// The products of bounds x and y of two axes, up to so much each, such that neither can be less
// without more groups of tiles; with as many tiles as some divisor of the size.
std::vector<std::int64_t> tight_bounds(std::int64_t size, std::int64_t most_x, std::int64_t most_y);

}  // namespace tilewright::optimal
