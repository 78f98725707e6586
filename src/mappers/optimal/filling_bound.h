// The least energy of filling memories that stand alone around one multiplier.
#pragma once

#include <array>
#include <cstdint>

#include "base/deadline.h"
#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// The memories that keep each tensor, as bits.
using Keepers = std::array<std::uint32_t, kMaxTensors>;

// With these keepers and the links between them.
Placement placement_of(const SolverTables& tables, const Keepers& keepers);

// The memories down to one alone, around a multiplier that costs nothing. Every mapping has one
// of them that moves the same words into these memories: whatever is inside is a loop of the
// innermost one, with a remainder if there is one anywhere.
SolverTables tables_down_to(const SolverTables& solver, int memory);

// Whether nothing is asked of the loops of a memory.
bool leaves_all_extents(const SolverTables& solver, int memory);

struct Filling {
  Units least = 0;          // or a bound of it; kNever if nothing below a limit fits
  std::uint64_t steps = 0;  // that it took, as relaxations count them
};

// With remainders it is found in so many looks, or more if these take fewer steps and gave more
// than was known before.
struct FillingEffort {
  int looks = 64;
  std::uint64_t steps = 0;
  Units known = 0;
};

// Extents that all tiles have at least; those of 0 are not known.
using LeastExtents = PerDim;

// The least energy of the links between these keepers in such tables. Throws Expired and TooLarge.
Filling bound_filling(const SolverTables& tables, const Keepers& keepers, Units limit,
                      std::int64_t most_bytes, const Deadline& deadline,
                      const FillingEffort& effort = {}, const LeastExtents& least_extents = {});

// About how many steps that takes with perfect factors. Throws Expired and TooLarge.
std::uint64_t expected_steps(const SolverTables& tables, const Deadline& deadline);

}  // namespace tilewright::optimal
