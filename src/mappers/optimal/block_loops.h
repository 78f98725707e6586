// The loops of one memory: the extents around them, which of them may stand where, and what the
// links cost that they move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mappers/optimal/lattice.h"
#include "mappers/optimal/open_links.h"
#include "mappers/optimal/price.h"
#include "mappers/optimal/vector_sums.h"
#include "mapspace/loop_nesting.h"

namespace tilewright::optimal {

// Element by element.
inline void take_less(std::span<Units> into, std::span<const Units> from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::min(into[i], from[i]);
}

class BlockLoops {
 public:
  // Tables have a value at each vector of extents, or kNever.
  using Places = Values;

  BlockLoops(const Subproblem& sub, const Lattice& lattice, int memory)
      : sub_(sub),
        solver_(sub.solver()),
        lattice_(lattice),
        memory_(memory),
        nesting_(*solver_.restrictions, MemoryId{memory}, solver_.originals) {}

  static Places from_table(const Values& values) { return values; }
  static void merge(Places& into, const Places& from) { take_less(into, from); }
  // Leaves out what lists may have twice.
  void unite(Places& /*places*/) const {}
  std::uint32_t all_dims() const { return (1U << solver_.dim_count) - 1U; }
  const LoopNesting& nesting() const { return nesting_; }
  const LatticeAxis& axis(int d) const { return lattice_.axis(memory_, d); }
  // Dimensions that are done have their outer extents, the others inner ones.
  const std::vector<std::int64_t>& extents(std::uint32_t done, int d) const {
    return contains(done, d) ? axis(d).outer : axis(d).inner;
  }
  // How many places a table has.
  std::size_t places_of(std::uint32_t done) const;
  // One loop, on the way from the inside out or back.
  struct Passage {
    int dim = 0;
    bool outwards = true;
    bool idle = false;        // bounds of 1 alone
    std::uint32_t moved = 0;  // tensors whose open links are paid for where it moves them
    OpenLinks pending = 0;
  };
  // Values on the other side of the loop, for the best extent on this one. Other dimensions
  // that are done have outer extents.
  Values across(const Values& values, std::uint32_t done, const Passage& passage);
  // The same with no loop of some dimensions: all of these have the same extents on both sides.
  Values without_loops(const Values& values, std::uint32_t done, std::uint32_t dims, bool outwards);
  // The edges that were followed so far, over all vectors.
  std::uint64_t steps() const { return steps_; }
  // A dimension that moves none of these tensors and may stand here; -1 if there is none.
  int unmoving(std::uint32_t open, std::uint32_t left) const;
  // Adds the prices of the open links of some tensors, if a loop moves them as a whole.
  void pay(std::uint32_t done, std::uint32_t tensors, OpenLinks pending, Values& values);

 protected:
  // The links of some tensors that are open here.
  void list_links(std::uint32_t tensors, OpenLinks pending, std::vector<int>& links) const {
    list_open(sub_, memory_, tensors, pending, links);
  }
  // Found one by one when they are asked for.
  LinkPrices link_prices(int link, std::uint32_t done, int moving_dim) const;
  // How far places of a table are apart that differ by one in a dimension.
  std::vector<std::size_t> strides_of(std::uint32_t done) const;
  // Where each place is without loops of some dimensions; negative if nowhere.
  VectorSums places_without_loops(std::uint32_t done, std::uint32_t dims, bool outwards) const;
  void count_steps(std::uint64_t steps) { steps_ += steps; }

 private:
  std::vector<LinkPrices> prices(std::uint32_t done, std::uint32_t tensors, OpenLinks pending,
                                 int moving_dim);
  std::vector<AxisExtents> price_axes(std::uint32_t done, int moving_dim) const;
  Values without_loops_one_by_one(const Values& values, std::uint32_t done, std::uint32_t dims,
                                  bool outwards);
  AxisExtents ranges(std::uint32_t done, int d, bool moves) const;

  const Subproblem& sub_;
  const SolverTables& solver_;
  const Lattice& lattice_;
  int memory_;
  LoopNesting nesting_;
  std::vector<int> links_;
  std::uint64_t steps_ = 0;
};

}  // namespace tilewright::optimal
