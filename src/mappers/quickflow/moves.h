// The neighbours of an allocation.
#pragma once

#include <vector>

#include "mappers/quickflow/allocation.h"

namespace tilewright::quickflow {

// Which slots take part in a round of the search.
struct Scope {
  bool spatial = true;
  bool temporal = true;  // without it, only the outermost slot of each dimension
  bool keepers = true;
  double idle = 0;  // share of the instances that an exchange may take out of work
};

// The moves that the allocation allows: any number of copies of a prime factor
// from one slot of a dimension to another; other bounds of two dimensions in a
// spatial slot at once, where not more instances than the scope says fall idle; where
// remainders are allowed, any bound of which none smaller gives as few steps, also together with
// the largest factors that then divide in fan-outs outside; a tensor kept or not.
void list_moves(const Allocation& allocation, const Scope& scope, std::vector<Move>& moves);

}  // namespace tilewright::quickflow
