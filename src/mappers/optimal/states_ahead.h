// What is still to be paid from each state of a relaxation that may lead to something below its
// limit. It bounds relaxations in which nothing costs less.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/reached_places.h"
#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

class StatesAhead : public CostAhead {
 public:
  struct Memory {
    TableMemory& work;  // while it is made
    TableMemory& kept;
  };
  // Goes back through a relaxation that had this limit. Throws Expired and TooLarge.
  StatesAhead(const Subproblem& sub, const Lattice& lattice, const Relaxation& relaxation,
              Units limit, const Memory& memory, const Deadline& deadline);
  StatesAhead(const StatesAhead&) = delete;
  StatesAhead& operator=(const StatesAhead&) = delete;

  std::uint64_t steps() const { return steps_; }
  // Leaves the extents out that no state has. False if nothing is left.
  bool narrow(Lattice& lattice) const;
  // Of a subproblem with the same placement and the same extents, and no higher limit.
  Units leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                  std::vector<Relaxation::Table>& tables) const override;

 private:
  // Just inside the loops of a memory: by its open links, over the extents that some state has.
  // Few places have a value, so they are listed: many such sets may wait.
  struct Ahead {
    OpenLinks pending = 0;
    ReachedPlaces values;
  };
  struct States {
    std::vector<std::vector<std::int64_t>> extents;  // of each dimension
    std::vector<Ahead> ahead;
  };
  static States states_of(const Lattice& lattice, int memory, std::vector<Relaxation::Table> ahead,
                          TableMemory& kept);

  std::vector<States> inside_;  // the loops of each memory but the innermost one
  std::uint64_t steps_ = 0;
};

}  // namespace tilewright::optimal
