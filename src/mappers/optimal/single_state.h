// A bound of subproblems whose inner memories have no loops: found before any table is made.
#pragma once

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// Whether the only state there is inside the loops of the innermost memory with any says that no
// mapping of the subproblem takes less than `limit`, without leakage. Says nothing, so false,
// where the innermost memory has loops.
bool is_hopeless(const Subproblem& sub, Units limit);

}  // namespace tilewright::optimal
