#include <gtest/gtest.h>

#include "support/compare_with_oracle.h"
#include "support/slow_build.h"
#include "support/uneven_case.h"

namespace tilewright::testing {
namespace {

const int kUnevenCases = slow_build() ? 15 : 400;

struct UnevenShard {
  const char* name;
  std::uint64_t seed;
  RandomOptions options;
};

class UnevenModelEqualsOracle : public ::testing::TestWithParam<UnevenShard> {};

TEST_P(UnevenModelEqualsOracle, OnRandomProblems) {
  for (int i = 0; i < kUnevenCases; ++i) {
    TestRng rng(GetParam().seed + static_cast<std::uint64_t>(i));
    const RandomCase random = random_uneven_case(rng, GetParam().options);
    const auto found = compare_with_oracle(random);
    ASSERT_TRUE(found.empty()) << "case " << i << ": " << describe(random) << "\n  "
                               << found.front();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shards, UnevenModelEqualsOracle,
    ::testing::Values(UnevenShard{"perfect", 5'000'000, {.imperfect = false}},
                      UnevenShard{"remainders_1", 5'100'000, {}},
                      UnevenShard{"remainders_2", 5'200'000, {}},
                      UnevenShard{"timeloop", 5'300'000, {.accounting = Accounting::Timeloop}}),
    [](const auto& shard) { return std::string(shard.param.name); });

}  // namespace
}  // namespace tilewright::testing
