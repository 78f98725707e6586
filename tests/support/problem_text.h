// Problems as users write them.
#pragma once

#include <string>

#include "tilewright/mapping.h"

namespace tilewright::testing {

// An architecture as a file, and a workload on one line; throws what is wrong with them.
Problem problem_of(const std::string& arch, const std::string& workload);

}  // namespace tilewright::testing
