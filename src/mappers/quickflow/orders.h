// Loop orders: which of them reuse the same, and which is best.
//
// At a memory, a tile of a tensor stays where it is under the innermost loops
// that do not move the tensor (stationarity), and of the next tile only a part
// is new if the loop that moves it slides a window (halo). Nothing else about
// an order matters; so orders fall into few classes, and with the bounds known
// the best one is found without evaluating any. (QuickFlow, sections IV-B and IV-C)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mappers/quickflow/order_walk.h"
#include "mapspace/loop_nesting.h"
#include "model/open_orders.h"
#include "tilewright/map.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"

namespace tilewright {

// --- classes --------------------------------------------------------------------

// What loops of a memory do to a tensor.
struct TensorReuse {
  std::uint32_t relevant = 0;  // bit per dimension that moves it
  std::uint32_t sliding = 0;   // those of them that slide a window; none where no halo is reused
};

// What loops do to each tensor of a workload.
std::vector<TensorReuse> reuse_of(const Workload& workload);
// What they do to the tensors that a memory's loops can spare accesses: those kept by
// a memory inside it, which gets them from another. What is read for every
// multiplication anew has nothing to reuse.
std::vector<TensorReuse> reuse_at(const Problem& problem, MemoryId memory);

// Orders that reuse the same: for each tensor the same loops inside the one
// that moves it, and the same such loop if it slides a window.
struct OrderClass {
  std::vector<DimId>
      innermost_first;       // the loops that matter; the others stand outside, in any way
  std::uint64_t orders = 0;  // that the class has
};

// The classes of all orders of the loops over `dims`: with all dimensions
// QuickFlow's equi-reuse classes, with those that have a loop at a memory its
// equi-dataflow classes. At most 20 loops.
std::vector<OrderClass> order_classes(std::uint32_t dims, std::span<const TensorReuse> tensors);

// --- the best order ---------------------------------------------------------------

// Gives mappings the best loop orders for their bounds. Every memory on its
// own, innermost first: the order whose links cost least energy. Where ports
// are slower than the multipliers, the orders of all memories that trade energy
// for load are compared together. With perfect factors no order is better; with
// remainders it is a good one. One per thread.
class OrderChooser {
 public:
  OrderChooser(const Evaluator& evaluator, const Restrictions& restrictions, Objective objective);

  // Sets the orders of a sound mapping; the score is that of OpenOrders, and
  // whether the mapping fits is left open.
  Score choose(Mapping& mapping);

  // Orders that were compared so far, and memories at which there was a choice.
  std::uint64_t compared() const { return compared_; }
  std::uint64_t choices() const { return choices_; }

 private:
  struct Candidate : PlacedLoops {
    OpenOrders::Totals totals;  // of the links that the order decides about
  };
  struct Lister;
  struct Level {
    LoopNesting nesting;
    std::vector<Candidate> candidates;
    std::size_t chosen = 0;
  };

  void list_candidates(int memory, const Mapping& mapping);
  void weigh_ports();
  void keep_undominated(Level& level);
  bool dominates(const Candidate& a, const Candidate& b) const;
  OpenOrders::Totals least_of(const Level& level) const;
  void try_all(std::size_t memory, const OpenOrders::Totals& sum);

  Objective objective_;
  OpenOrders open_;
  std::vector<Level> levels_;  // per memory
  std::vector<int> limited_;   // memories whose ports are
  // While ports are weighed: the best, and the least that the memories from one
  // inwards can add.
  Score best_;
  std::vector<std::size_t> best_choice_;
  std::vector<OpenOrders::Totals> least_from_;
  std::uint64_t compared_ = 0, choices_ = 0;
};

}  // namespace tilewright
