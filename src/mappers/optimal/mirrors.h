// Dimensions that can change places: a problem that is the same in a mirror has every mapping
// twice, at the same cost, and so every subproblem.
#pragma once

#include <array>
#include <vector>

#include "mappers/optimal/solver_tables.h"

namespace tilewright::optimal {

// Pairs of dimensions change places, all at once, and then nothing differs: sizes, tensors, and
// what the hardware and the user allow. So with P and R on one hand, and Q and S on the other, of
// a square convolution. Some of them, where there are very many.
std::vector<DimMirror> find_mirrors(const SolverTables& solver);

}  // namespace tilewright::optimal
