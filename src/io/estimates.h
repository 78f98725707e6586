// Fills in numbers that a file leaves to an estimate.
#pragma once

#include "context.h"
#include "tilewright/arch.h"

namespace tilewright::io {

// Estimates what levels that say how they are made lack; complains where that is not possible.
// The levels are those of the node, in its order.
void estimate_numbers(Context& context, const Node& root, Architecture& arch);

}  // namespace tilewright::io
