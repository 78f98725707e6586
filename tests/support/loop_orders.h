// Loop orders by trying all of them: what the classes of orders and the choice
// among them are held against. Shares nothing with either.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mappers/quickflow/orders.h"
#include "tilewright/mapping.h"

namespace tilewright::testing {

using LoopOrder = std::vector<DimId>;  // innermost first

// The dimensions that have a loop at a memory.
std::vector<DimId> loops_of(const Problem& problem, const Mapping& mapping, MemoryId memory);

std::vector<LoopOrder> all_orders(std::vector<DimId> dims);

// The loops of the order inside all others of the memory.
void set_order_from_inside(Mapping& mapping, MemoryId memory, const LoopOrder& order);

// What two orders of one class have in common, of one tensor, word for word.
// (QuickFlow, section IV-B, equi-reuse)
struct ReuseTraits {
  int position = -1;         // of the innermost coupled loop; -1 if there is none
  int affine_dim = -1;       // the dimension there, if it is an affine one
  std::uint32_t inside = 0;  // the dimensions of the loops inside

  auto operator<=>(const ReuseTraits&) const = default;
};
using ReuseKey = std::vector<ReuseTraits>;  // per tensor
ReuseKey reuse_key(const LoopOrder& order, std::span<const TensorReuse> tensors);

// How many ways there are to order the loops of all memories.
std::uint64_t count_orders(const Problem& problem, const Mapping& mapping);
// The mapping with each of them; what comes with it is valid during the call.
void for_each_order(const Problem& problem, Mapping mapping,
                    const std::function<void(const Mapping&)>& visit);

}  // namespace tilewright::testing
