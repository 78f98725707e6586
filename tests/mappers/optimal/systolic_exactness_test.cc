// Optimal mappings of systolic arrays against every mapping of small map-spaces; each answer's
// certificate is made and checked as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/check_optimum.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const auto kSeeds = static_cast<std::uint64_t>(affordable(25));

class SystolicOptimumIsExact : public ::testing::TestWithParam<std::tuple<SpaceKind, int>> {};

TEST_P(SystolicOptimumIsExact, OnSmallInstances) {
  const auto& [kind, range] = GetParam();
  std::uint64_t valid = 0;
  for (std::uint64_t i = 0; i < kSeeds; ++i) {
    const std::uint64_t seed = 70'000 + 1'000 * static_cast<std::uint64_t>(range) + i;
    const SmallInstance instance =
        small_instance(seed, {.kind = kind, .most_mappings = 5'000, .systolic = true});
    if (!instance.problem.systolic()) continue;
    const CheckReport report = check_instance(instance, kind);
    ASSERT_TRUE(report.failures.empty()) << "seed " << seed << ", " << report.failures;
    valid += report.valid;
  }
  if (!slow_build()) EXPECT_GT(valid, 50U);  // one seed may have nothing that fits
}

INSTANTIATE_TEST_SUITE_P(Shards, SystolicOptimumIsExact,
                         ::testing::Combine(::testing::ValuesIn(kSpaceKinds),
                                            ::testing::Range(1, 4)),
                         [](const auto& shard) {
                           std::string name = to_string(std::get<0>(shard.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(std::get<1>(shard.param));
                         });

}  // namespace
}  // namespace tilewright::testing
