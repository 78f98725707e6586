// Optimal mappings against every mapping of small map-spaces. Thousands more:
// `./run-tests --long`.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/check_optimum.h"
#include "support/problems.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const std::uint64_t kSeeds = slow_build() ? 2 : 30;

class OptimumIsExact : public ::testing::TestWithParam<std::tuple<SpaceKind, int>> {};

TEST_P(OptimumIsExact, OnSmallInstances) {
  const auto& [kind, range] = GetParam();
  for (std::uint64_t i = 0; i < kSeeds; ++i) {
    const std::uint64_t seed = 1'000 * static_cast<std::uint64_t>(range) + i;
    const CheckReport report = check_seed(seed, {.kind = kind, .most_mappings = 5'000});
    ASSERT_TRUE(report.failures.empty()) << report.failures;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, OptimumIsExact,
                         ::testing::Combine(::testing::ValuesIn(kSpaceKinds),
                                            ::testing::Range(1, 6)),
                         [](const auto& shard) {
                           std::string name = to_string(std::get<0>(shard.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + "_" + std::to_string(std::get<1>(shard.param));
                         });

// Most subproblems are closed there before they are opened.
TEST(OptimalMapper, IsExactWhereTheInnermostMemoryHasNoLoops) {
  std::uint64_t valid = 0;
  for (std::uint64_t seed = 1; seed <= 4 * kSeeds; ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    SmallInstance instance = small_instance(44'000 + seed, {.kind = kind, .most_mappings = 5'000});
    Architecture arch = instance.problem.arch();
    for (auto level = arch.levels.rbegin(); level != arch.levels.rend(); ++level) {
      auto* memory = std::get_if<Memory>(&*level);
      if (memory == nullptr) continue;
      memory->dims.emplace();
      break;
    }
    instance.problem = make_problem(instance.problem.workload(), std::move(arch));
    const CheckReport report = check_instance(instance, kind);
    ASSERT_TRUE(report.failures.empty()) << report.failures;
    valid += report.valid;
  }
  EXPECT_GT(valid, 100U);
}

}  // namespace
}  // namespace tilewright::testing
