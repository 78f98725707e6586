// The best plan of flat groups where time counts.
#pragma once

#include <string>
#include <vector>

#include "fusion/flat_search.h"
#include "tilewright/fusion.h"

namespace tilewright::fusion {

// The groups of flat_search.h, for an objective with time. Plans are looked for that take the least
// energy + price * cycles, at one price of a cycle after another (map/price_search.h).
FuseOutcome fuse_flat_timed(const Cascade& cascade, const Architecture& arch,
                            const FuseOptions& options, const std::vector<std::string>& shared,
                            Evenness evenness);

// The same where each cycle takes so much (FuseOptions::cycle_pj).
FuseOutcome fuse_flat_priced(const Cascade& cascade, const Architecture& arch,
                             const FuseOptions& options, const std::vector<std::string>& shared,
                             const FlatAim& aim);

// The energy of each group of a plan.
std::vector<double> group_energies(const Plan& plan, const PlanEvaluation& evaluation);

}  // namespace tilewright::fusion
