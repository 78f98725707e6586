// The best of all mappings, even and uneven, against every mapping of small problems.
#include <gtest/gtest.h>

#include "support/check_uneven.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const std::uint64_t kUnevenSeeds = slow_build() ? 2 : 20;

class UnevenOptimumIsExact : public ::testing::TestWithParam<int> {};

TEST_P(UnevenOptimumIsExact, OnSmallInstances) {
  for (std::uint64_t i = 0; i < kUnevenSeeds; ++i) {
    const std::uint64_t seed = 1'000 * static_cast<std::uint64_t>(GetParam()) + i;
    const UnevenReport report = check_uneven_seed(seed, 40'000);
    ASSERT_TRUE(report.failures.empty()) << report.failures;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, UnevenOptimumIsExact, ::testing::Range(50, 55));

}  // namespace
}  // namespace tilewright::testing
