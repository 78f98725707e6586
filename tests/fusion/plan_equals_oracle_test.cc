#include <gtest/gtest.h>

#include "support/random_plan.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

// Drawn plans; two of three are none and are drawn again.
class PlanEqualsOracle : public ::testing::TestWithParam<int> {};

TEST_P(PlanEqualsOracle, OnRandomPlans) {
  const int cases = affordable(400);
  int tried = 0, same = 0, fused = 0, padded = 0, online = 0, leaving = 0, remainders = 0;
  for (std::uint64_t seed = 1; tried < cases; ++seed) {
    TestRng rng(seed + 1'000'000 * static_cast<std::uint64_t>(GetParam()));
    const std::optional<PlanCase> random = random_plan(rng);
    if (!random) continue;
    ++tried;
    bool same_live = false;
    const std::vector<std::string> found = compare_with_oracle(*random, same_live);
    ASSERT_TRUE(found.empty()) << "seed " << seed << ": " << describe(*random) << "\n  "
                               << found.front();
    same += same_live ? 1 : 0;
    online += rescales(*random) ? 1 : 0;
    padded += has_padding(random->cascade) ? 1 : 0;
    leaving += has_departure(*random) ? 1 : 0;
    remainders += has_remainder(*random) ? 1 : 0;
    fused += random->plan.groups.size() < random->cascade.einsums.size() ? 1 : 0;
  }
  // Room is reserved for whole loops, and rarely needed for less.
  EXPECT_GT(same, tried * 8 / 10);
  EXPECT_GT(fused, tried / 3);
  if (slow_build()) return;  // too few to have some of each
  EXPECT_GT(online, tried / 40);
  EXPECT_GT(padded, tried / 20);
  EXPECT_GT(leaving, tried / 20);
  EXPECT_GT(remainders, tried / 20);
}

TEST_P(PlanEqualsOracle, OnRandomPlansWithSeveralSharedMemories) {
  const int cases = affordable(250);
  int tried = 0, same = 0, several = 0, own = 0;
  for (std::uint64_t seed = 1; tried < cases; ++seed) {
    TestRng rng(seed + 1'000'000 * static_cast<std::uint64_t>(GetParam()) + 500'000);
    const std::optional<PlanCase> random = random_plan(rng, /*several_memories=*/true);
    if (!random) continue;
    ++tried;
    bool same_live = false;
    const std::vector<std::string> found = compare_with_oracle(*random, same_live);
    ASSERT_TRUE(found.empty()) << "seed " << seed << ": " << describe(*random) << "\n  "
                               << found.front();
    same += same_live ? 1 : 0;
    several += has_several_homes(*random) ? 1 : 0;
    for (const PlanNode& group : random->plan.groups) own += group.shared.empty() ? 0 : 1;
  }
  EXPECT_GT(same, tried * 8 / 10);
  EXPECT_GT(several, tried / 3);
  EXPECT_GT(own, tried / 10);
}

INSTANTIATE_TEST_SUITE_P(Shards, PlanEqualsOracle, ::testing::Range(1, 7));

}  // namespace
}  // namespace tilewright::testing
