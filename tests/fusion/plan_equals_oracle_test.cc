#include <gtest/gtest.h>

#include "support/random_plan.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

// Drawn plans; two of three are none and are drawn again.
class PlanEqualsOracle : public ::testing::TestWithParam<int> {};

// Holds so many drawn plans against the oracle, and shows each to `note`. Gives how many of them
// have the oracle's live words.
template <typename Note>
int compare_drawn(int cases, std::uint64_t seed, bool several_memories, Note note) {
  int same = 0;
  for (int tried = 0; tried < cases; ++seed) {
    TestRng rng(seed);
    const std::optional<PlanCase> random = random_plan(rng, several_memories);
    if (!random) continue;
    ++tried;
    bool same_live = false;
    const std::vector<std::string> found = compare_with_oracle(*random, same_live);
    if (!found.empty()) {
      ADD_FAILURE() << "seed " << seed << ": " << describe(*random) << "\n  " << found.front();
      return same;
    }
    same += same_live ? 1 : 0;
    note(*random);
  }
  return same;
}

TEST_P(PlanEqualsOracle, OnRandomPlans) {
  const int tried = affordable(250);
  int fused = 0, padded = 0, online = 0, leaving = 0, remainders = 0;
  const int same =
      compare_drawn(tried, 1 + 1'000'000 * static_cast<std::uint64_t>(GetParam()), false,
                    [&](const PlanCase& plan) {
                      online += rescales(plan) ? 1 : 0;
                      padded += has_padding(plan.cascade) ? 1 : 0;
                      leaving += has_departure(plan) ? 1 : 0;
                      remainders += has_remainder(plan) ? 1 : 0;
                      fused += plan.plan.groups.size() < plan.cascade.einsums.size() ? 1 : 0;
                    });
  // Room is reserved for whole loops, and rarely needed for less.
  EXPECT_GT(same, tried * (slow_build() ? 6 : 8) / 10);
  EXPECT_GT(fused, tried / 3);
  if (slow_build()) return;  // too few to have some of each
  EXPECT_GT(online, tried / 40);
  EXPECT_GT(padded, tried / 40);
  EXPECT_GT(leaving, tried / 20);
  EXPECT_GT(remainders, tried / 20);
}

TEST_P(PlanEqualsOracle, OnRandomPlansWithSeveralSharedMemories) {
  const int tried = affordable(160);
  int several = 0, own = 0;
  const int same =
      compare_drawn(tried, 500'001 + 1'000'000 * static_cast<std::uint64_t>(GetParam()), true,
                    [&](const PlanCase& plan) {
                      several += has_several_homes(plan) ? 1 : 0;
                      for (const PlanNode& group : plan.plan.groups)
                        own += group.shared.empty() ? 0 : 1;
                    });
  EXPECT_GT(same, tried * (slow_build() ? 6 : 8) / 10);
  EXPECT_GT(several, tried / 3);
  EXPECT_GT(own, tried / 10);
}

INSTANTIATE_TEST_SUITE_P(Shards, PlanEqualsOracle, ::testing::Range(1, 7));

}  // namespace
}  // namespace tilewright::testing
