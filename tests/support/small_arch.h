// Random hardware for small instances.
#pragma once

#include "support/random_problem.h"
#include "tilewright/arch.h"
#include "tilewright/workload.h"

namespace tilewright::testing {

// Capacities that are limited have the amount 2: whoever draws a mapping
// knows what is tight.
Architecture small_arch(TestRng& rng, const Workload& workload);

// A rule that the hardware understands, of any kind. Nothing says that it goes
// together with another.
Constraint small_rule(TestRng& rng, const Problem& problem);

}  // namespace tilewright::testing
