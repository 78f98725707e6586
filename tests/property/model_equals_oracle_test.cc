#include <gtest/gtest.h>

#include "support/compare_with_oracle.h"

namespace tilewright::testing {
namespace {

void expect_agreement(std::uint64_t seed, int cases, const RandomOptions& options) {
  for (int i = 0; i < cases; ++i) {
    TestRng rng(seed + static_cast<std::uint64_t>(i));
    const RandomCase random = random_case(rng, options);
    const auto found = compare_with_oracle(random);
    ASSERT_TRUE(found.empty()) << "case " << i << ": " << describe(random) << "\n  "
                               << found.front();
  }
}

TEST(ModelEqualsOracle, WithPerfectFactors) {
  expect_agreement(1'000'000, 700, {.imperfect = false});
}

TEST(ModelEqualsOracle, WithRemainders) { expect_agreement(2'000'000, 1800, {}); }

TEST(ModelEqualsOracle, WithTimeloopAccounting) {
  expect_agreement(3'000'000, 600, {.accounting = Accounting::Timeloop});
}

}  // namespace
}  // namespace tilewright::testing
