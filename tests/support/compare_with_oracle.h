// Holds the fast model against the oracle on one case.
#pragma once

#include <string>
#include <vector>

#include "support/random_problem.h"

namespace tilewright::testing {

// Every count in which the two differ.
std::vector<std::string> compare_with_oracle(const RandomCase& random);

}  // namespace tilewright::testing
