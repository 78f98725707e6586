// Searches a frame from the outermost memory in, within the bounds that its
// relaxation gives.
#pragma once

#include <cstdint>
#include <optional>

#include "optimal/cost.h"
#include "optimal/relax.h"
#include "optimal/watch.h"

namespace tilewright::optimal {

struct Found {
  Mapping mapping;
  Cost cost;
};

struct DescentResult {
  std::optional<Found> better;  // than what was to be beaten
  std::uint64_t evaluated = 0;  // mappings
  std::uint64_t expanded = 0;   // nodes
  bool complete = true;         // not stopped by the watch
};

DescentResult descend(const Frame& frame, const Lattice& lattice, const Relaxation& relaxation,
                      Objective objective, std::optional<Cost> to_beat, const Watch& watch);

// What no mapping of the frame beats, given its least energy without leakage.
Cost bound_of(const Frame& frame, Units least_energy, const Loads& least_loads);

}  // namespace tilewright::optimal
