// From an einsum and the sizes of its dimensions to a workload.
#pragma once

#include <optional>

#include "context.h"
#include "tilewright/workload.h"

namespace tilewright::io {

// The workload without a name and with default widths; roles that the einsum does
// not give are left to assign_roles(). Dimensions stand in the order of `sizes`.
// Nothing after complaints.
std::optional<Workload> contraction(Context& context, const Node& einsum, const Node& sizes);

}  // namespace tilewright::io
