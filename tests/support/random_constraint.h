// Random constraints for tests of their readers and writers.
#pragma once

#include <functional>
#include <string>

#include "support/random_problem.h"
#include "tilewright/arch.h"

namespace tilewright::testing {

// A sound rule for some level, of any kind that the level allows. `name` gives
// dimensions and tensors; a digit is added that makes them differ.
Constraint random_constraint(TestRng& rng, const Architecture& arch,
                             const std::function<std::string()>& name);

}  // namespace tilewright::testing
