// What is still to be paid for filling memories that stand alone around one multiplier, by the
// extents and the open links of each place inside their loops.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/pooled_tensors.h"
#include "mappers/optimal/price.h"
#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

class FillingAhead : public CostAhead {
 public:
  // Looks at the links of these tensors, in tables that have them. What is no less than the limit
  // is not told apart. Throws Expired and TooLarge.
  FillingAhead(SolverTables tables, const PooledTensors& tensors, Units limit,
               std::int64_t most_bytes, const Deadline& deadline);
  FillingAhead(const FillingAhead&) = delete;
  FillingAhead& operator=(const FillingAhead&) = delete;

  // What all links take; the limit at most.
  Units least() const { return least_; }
  Units limit() const { return limit_; }
  // The same with these extents inside the loops of the innermost memory.
  Units least_from(const PerDim& extents) const;
  std::uint64_t steps() const { return steps_; }
  std::int64_t bytes() const { return bytes_; }

  // All that the subproblem unrolls is part of the tiles here.
  Units leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                  std::vector<Relaxation::Table>& tables) const override;

 private:
  void find(const Deadline& deadline);
  std::vector<std::vector<OpenLinks>> list_pending() const;
  std::vector<Relaxation::Table> after_all_loops(const std::vector<OpenLinks>& pending);
  // From just inside the loops of a memory to the tiles of the next one inside.
  std::vector<Relaxation::Table> at_tiles(int memory, const std::vector<OpenLinks>& pending);
  std::vector<LinkPrices> prices_inside(int memory) const;
  void drop_states_beyond_limit(int memory);
  void drop_beyond_limit(int memory);
  // What all links of a subproblem that are not among those here take at least, and what is fixed.
  Units unpooled(const Subproblem& sub) const;
  const Values* table(int memory, OpenLinks pending) const;
  // Where the vectors of extents of a subproblem are in the tables here, by dimension; negative if
  // they are not.
  std::vector<std::vector<std::int64_t>> places(const Subproblem& sub, const Lattice& lattice,
                                                int memory) const;

  TableMemory memory_;
  SolverTables tables_;
  PooledTensors tensors_;
  SpatialBounds nothing_unrolled_;
  Subproblem sub_;
  Lattice lattice_;
  Units limit_, least_ = 0;
  std::uint64_t steps_ = 0;
  std::int64_t bytes_ = 0;
  std::vector<std::vector<Relaxation::Table>> inside_;  // the loops of each memory
};

}  // namespace tilewright::optimal
