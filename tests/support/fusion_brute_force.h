// The best plan of a cascade by trying all of them: every tree with loops around several
// einsums, every place of every tensor, every private nest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/cascade.h"

namespace tilewright::testing {

struct FusedTotal {
  double pj = 0;
  std::int64_t cycles = 0;
};

struct FusedBruteForce {
  // Plans that no other one beats in both. Where time does not count: the one of least energy.
  std::vector<FusedTotal> best;
  std::uint64_t plans = 0;  // that were costed
  bool complete = true;     // false: there were too many
};

struct FusedPlans {
  std::uint64_t most_plans = 0;
  bool timed = false;
  bool uneven = false;  // nests may be uneven
};

// Plans that do no work twice, with the shared memory "Buffer".
FusedBruteForce fused_brute_force(const Cascade& cascade, const Architecture& arch,
                                  const FusedPlans& plans);
// The least value of an objective among these plans.
std::optional<double> least_value(const FusedBruteForce& found, Objective objective);

}  // namespace tilewright::testing
