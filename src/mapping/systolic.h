// Systolic arrays: which tensor of a workload stands still, and where.
#pragma once

#include "tilewright/mapping.h"

namespace tilewright {

// Nothing if the architecture has no such array. What is wrong is put into `problems`.
std::optional<SystolicArray> find_systolic_array(const Workload& workload, const Architecture& arch,
                                                 const std::vector<MemoryUse>& memories,
                                                 std::vector<Diagnostic>& problems);

}  // namespace tilewright
