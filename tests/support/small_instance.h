// Small random problems with constraints, whose whole map-space can be gone
// through: what the optimal mapper is held against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/random_problem.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing {

struct SmallInstance {
  Problem problem;
  std::vector<Constraint> constraints;  // the user's; the architecture has others
};

struct SmallOptions {
  SpaceKind kind = SpaceKind::Ruby;
  std::uint64_t most_mappings = 10'000;  // of the space of that kind; at least 4,096
  bool systolic = false;                 // with fill or preload, where there is an array
  int halos = 10;                        // percent in which a fan-out, if any, shares them
  // Convolutions of as many rows as columns, half of them without rules: most of what the optimal
  // mapper looks at has a mirror image.
  bool square = false;
};

// Two to four memories and up to two fan-outs of all sorts, any contraction,
// and rules of all kinds. Energies are whole hundredths of a picojoule, so that the
// values of different mappings are equal or clearly apart. Most
// capacities are what one mapping, drawn at random, just needs; now and then less.
SmallInstance small_instance(std::uint64_t seed, const SmallOptions& options);

Restrictions restrictions_of(const SmallInstance& instance);

// Architecture, workload and constraints as files.
std::string text_of(const SmallInstance& instance);

}  // namespace tilewright::testing
