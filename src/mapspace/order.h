// Loop orders of one memory. Of the loops there, some have their place by a
// constraint; the others may stand in any order between them.
#pragma once

#include <cstdint>
#include <vector>

#include "tilewright/mapspace.h"

namespace tilewright::mapspace {

struct OrderPlan {
  MemoryId memory{};
  int slot = 0;
  // Dimensions that may have a loop here; the lists from the outside in.
  std::vector<DimId> outermost, free, innermost;
};

// One for every memory that may have a loop.
std::vector<OrderPlan> order_plans(const Problem& problem, const Restrictions& restrictions);

// How many of the mapping's loops at the memory are free to be ordered.
int free_loops(const OrderPlan& plan, const Mapping& mapping);

// Gives the memory's loops their i-th order, from 0 to the factorial of
// free_loops(); dimensions without a loop follow, as canonical() has them.
void write_order(const OrderPlan& plan, std::uint64_t index, Mapping& mapping);

}  // namespace tilewright::mapspace
