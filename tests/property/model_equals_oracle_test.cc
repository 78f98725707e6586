#include <gtest/gtest.h>

#include "support/compare_with_oracle.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/systolic.h"
#include "support/widths.h"

namespace tilewright::testing {
namespace {

const int kCases = affordable(250);

struct Shard {
  const char* name;
  std::uint64_t seed;
  RandomOptions options;
};

class ModelEqualsOracle : public ::testing::TestWithParam<Shard> {};

TEST_P(ModelEqualsOracle, OnRandomProblems) {
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(GetParam().seed + static_cast<std::uint64_t>(i));
    const RandomCase random = random_case(rng, GetParam().options);
    const auto found = compare_with_oracle(random);
    ASSERT_TRUE(found.empty()) << "case " << i << ": " << describe(random) << "\n  "
                               << found.front();
  }
}

// Systolic arrays take cycles at each change of the tile that stands still in them.
TEST_P(ModelEqualsOracle, OnSystolicArrays) {
  std::int64_t changes = 0;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(GetParam().seed + 50'000 + static_cast<std::uint64_t>(i));
    const std::optional<RandomCase> random =
        make_systolic(rng, random_case(rng, GetParam().options));
    if (!random) continue;
    const auto found = compare_counts_with_oracle(*random);
    ASSERT_TRUE(found.empty()) << "case " << i << ": " << describe(*random) << "\n  "
                               << found.front();
    changes += make_evaluator(random->problem).evaluate(random->mapping).stationary_changes;
  }
  if (!slow_build()) EXPECT_GT(changes, kCases);
}

// Each tensor at its own price.
TEST(ModelEqualsOracleWithWidths, OnRandomProblems) {
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(5'000'000 + static_cast<std::uint64_t>(i));
    const RandomCase drawn = random_case(rng, {});
    const RandomCase random{with_widths(drawn.problem, rng), drawn.mapping};
    const auto found = compare_counts_with_oracle(random);
    ASSERT_TRUE(found.empty()) << "case " << i << ": " << describe(random) << "\n  "
                               << found.front();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shards, ModelEqualsOracle,
    ::testing::Values(Shard{"perfect_1", 1'000'000, {.imperfect = false}},
                      Shard{"perfect_2", 1'100'000, {.imperfect = false}},
                      Shard{"remainders_1", 2'000'000, {}}, Shard{"remainders_2", 2'100'000, {}},
                      Shard{"remainders_3", 2'200'000, {}}, Shard{"remainders_4", 2'300'000, {}},
                      Shard{"perfect_halos", 2'400'000, {.imperfect = false, .halos = 100}},
                      Shard{"halos_1", 2'500'000, {.halos = 100}},
                      Shard{"halos_2", 2'600'000, {.halos = 100}},
                      Shard{"largest_tables", 4'000'000, {.largest_tables = true}},
                      Shard{"timeloop_1", 3'000'000, {.accounting = Accounting::Timeloop}},
                      Shard{"timeloop_2", 3'100'000, {.accounting = Accounting::Timeloop}}),
    [](const auto& shard) { return std::string(shard.param.name); });

}  // namespace
}  // namespace tilewright::testing
