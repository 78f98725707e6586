// The best plan against all plans of small cascades.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "support/slow_build.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {
namespace {

// What the plan was said to cost is what it costs, and it fits.
TEST(Fuse, PlansCostWhatTheSearchSays) {
  int fused = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(300)); ++seed) {
    TestRng rng(seed);
    const Cascade cascade = fusion_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(6, 60));
    const FuseOutcome outcome = fuse(cascade, arch);
    if (!outcome.found()) continue;
    ++found;
    const auto evaluation = evaluate_plan(cascade, arch, outcome.plan);
    ASSERT_TRUE(evaluation.ok()) << "seed " << seed << ": "
                                 << to_string(evaluation.problems.front());
    EXPECT_TRUE(evaluation.value->misfit.empty())
        << "seed " << seed << ": " << evaluation.value->misfit.front();
    EXPECT_NEAR(evaluation.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj)
        << "seed " << seed;
    EXPECT_LE(outcome.energy_pj, outcome.unfused_pj * (1 + 1e-12));
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(found, affordable(150));
  EXPECT_GE(fused, affordable(50));
}

TEST(Fuse, GivesTheSameWithoutPruningAndNoMoreInLongerGroups) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(200)); ++seed) {
    TestRng rng(seed + 900);
    const Cascade cascade = fusion_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(6, 60));
    FuseOptions options;
    const FuseOutcome pruned = fuse(cascade, arch, options);
    if (!pruned.found()) continue;
    ++compared;
    options.prunes = false;
    EXPECT_EQ(fuse(cascade, arch, options).energy_pj, pruned.energy_pj) << "seed " << seed;
    double shorter = pruned.unfused_pj;
    for (options.longest_group = 1; options.longest_group <= 3; ++options.longest_group) {
      const double pj = fuse(cascade, arch, options).energy_pj;
      EXPECT_LE(pj, shorter) << "seed " << seed;
      shorter = pj;
    }
  }
  EXPECT_GE(compared, affordable(100));
}

// Uneven nests are searched beside the even ones.
TEST(Fuse, UnevenNestsAreNoWorseThanTheBestEvenOnesWithoutFusion) {
  int gained = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    TestRng rng(seed + 2900);
    const Cascade cascade = fusion_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(6, 40));
    const FuseOutcome outcome = fuse(cascade, arch);
    if (!outcome.found()) continue;
    const UnevenTotal uneven = unfused_and_uneven(cascade, arch);
    ASSERT_TRUE(uneven.pj.has_value()) << "seed " << seed;
    EXPECT_TRUE(uneven.proven) << "seed " << seed;
    EXPECT_LE(*uneven.pj, outcome.unfused_pj * (1 + 1e-9)) << "seed " << seed;
    gained += *uneven.pj < outcome.unfused_pj * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GE(gained, affordable(5));
}

TEST(Fuse, FindsTheBestOfAllPlans) {
  int compared = 0, fused = 0;
  std::uint64_t plans = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    TestRng rng(seed + 5000);
    const Cascade cascade = fusion_cascade(rng, {1, 2, 2, 3});
    const Architecture arch = fusion_arch(rng, rng.between(6, 40));
    // With more levels there are too many nests to try.
    if (arch.levels.size() > 4) continue;
    const FuseOutcome outcome = fuse(cascade, arch);
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const FusedBruteForce best = fused_brute_force(cascade, arch, 600);
    if (!best.complete) continue;
    const auto least = least_value(best, Objective::Energy);
    ASSERT_EQ(least.has_value(), outcome.found()) << "seed " << seed;
    if (!least) continue;
    ASSERT_NEAR(*least, outcome.energy_pj, 1e-9 * *least) << "seed " << seed;
    ++compared;
    plans += best.plans;
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
  }
  EXPECT_GE(compared, affordable(5));
  EXPECT_GE(fused, affordable(2));
  RecordProperty("plans", std::to_string(plans));
}

}  // namespace
}  // namespace tilewright::testing
