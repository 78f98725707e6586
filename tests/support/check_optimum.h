// Holds the answers of the optimal mapper against brute force.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/asked.h"
#include "support/brute_force.h"
#include "support/small_instance.h"

namespace tilewright::testing {

// Values of one objective that are equal but for rounding. Values of small
// instances that differ at all differ by more.
bool same_value(double a, double b);

// Everything that is wrong with an answer; empty if it is optimal and proven,
// or if nothing fits and it says so.
std::vector<std::string> wrong_with(const OptimalResult& answer, const SmallInstance& instance,
                                    SpaceKind kind, std::size_t objective, const BruteForce& truth);

struct CheckReport {
  std::string failures;  // with all that is needed to see them again; empty if none
  std::uint64_t mappings = 0, valid = 0;
  double slowest_seconds = 0;  // of the three answers
};

// Goes through the instance and optimises it for every objective.
CheckReport check_instance(const SmallInstance& instance, SpaceKind kind);
CheckReport check_seed(std::uint64_t seed, const SmallOptions& options);

}  // namespace tilewright::testing
