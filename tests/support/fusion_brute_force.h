// The best plan of a cascade by trying all of them: every tree with loops around several
// einsums, every place of every tensor, every private nest.
#pragma once

#include <cstdint>
#include <optional>

#include "tilewright/cascade.h"

namespace tilewright::testing {

struct FusedBruteForce {
  std::optional<double> best_pj;
  std::uint64_t plans = 0;  // that were costed
  bool complete = true;     // false: there were too many
};

// Plans that do no work twice, with the shared memory "Buffer".
FusedBruteForce fused_brute_force(const Cascade& cascade, const Architecture& arch,
                                  std::uint64_t most_plans);

}  // namespace tilewright::testing
