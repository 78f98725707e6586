// The loops of one memory: the extents around them, which of them may stand where, and what the
// links cost that they move.
#pragma once

#include <cstdint>
#include <vector>

#include "mappers/optimal/lattice.h"
#include "mappers/optimal/open_links.h"
#include "mappers/optimal/price.h"
#include "mapspace/loop_nesting.h"

namespace tilewright::optimal {

class BlockLoops {
 public:
  BlockLoops(const Subproblem& sub, const Lattice& lattice, int memory)
      : sub_(sub),
        solver_(sub.solver()),
        lattice_(lattice),
        memory_(memory),
        nesting_(*solver_.restrictions, MemoryId{memory}, solver_.originals) {}

  std::uint32_t all_dims() const { return (1U << solver_.dim_count) - 1U; }
  const LoopNesting& nesting() const { return nesting_; }
  const LatticeAxis& axis(int d) const { return lattice_.axis(memory_, d); }
  // Dimensions that are done have their outer extents, the others inner ones.
  const std::vector<std::int64_t>& extents(std::uint32_t done, int d) const {
    return contains(done, d) ? axis(d).outer : axis(d).inner;
  }
  // A dimension that moves none of these tensors and may stand here; -1 if there is none.
  int unmoving(std::uint32_t open, std::uint32_t left) const;
  // Adds the prices of the open links of some tensors; along the moving loop's axis there is a
  // place for each edge.
  void pay(std::uint32_t done, std::uint32_t tensors, OpenLinks pending, int moving_dim,
           Values& values);

 private:
  AxisExtents ranges(std::uint32_t done, int d, bool moves) const;

  const Subproblem& sub_;
  const SolverTables& solver_;
  const Lattice& lattice_;
  int memory_;
  LoopNesting nesting_;
  std::vector<int> links_;
};

}  // namespace tilewright::optimal
