// Holds the fast model against the oracle on one case.
#pragma once

#include <string>
#include <vector>

#include "support/random_problem.h"

namespace tilewright::testing {

// Every count in which the two differ, and the energy. The mapping fits.
std::vector<std::string> compare_counts_with_oracle(const RandomCase& random);

// The same and what each memory must hold. Capacities are unlimited.
std::vector<std::string> compare_with_oracle(const RandomCase& random);

}  // namespace tilewright::testing
