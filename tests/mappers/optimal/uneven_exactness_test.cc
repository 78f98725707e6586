// The best of all mappings, even and uneven, against every mapping of small problems.
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "support/asked.h"
#include "support/brute_force.h"
#include "support/check_uneven.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/widths.h"

namespace tilewright::testing {
namespace {

const auto kUnevenSeeds = static_cast<std::uint64_t>(slow_build() ? 1 : affordable(8));

class UnevenOptimumIsExact : public ::testing::TestWithParam<std::tuple<SpaceKind, int>> {};

TEST_P(UnevenOptimumIsExact, OnSmallInstances) {
  const auto [kind, shard] = GetParam();
  const std::uint64_t seeds = kind == SpaceKind::Perfect ? kUnevenSeeds : (kUnevenSeeds + 1) / 2;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    const std::uint64_t seed = 1'000 * static_cast<std::uint64_t>(shard) + i;
    const UnevenReport report = check_uneven_seed(seed, kind, 40'000);
    ASSERT_TRUE(report.failures.empty()) << report.failures;
  }
}

// A product in so little room that an uneven mapping is the best one of many.
SmallInstance tight_product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t words) {
  Memory outer = make_memory("Outer"), inner = make_memory("Inner", words);
  outer.read_pj = outer.write_pj = outer.update_pj = 100;
  inner.read_pj = inner.write_pj = inner.update_pj = 1;
  return {make_problem(make_gemm("gemm", m, n, k), make_arch({outer, inner})), {}};
}

TEST(UnevenOptimum, IsExactWhereItIsBetterThanTheEvenOne) {
  int instances = 0, tried = 0, gains = 0, unproven = 0;
  for (std::int64_t words = 4; words <= (slow_build() ? 4 : 8); ++words) {
    for (const auto [m, n, k] : {std::array<std::int64_t, 3>{3, 2, 2}, {4, 2, 2}, {3, 5, 2}}) {
      const UnevenReport report =
          check_uneven(tight_product(m, n, k, words), SpaceKind::Perfect, 200'000);
      EXPECT_EQ(report.failures, "");
      ++instances;
      tried += report.tried ? 1 : 0;
      gains += report.gains;
      unproven += report.unproven;
    }
  }
  EXPECT_EQ(tried, instances);
  EXPECT_GE(gains, instances / 3);
  EXPECT_EQ(unproven, 0);
}

// Limits and orders hold at each storage point; with remainders bounds need not divide.
TEST(UnevenOptimum, IsExactUnderRulesOnLoopsAndWithRemainders) {
  using Relation = FactorRule::Relation;
  const std::vector<Constraint> rules = {{"Inner", {}, FactorRule{"M", Relation::AtMost, 2}, {}},
                                         {"Inner", {}, FactorRule{"N", Relation::AtMost, 2}, {}},
                                         {"Inner", {}, FactorRule{"M", Relation::Equal, 2}, {}},
                                         {"Inner", {}, OrderRule{{"K"}, {}}, {}},
                                         {"Inner", {}, OrderRule{{}, {"M", "K"}}, {}}};
  int tried = 0, gains = 0;
  for (std::int64_t words = 4; words <= (slow_build() ? 4 : 6); ++words) {
    for (std::size_t r = 0; r <= rules.size(); ++r) {
      SmallInstance instance = tight_product(4, 3, 2, words);
      if (r < rules.size()) instance.constraints = {rules[r]};
      for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyT}) {
        const UnevenReport report = check_uneven(instance, kind, 30'000);
        ASSERT_EQ(report.failures, "");
        tried += report.tried ? 1 : 0;
        gains += report.gains;
      }
    }
  }
  EXPECT_GT(tried, 5);
  EXPECT_GT(gains, 0);
}

TEST(UnevenOptimum, IsExactWhereWidthsSetThePrices) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= (kUnevenSeeds + 1) / 2; ++seed) {
    const std::int64_t words = 4 + static_cast<std::int64_t>(seed % 4);
    SmallInstance instance = tight_product(3, 2 + static_cast<std::int64_t>(seed % 3), 2, words);
    TestRng rng(seed);
    instance.problem = with_widths(instance.problem, rng);
    const UnevenReport report = check_uneven(instance, SpaceKind::Perfect, 200'000);
    EXPECT_EQ(report.failures, "");
    tried += report.tried ? 1 : 0;
  }
  EXPECT_GT(tried, 0);
}

// Windows that meet in a fan-out cost more than their paths say, and the search may give up.
TEST(UnevenOptimum, SaysWhyASubproblemStaysOpen) {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed < 400 && stopped == 0; ++seed) {
    const SmallInstance instance = small_instance(
        seed, {.kind = SpaceKind::Perfect, .most_mappings = 4'096, .systolic = false});
    Asked asked;
    asked.uneven = true;
    asked.objective = Objective::Energy;
    asked.granularity.most_steps = 0;
    const OptimalResult answer = find_optimum(make_evaluator(instance.problem), SpaceKind::Perfect,
                                              restrictions_of(instance), asked);
    if (!answer.best || answer.status == Proof::Status::Proven) continue;
    ++stopped;
    EXPECT_EQ(to_string(answer.stop), "parts of the space were left open that take too many steps");
    EXPECT_LE(answer.bound, value_of(Objective::Energy, answer.score));
    EXPECT_GT(answer.bound, 0);
  }
  EXPECT_EQ(stopped, 1);
}

INSTANTIATE_TEST_SUITE_P(Shards, UnevenOptimumIsExact,
                         ::testing::Combine(::testing::ValuesIn(kSpaceKinds),
                                            ::testing::Range(50, 55)));

}  // namespace
}  // namespace tilewright::testing
