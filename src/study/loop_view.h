// Layers whose loops stand for one dimension each.
#pragma once

#include <array>
#include <optional>

#include "tilewright/flexibility.h"

namespace tilewright::study {

// The loop that each dimension belongs to, -1 for those of one step. Nothing if
// two of more steps share a loop, or one has none.
std::optional<std::array<int, kMaxDims>> loops_by_dimension(const Workload& workload,
                                                            const ConvView& view);

}  // namespace tilewright::study
