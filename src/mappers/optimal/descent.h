// Searches a subproblem from the outermost memory in, within the bounds that its
// relaxation gives.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/deadline.h"
#include "mappers/optimal/cost.h"
#include "mappers/optimal/ports.h"

namespace tilewright::optimal {

struct Found {
  Mapping mapping;
  Cost cost;
  // It evaluates the problem with storage points, if the mapping is uneven.
  std::shared_ptr<const Evaluator> apart = nullptr;
};

struct DescentResult {
  std::vector<Found> found;     // of interest, the later the better
  std::uint64_t evaluated = 0;  // mappings
  std::uint64_t steps = 0;      // edges that were followed; an evaluation counts as some
  bool complete = true;         // not stopped by the deadline or for its size
};

DescentResult descend(const Subproblem& sub, const Lattice& lattice, const Relaxation& relaxation,
                      const std::vector<PortLoad>& ports, const Goal& goal,
                      const Deadline& deadline,
                      std::uint64_t most_steps = std::numeric_limits<std::uint64_t>::max());

// What no mapping of the subproblem beats, given its least energy without leakage.
Cost bound_of(const Subproblem& sub, Units least_energy, const Loads& least_loads);
// The same if it takes so many cycles at least.
Cost slowed(const Subproblem& sub, const Cost& bound, Int128 cycles);

}  // namespace tilewright::optimal
