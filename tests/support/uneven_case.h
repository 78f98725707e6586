// Uneven mappings for tests: random ones, and all of small problems.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "support/brute_force.h"
#include "support/random_problem.h"
#include "support/small_instance.h"

namespace tilewright::testing {

// A random problem with storage points at some memories, and a mapping of it.
RandomCase random_uneven_case(TestRng& rng, const RandomOptions& options);
// A random mapping that keeps what an even one keeps, with storage points at some memories; nothing
// if none was taken apart.
std::optional<RandomCase> with_random_points(TestRng& rng, const RandomCase& even);

// All ways to cut a set of tensors into storage points, outermost first.
std::vector<StoragePoints> all_points(std::uint32_t tensors);

// Visits all mappings of a kind of space, even and uneven: memories stand as they are, or as
// storage points in every order, also with no loops between. False if there are more than so many.
using UnevenVisit = std::function<void(const Evaluator& apart, const Mapping& mapping)>;
bool go_through_uneven(const SmallInstance& instance, SpaceKind kind, std::uint64_t most_mappings,
                       const UnevenVisit& visit);

// The best of them by every objective.
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
std::optional<UnevenBruteForce> uneven_brute_force(const SmallInstance& instance, SpaceKind kind,
                                                   std::uint64_t most_mappings);

}  // namespace tilewright::testing
