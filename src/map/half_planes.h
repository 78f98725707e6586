// What no choice of mappings leaves, as half-planes of energy and cycles, and the least
// product of powers of the two in what they have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tilewright/base.h"

namespace tilewright::map {

// Energy and cycles of a network, or of a layer.
struct Pair {
  double energy = 0, cycles = 0;

  double value(Objective objective) const;
};

// What no choice of mappings leaves: energy_weight * energy + cycles_weight * cycles is at
// least `least`.
struct HalfPlane {
  double energy_weight = 1, cycles_weight = 0;
  double least = 0;
  Pair reached;  // by the choice of mappings that makes it least
  bool trivial = false;

  double value(const Pair& at) const {
    return energy_weight * at.energy + cycles_weight * at.cycles;
  }
};

// Where two half-planes end together.
struct Corner {
  Pair at;
  std::size_t energetic = 0, quick = 0;  // the one that weighs energy more, and the other
};

// The corner of what all half-planes have in common where the objective is least.
std::optional<Corner> lowest_corner(const std::vector<HalfPlane>& planes, Objective objective);

}  // namespace tilewright::map
