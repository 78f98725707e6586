// Searches a subproblem from the outermost memory in, within the bounds that its
// relaxation gives.
#pragma once

#include <cstdint>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/cost.h"
#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

struct Found {
  Mapping mapping;
  Cost cost;
};

struct DescentResult {
  std::vector<Found> found;     // of interest, the later the better
  std::uint64_t evaluated = 0;  // mappings
  bool complete = true;         // not stopped by the deadline
};

DescentResult descend(const Subproblem& sub, const Lattice& lattice, const Relaxation& relaxation,
                      const Goal& goal, const Deadline& deadline);

// What no mapping of the subproblem beats, given its least energy without leakage.
Cost bound_of(const Subproblem& sub, Units least_energy, const Loads& least_loads);

}  // namespace tilewright::optimal
