// A walk through the orders of a memory's loops that are worth a look, from the inside out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "base/bits.h"
#include "mapspace/loop_nesting.h"

namespace tilewright {

// Loops of a memory that have their place; others stand outside them.
struct PlacedLoops {
  std::array<std::uint8_t, kMaxDims> innermost_first{};
  int count = 0;
  std::uint32_t used = 0;  // dimensions that are placed

  void place(int dim) {
    innermost_first[at(count++)] = static_cast<std::uint8_t>(dim);
    used |= 1U << dim;
  }
};

inline void set_order(const PlacedLoops& loops, MemoryId memory, Mapping& mapping) {
  std::array<DimId, kMaxDims> order{};
  for (int i = 0; i < loops.count; ++i) {
    order[at(i)] = DimId{loops.innermost_first[at(loops.count - 1 - i)]};
  }
  mapping.set_order(memory, std::span(order.data(), static_cast<std::size_t>(loops.count)));
}

// Links are what the order decides about: each has its tensor, its movers and the sliding ones of
// them (see OpenOrders). All links of a tensor have the same movers. A node is a PlacedLoops, with
// what else belongs to it; each way on has a copy of its own. The visitor has
//   is_over()                     true: the walk ends here
//   settle(node, tensors, dim)    the next loop moves these tensors (bits), before all others
//   finish(node)                  all loops are placed
template <typename Link, typename Visitor>
class OrderWalk {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled where there are loops
  OrderWalk(const LoopNesting& nesting, std::uint32_t loops, std::span<const Link> links,
            Visitor& visitor)
      : nesting_(nesting), loops_(loops), visitor_(visitor) {
    for (const int dim : members(loops)) moved_[at(dim)] = sliding_[at(dim)] = 0;
    for (const Link& link : links) {
      const std::uint32_t tensor = 1U << index_of(link.tensor);
      open_ |= tensor;
      for (const int dim : members(link.movers)) moved_[at(dim)] |= tensor;
      for (const int dim : members(link.sliding)) sliding_[at(dim)] |= tensor;
    }
  }

  template <typename Node>
  void run(Node start) {
    extend(open_, start);
  }

 private:
  // Loops that move none of the open tensors go inside first: that spares accesses and costs
  // nothing. Gives those that can be next after them.
  std::uint32_t place_neutral(std::uint32_t open, PlacedLoops& node) const {
    for (;;) {
      const std::uint32_t next = nesting_.next(loops_ & ~node.used);
      std::uint32_t moving = 0;
      for (const int dim : members(next)) {
        if ((moved_[at(dim)] & open) == 0) {
          node.place(dim);
        } else {
          moving |= 1U << dim;
        }
      }
      if (moving == next) return next;
    }
  }

  // Then one that moves some of them settles these; `open` has a bit per tensor.
  template <typename Node>
  void extend(std::uint32_t open, Node& node) {
    const std::uint32_t next = place_neutral(open, node);
    if (next == 0) return visitor_.finish(node);
    // One is enough of the loops that settle the same tensors without sliding.
    std::array<std::uint32_t, kMaxDims> tried;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    auto* end = tried.begin();
    for (const int dim : members(next)) {
      if (visitor_.is_over()) return;
      const std::uint32_t settled = moved_[at(dim)] & open;
      if ((sliding_[at(dim)] & open) == 0) {
        if (std::find(tried.begin(), end, settled) != end) continue;
        *end++ = settled;
      }
      Node longer = node;
      visitor_.settle(longer, settled, dim);
      longer.place(dim);
      extend(open & ~settled, longer);
    }
  }

  const LoopNesting& nesting_;
  std::uint32_t loops_;
  Visitor& visitor_;
  std::uint32_t open_ = 0;  // tensors, as bits
  // Tensors that a dimension moves, and for which it slides a window; where it has a loop.
  std::array<std::uint32_t, kMaxDims> moved_, sliding_;
};

}  // namespace tilewright
