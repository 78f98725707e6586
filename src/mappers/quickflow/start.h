// Where a search begins.
#pragma once

#include <optional>

#include "mappers/quickflow/allocation.h"

namespace tilewright::quickflow {

// Factors as far outside as constraints let them, but for the axes of fan-outs
// that are open to one dimension only: these are filled. Nothing if a dimension
// has no chain of bounds, or the tiles do not fit even so.
std::optional<Allocation> start_of(const SearchTables& tables);

// The innermost memory that may keep a tensor keeps it, and no other that it
// need not keep.
void keep_alone(Allocation& allocation, int tensor);

// Pushes factors of the dimensions that do not move a tensor as far inside as
// they fit: a tile of the tensor stays where it is under them.
void make_stationary(Allocation& allocation, int tensor);

}  // namespace tilewright::quickflow
