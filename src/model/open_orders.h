// The cost of mappings whose loop orders are still to be chosen.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "tilewright/model.h"

namespace tilewright {

// What a mapping costs while the orders of its loops are left open.
//
// A link is a tensor's way from one keeper to the next one inside it. What it
// moves depends on the order of a single memory's loops: the first one outside
// the inner keeper that has a loop which moves the tensor. There it depends on
// which of these loops is innermost, and on which others stand inside it. So
// the order of each memory can be chosen on its own, but for ports that are
// slower than everything else. One per thread; allocates when it is made only.
class OpenOrders {
 public:
  struct Link {
    TensorId tensor{};
    MemoryId parent{}, child{};
    std::uint32_t movers = 0;   // bit per dimension with a loop there that moves the tensor
    std::uint32_t sliding = 0;  // those after whose step tiles overlap: which one moves matters
  };
  struct Load {
    Int128 reads = 0, writes = 0;  // of the busiest instance; only where a port is limited
  };
  // Energy and ports, without leakage; what is undecided counts as nothing.
  struct Totals {
    double energy_pj = 0;
    std::array<Load, kMaxMemories> loads{};
    Int128 stationary_changes = 0;  // of the tile in a systolic array
  };

  explicit OpenOrders(const Evaluator& evaluator);
  ~OpenOrders();
  OpenOrders(OpenOrders&&) noexcept;

  const Problem& problem() const;

  // Takes a mapping's bounds and what its memories keep; it must be sound and
  // stay as it is while costs are asked for, but for its orders.
  void lay_out(const Mapping& mapping);

  // What does not depend on orders.
  const Totals& fixed() const;
  // The links that the order of a memory's loops decides about.
  std::span<const Link> links(MemoryId memory) const;
  // Adds what a link moves if `mover`, one of its movers, is the innermost of
  // them, and of the other loops of this memory `inside` stand inside that.
  void add(MemoryId memory, const Link& link, DimId mover, std::uint32_t inside,
           Totals& totals) const;

  // The score of a mapping that fits. May differ from Evaluator::score in the
  // last digits of the energy, for it sums in another order.
  Score score(const Totals& totals) const;
  // Cycles while no port is slower than the multipliers.
  Int128 compute_cycles() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
