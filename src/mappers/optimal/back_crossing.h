// What is still to be paid from each place inside the loops of a memory, given what is to be paid
// outside them.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/relax.h"
#include "mappers/optimal/sparse_loops.h"

namespace tilewright::optimal {

// The values of the table with these open links; null if there is none.
const Values* find_table(const std::vector<Relaxation::Table>& tables, OpenLinks pending);
// Prices of the links that are still open after all loops: their tiles are loaded once.
void pay_open_at_end(const Subproblem& sub, const Lattice& lattice, Relaxation::Table& table);

// Goes through the classes of orders of a memory's loops as a relaxation does, and carries what is
// to be paid outside them in. Loops are BlockLoops, or SparseLoops if few places have a value.
template <typename Loops>
class BackCrossing {
 public:
  // `outside` has the outer extents of the memory, and tables for all links that may be open.
  BackCrossing(const Subproblem& sub, const Lattice& lattice, int memory, const Deadline& deadline,
               const std::vector<Relaxation::Table>& outside)
      : solver_(sub.solver()),
        loops_(sub, lattice, memory),
        deadline_(deadline),
        outside_(outside) {}

  // By inner extents, with these links open there.
  Values inside(OpenLinks pending);
  std::uint64_t steps() const { return loops_.steps(); }

 private:
  using Places = typename Loops::Places;

  // Dimensions that are done have their outer extents, the others inner ones. What is to be paid
  // does not depend on the links that were open before.
  const Places& proceed(std::uint32_t done, std::uint32_t open, std::uint32_t left);
  Places find(std::uint32_t done, std::uint32_t open, std::uint32_t left);
  // After all loops, with these links open.
  const Places& outside(OpenLinks pending);
  // With no open link, across the remaining dimensions.
  const Places& closed(std::uint32_t done);
  Places stay_open(std::uint32_t done, std::uint32_t open, std::uint32_t left);
  void pay_without_windows(std::uint32_t done, std::uint32_t open, std::uint32_t left,
                           Places& least);
  // What is to be paid before the loop of a dimension, for the best extent outside it.
  Places back_across(const Places& next, std::uint32_t done, int d, std::uint32_t moved);

  const SolverTables& solver_;
  Loops loops_;
  const Deadline& deadline_;
  const std::vector<Relaxation::Table>& outside_;
  OpenLinks pending_ = 0;
  using Stage = std::tuple<std::uint32_t, std::uint32_t, OpenLinks>;
  std::map<Stage, Places> known_;
  std::map<OpenLinks, Places> at_tiles_;    // of the tables outside
  std::map<std::uint32_t, Places> closed_;  // by dimensions that are done
};

}  // namespace tilewright::optimal
