// Why a map-space has no mapping that fits.
#pragma once

#include <vector>

#include "mappers/optimal/solver_tables.h"

namespace tilewright::optimal {

// From the least overflow of each kind that was met.
std::vector<Diagnostic> why_nothing_fits(const SolverTables& solver,
                                         const std::vector<Verdict>& misfits);

}  // namespace tilewright::optimal
