// Random small problems for tests that hold the model against the oracle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/mapping.h"

namespace tilewright::testing {

// SplitMix64: tiny, portable, the same on every machine.
class TestRng {
 public:
  explicit TestRng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // A whole number in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(items.size()) - 1))];
  }

 private:
  std::uint64_t state_;
};

// The dimensions in any order.
std::vector<DimId> random_order(TestRng& rng, int dim_count);

// Instances along a spatial slot; more than enough for a temporal one.
std::int64_t room_of(const Problem& problem, int slot);

struct RandomOptions {
  bool imperfect = true;  // bounds may leave remainders
  Accounting accounting = Accounting::Exact;
  std::int64_t largest_volume = 600;  // multiply-accumulates
  bool largest_tables = false;        // as many memories and fan-outs as there may be
  int halos = 10;                     // percent of the architectures share some
};

// Lets a fan-out share halos, perhaps more of those inside it, if the architecture can.
void share_halos(TestRng& rng, Architecture& arch);

// With bounds that multiply to the sizes, or leave remainders.
Mapping random_mapping(TestRng& rng, const Problem& problem, bool imperfect);

struct RandomCase {
  Problem problem;
  Mapping mapping;
};

// Contractions with windows, strides, dilations, several inputs; hierarchies
// with bypass, fan-outs in a row, blocks, bandwidths; mappings of all kinds.
RandomCase random_case(TestRng& rng, const RandomOptions& options);

// The case as text, for a failing test's message.
std::string describe(const RandomCase& random);

}  // namespace tilewright::testing
