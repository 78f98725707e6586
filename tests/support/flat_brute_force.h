// The least energy, or all trade-offs with time, of plans whose groups have all their loops around
// all their einsums, one per dimension at most, by trying all of them: loops, places and nests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/random_problem.h"
#include "tilewright/cascade.h"

namespace tilewright::testing {

struct FlatTotal {
  double pj = 0, cycles = 0;
};
struct FlatBruteForce {
  std::optional<double> pj;      // nothing: no plan fits
  std::vector<FlatTotal> front;  // where time counts, plans that no other one beats in both
  std::uint64_t plans = 0;       // that were costed
  bool complete = true;          // false: there were too many
};

// Which plans are tried.
struct FlatPlans {
  bool recompute = false;
  std::uint64_t most = 0;           // plans that are costed
  bool uneven = false;              // nests may be uneven
  std::uint64_t most_nests = 2000;  // of one execution, where they may be
  std::string shared = "Buffer";
  bool timed = false;
};
FlatBruteForce flat_brute_force(const Cascade& cascade, const Architecture& arch,
                                const FlatPlans& plans);

// What is least for an objective; nothing if no plan fits.
std::optional<double> least_value(const FlatBruteForce& found, Objective objective);

// Convolutions in a row with strides and padding, a block of a mobile network, and products, all
// tiny.
Cascade flat_cascade(TestRng& rng);

}  // namespace tilewright::testing
