// Groups whose tensors are at home in several memories.
#pragma once

#include <vector>

#include "fusion/flat_group.h"

namespace tilewright::fusion {

// Groups of the same einsums, each with everything in one memory; `tasks` are of different
// memories, and `starts` belong to them, with or without a plan. From each, one thing at a time is
// done otherwise as long as that gains: a tensor is streamed, local or kept, in any of the
// memories; or, where all loops are around all einsums, one of these has another count or place, or
// is cut in two. Nests are found anew. Then the group shares each other memory, with all tensors
// where they are, and goes on from there. So this is no bound, and there may be a better group.
// When the deadline passes, what was found until then; without a plan if there is none to start
// from.
FlatGroup search_homes(const std::vector<FlatTask>& tasks, const std::vector<FlatGroup>& starts,
                       const Deadline& deadline);

}  // namespace tilewright::fusion
