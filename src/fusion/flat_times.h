// The best plan of flat groups where time counts.
#pragma once

#include <string>
#include <vector>

#include "tilewright/fusion.h"

namespace tilewright::fusion {

// The groups of flat_search.h, for an objective with time. Plans are looked for that take the least
// energy + price * cycles, at one price of a cycle after another (map/price_search.h).
FuseOutcome fuse_flat_timed(const Cascade& cascade, const Architecture& arch,
                            const FuseOptions& options, const std::vector<std::string>& shared,
                            Evenness evenness);

// The energy of all einsums of a tree.
double energy_of(const PlanNode& node, const PlanEvaluation& evaluation);

}  // namespace tilewright::fusion
