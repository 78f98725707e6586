// Optimal mappings on fan-outs that share halos against every mapping of small map-spaces; each
// answer's certificate is made and checked as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/check_optimum.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const auto kSeeds = static_cast<std::uint64_t>(affordable(40));

bool has_windows(const Problem& problem) {
  const auto& tensors = problem.workload().tensors;
  return std::any_of(tensors.begin(), tensors.end() - 1, [](const Tensor& tensor) {
    return std::any_of(tensor.ranks.begin(), tensor.ranks.end(),
                       [](const Rank& rank) { return rank.size() > 1; });
  });
}

class HaloOptimumIsExact : public ::testing::TestWithParam<SpaceKind> {};

TEST_P(HaloOptimumIsExact, OnSmallInstances) {
  std::uint64_t valid = 0;
  for (std::uint64_t seed = 90'000; seed < 90'000 + kSeeds; ++seed) {
    const SmallInstance instance =
        small_instance(seed, {.kind = GetParam(), .most_mappings = 5'000, .halos = 100});
    if (!shares_halos(instance.problem.arch()) || !has_windows(instance.problem)) continue;
    const CheckReport report = check_instance(instance, GetParam());
    ASSERT_TRUE(report.failures.empty()) << "seed " << seed << ", " << report.failures;
    valid += report.valid;
  }
  if (!slow_build()) EXPECT_GT(valid, 50U);  // two seeds may have nothing that fits
}

INSTANTIATE_TEST_SUITE_P(Spaces, HaloOptimumIsExact, ::testing::ValuesIn(kSpaceKinds),
                         [](const auto& shard) {
                           std::string name = to_string(shard.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tilewright::testing
