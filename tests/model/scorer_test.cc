#include "model/scorer.h"

#include <gtest/gtest.h>

#include "support/allocations.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"
#include "support/systolic.h"

namespace tilewright::testing {
namespace {

const int kCases = slow_build() ? 100 : 1500;

struct Shard {
  const char* name;
  std::uint64_t seed;
  RandomOptions options;
  bool systolic = false;
};

// The evaluation counts without what only perfect factors allow.
Score score_in_full(const Evaluator& evaluator, const Mapping& mapping) {
  const Score score = evaluator.evaluate(mapping).score;
  if (score.verdict.fits()) return score;
  Score verdict;
  verdict.verdict = score.verdict;
  return verdict;
}

class ScoresOfRandomMappings : public ::testing::TestWithParam<Shard> {};

// Windows, strides, bypass, blocks, ports, fan-outs that share or do not: to the last digit,
// whatever was scored before.
TEST_P(ScoresOfRandomMappings, AreThoseOfTheEvaluation) {
  const Shard& shard = GetParam();
  int fitting = 0;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(shard.seed + static_cast<std::uint64_t>(i));
    RandomCase random = random_case(rng, shard.options);
    if (shard.systolic) random = make_systolic(rng, random).value_or(random);
    const Evaluator evaluator = make_evaluator(random.problem);
    Scorer scorer(evaluator);
    for (int again = 0; again < 4; ++again) {
      const Score score = scorer.score(random.mapping);
      const Score expected = score_in_full(evaluator, random.mapping);
      ASSERT_EQ(score, expected) << "case " << i << ": " << describe(random);
      ASSERT_EQ(evaluator.score(random.mapping), expected) << describe(random);
      fitting += score.verdict.fits() ? 1 : 0;
      random.mapping = random_mapping(rng, random.problem, shard.options.imperfect && again != 1);
    }
  }
  EXPECT_GT(fitting, kCases / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Shards, ScoresOfRandomMappings,
    ::testing::Values(
        Shard{"perfect", 21'000'000, {.imperfect = false, .largest_volume = 50'000}},
        Shard{"remainders", 22'000'000, {.largest_volume = 50'000}},
        Shard{"systolic", 23'000'000, {.imperfect = false}, true},
        Shard{"largest_tables",
              24'000'000,
              {.imperfect = false, .largest_volume = 5'000, .largest_tables = true}},
        Shard{"timeloop",
              25'000'000,
              {.imperfect = false, .accounting = Accounting::Timeloop, .largest_volume = 50'000}}),
    [](const auto& shard) { return std::string(shard.param.name); });

TEST(Scorer, AllocatesNothingOnceItIsMade) {
  TestRng rng(9);
  for (int i = 0; i < 100; ++i) {
    const RandomCase random = random_case(rng, {.imperfect = i % 2 == 0, .halos = 0});
    Scorer scorer(make_evaluator(random.problem));
    const long before = allocation_count();
    const Score score = scorer.score(random.mapping);
    EXPECT_EQ(allocation_count(), before) << describe(random);
    EXPECT_TRUE(score.cycles > 0 || !score.verdict.fits());
  }
}

}  // namespace
}  // namespace tilewright::testing
