// What every mapping takes at least for the words that leave and enter the outermost memory.
#pragma once

#include "mappers/optimal/solver_tables.h"

namespace tilewright::optimal {

// No mapping has fewer cycles: every element of a tensor at home in the outermost memory passes a
// port of it once at least. 0 if nothing is known.
Int128 least_home_cycles(const SolverTables& solver);

}  // namespace tilewright::optimal
