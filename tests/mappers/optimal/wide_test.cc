// The solver where counts need more than 64 bits.
#include <gtest/gtest.h>

#include "model/scorer.h"
#include "support/asked.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

// The answer does not depend on the width in which mappings are counted.
TEST(OptimumInWideCounts, IsThatInNarrowOnes) {
  const int cases = affordable(60);
  for (int i = 0; i < cases; ++i) {
    TestRng rng(41'000'000 + static_cast<std::uint64_t>(i));
    const RandomCase random = random_case(rng, {.imperfect = false, .largest_volume = 2'000});
    const Evaluator narrow = make_evaluator(random.problem);
    const Checked<Restrictions> rules = Restrictions::create(random.problem);
    ASSERT_TRUE(rules.ok());
    for (const Objective objective : {Objective::Energy, Objective::Edp, Objective::Latency}) {
      Asked asked;
      asked.objective = objective;
      const OptimalResult a = find_optimum(narrow, SpaceKind::Perfect, *rules.value, asked);
      const OptimalResult b =
          find_optimum(in_wide_counts(narrow), SpaceKind::Perfect, *rules.value, asked);
      EXPECT_EQ(a.status, b.status) << describe(random);
      EXPECT_EQ(a.score, b.score) << describe(random);
      EXPECT_EQ(a.best, b.best) << describe(random);
    }
  }
}

Architecture small_array() {
  Memory far = make_memory("far");
  far.read_pj = far.write_pj = far.update_pj = 100;
  far.read_bandwidth = Rational{2, 1};
  return make_arch({far, make_fanout("array", 4, 4), make_memory("near", 64)});
}

OptimalResult best_gemm(int bits, SpaceKind kind, Objective objective) {
  const std::int64_t side = std::int64_t{1} << bits;
  const Problem problem = make_problem(make_gemm("gemm", side, side, side), small_array());
  Asked asked;
  asked.objective = objective;
  return find_optimum(make_evaluator(problem), kind, *Restrictions::create(problem).value, asked);
}

// Large products are all alike: eight times the work takes eight times the energy and the cycles.
TEST(OptimumInWideCounts, GrowsWithTheWork) {
  for (const Objective objective : {Objective::Energy, Objective::Edp, Objective::Latency}) {
    OptimalResult before = best_gemm(14, SpaceKind::Perfect, objective);  // in 64 bits
    for (const int bits : {22, 30, 33}) {
      const OptimalResult now = best_gemm(bits, SpaceKind::Perfect, objective);
      EXPECT_EQ(now.status, OptimalResult::Status::Proven);
      const double work = std::ldexp(1, 3 * (bits - 14));
      EXPECT_NEAR(now.score.energy_pj / before.score.energy_pj / work, 1, 0.01) << bits;
      EXPECT_NEAR(
          static_cast<double>(now.score.cycles) / static_cast<double>(before.score.cycles) / work,
          1, 0.01)
          << bits;
    }
  }
}

// Energies of a mapping with 2^99 multiply-accumulates have no room for twelve decimals.
TEST(OptimumInWideCounts, SaysWhereEnergiesWereRounded) {
  Architecture arch = small_array();
  std::get<Compute>(arch.levels.back()).mac_pj = 0.123456789012;
  const std::int64_t side = std::int64_t{1} << 33U;
  const Problem problem = make_problem(make_gemm("gemm", side, side, side), arch);
  const OptimalResult best = find_optimum(make_evaluator(problem), SpaceKind::Perfect,
                                          *Restrictions::create(problem).value, Asked{});
  EXPECT_EQ(best.stop, OptimalResult::Stop::Inexact);
  EXPECT_TRUE(best.best.has_value());
  EXPECT_LT(best.gap, 1e-3);
}

}  // namespace
}  // namespace tilewright::testing
