// Uneven mappings for tests: random ones, and all of small problems.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "support/brute_force.h"
#include "support/random_problem.h"
#include "support/small_instance.h"

namespace tilewright::testing {

// A random problem with storage points at some memories, and a mapping of it.
RandomCase random_uneven_case(TestRng& rng, const RandomOptions& options);

// All ways to cut a set of tensors into storage points, outermost first.
std::vector<StoragePoints> all_points(std::uint32_t tensors);

// The best of all mappings with perfect factors, even and uneven, by scoring every one of
// them: memories stand as they are, or as storage points in every order. Nothing if there
// are more than so many.
struct UnevenBruteForce {
  struct Best {
    Score score;
    Problem problem;
    Mapping mapping;
  };
  std::uint64_t mappings = 0, valid = 0;
  std::array<std::optional<Best>, kObjectives.size()> best;
  std::map<std::int64_t, double> least_pj;  // by cycles
};
std::optional<UnevenBruteForce> uneven_brute_force(const SmallInstance& instance,
                                                   std::uint64_t most_mappings);

// A small instance without rules on the loops and the tensors of memories that keep several.
SmallInstance small_uneven_instance(std::uint64_t seed, std::uint64_t most_mappings);

}  // namespace tilewright::testing
