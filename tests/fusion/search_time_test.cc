// Plans of least latency and EDP, with ports of the outermost memory that limit them.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "support/slow_build.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {
namespace {

struct TimedCase {
  Cascade cascade;
  Architecture arch;
  FuseOptions options;
};

TimedCase timed_case(std::uint64_t seed, const std::vector<std::int64_t>& sizes) {
  TestRng rng(seed);
  TimedCase made{fusion_cascade(rng, sizes, SeveralReaders::Yes),
                 fusion_arch_with_ports(rng, rng.between(6, 50)),
                 {}};
  // Where something passes by the registers there are flat groups alone.
  for (Level& level : made.arch.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) memory->bypass.clear();
  }
  add_rate(rng, made.cascade);
  made.options.objective =
      rng.pick<Objective>({Objective::Edp, Objective::Latency, Objective::Ed2p});
  return made;
}

TEST(FuseInTime, PlansTakeWhatTheSearchSays) {
  int found = 0, fused = 0, waiting = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(200)); ++seed) {
    const TimedCase one = timed_case(seed, {1, 2, 3, 4, 4, 6});
    const FuseOutcome outcome = fuse(one.cascade, one.arch, one.options);
    if (!outcome.found()) continue;
    ++found;
    const auto evaluation = evaluate_plan(one.cascade, one.arch, outcome.plan);
    ASSERT_TRUE(evaluation.ok()) << "seed " << seed << ": "
                                 << to_string(evaluation.problems.front());
    EXPECT_TRUE(evaluation.value->misfit.empty()) << "seed " << seed;
    EXPECT_NEAR(evaluation.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj)
        << "seed " << seed;
    ASSERT_EQ(evaluation.value->cycles, outcome.cycles) << "seed " << seed;
    EXPECT_LE(outcome.value, outcome.unfused_value) << "seed " << seed;
    fused += outcome.plan.groups.size() < one.cascade.einsums.size() ? 1 : 0;
    for (const LeafReport& leaf : evaluation.value->leaves) {
      waiting += leaf.cycles > leaf.compute_cycles ? 1 : 0;
    }
  }
  EXPECT_GE(found, enough(80));
  EXPECT_GE(fused, enough(40));
  EXPECT_GE(waiting, enough(40));
}

TEST(FuseInTime, GivesTheSameWithoutPruning) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(120)); ++seed) {
    TimedCase one = timed_case(seed + 700, {1, 2, 3, 4});
    const FuseOutcome pruned = fuse(one.cascade, one.arch, one.options);
    if (!pruned.found()) continue;
    ++compared;
    one.options.prunes = false;
    const double all = fuse(one.cascade, one.arch, one.options).value;
    EXPECT_NEAR(all, pruned.value, 1e-12 * all) << "seed " << seed;
  }
  EXPECT_GE(compared, enough(40));
}

TEST(FuseInTime, IsNoWorseThanThePlanOfLeastEnergy) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    TimedCase one = timed_case(seed + 1700, {1, 2, 3, 4, 6});
    const FuseOutcome timed = fuse(one.cascade, one.arch, one.options);
    if (!timed.found()) continue;
    const FuseOutcome frugal = fuse(one.cascade, one.arch);
    const auto evaluation = evaluate_plan(one.cascade, one.arch, frugal.plan);
    const Score score{{}, evaluation.value->energy_pj, evaluation.value->cycles};
    EXPECT_LE(timed.value, value_of(one.options.objective, score) * (1 + 1e-9)) << "seed " << seed;
    EXPECT_LE(frugal.energy_pj, timed.energy_pj * (1 + 1e-9)) << "seed " << seed;
  }
}

TEST(FuseInTime, IsNeverWorseWithMoreRoomOrLongerGroups) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(40)); ++seed) {
    TimedCase one = timed_case(seed + 2700, {1, 2, 3, 4});
    std::optional<double> before;
    for (const std::int64_t words : {8, 12, 20, 40, 80}) {
      std::get<Memory>(one.arch.levels[1]).capacity.amount = words;
      double shorter = 0;
      for (one.options.longest_group = 1; one.options.longest_group <= 3;
           ++one.options.longest_group) {
        const FuseOutcome outcome = fuse(one.cascade, one.arch, one.options);
        if (!outcome.found()) continue;
        if (one.options.longest_group > 1) {
          EXPECT_LE(outcome.value, shorter * (1 + 1e-12)) << "seed " << seed;
        }
        shorter = outcome.value;
      }
      if (shorter == 0) continue;
      EXPECT_LE(shorter, before.value_or(shorter) * (1 + 1e-12)) << "seed " << seed;
      before = shorter;
    }
  }
}

double least_sum(const FusedBruteForce& found, double cycle_pj) {
  double least = std::numeric_limits<double>::infinity();
  for (const FusedTotal& total : found.best) {
    least = std::min(least, total.pj + cycle_pj * static_cast<double>(total.cycles));
  }
  return least;
}

TEST(FuseInTime, FindsTheBestOfAllPlans) {
  int compared = 0, fused = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    const TimedCase one = timed_case(seed + 5000, {1, 2, 2, 3});
    // With more levels there are too many nests to try.
    if (one.arch.levels.size() > 4) continue;
    const FuseOutcome outcome = fuse(one.cascade, one.arch, one.options);
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const FusedBruteForce best = fused_brute_force(one.cascade, one.arch, {400, true});
    if (!best.complete) continue;
    const auto least = least_value(best, one.options.objective);
    ASSERT_EQ(least.has_value(), outcome.found()) << "seed " << seed;
    if (!least) continue;
    ASSERT_NEAR(*least, outcome.value, 1e-9 * *least) << "seed " << seed;
    // What a cycle takes may be given, too.
    FuseOptions priced;
    priced.cycle_pj = TestRng(seed).pick<double>({0.25, 3, 20, 150});
    const FuseOutcome at_price = fuse(one.cascade, one.arch, priced);
    ASSERT_NEAR(least_sum(best, priced.cycle_pj), at_price.value, 1e-9 * at_price.value)
        << "seed " << seed;
    ++compared;
    fused += outcome.plan.groups.size() < one.cascade.einsums.size() ? 1 : 0;
  }
  EXPECT_GE(compared, enough(5));
  EXPECT_GE(fused, enough(2));
}

// Trees know the ports of the outermost memory alone. Where others make the best of them wait, flat
// groups are looked at, too.
TEST(FuseInTime, HeedsBandwidthsOfOtherMemories) {
  int compared = 0, proven = 0, waiting = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(300)); ++seed) {
    TimedCase one = timed_case(seed + 6000, {1, 2, 2, 3});
    if (one.arch.levels.size() > 4) continue;
    auto& buffer = std::get<Memory>(one.arch.levels[1]);
    (seed % 2 == 0 ? buffer.read_bandwidth : buffer.shared_bandwidth) =
        Rational{static_cast<std::int64_t>(seed % 5 + 1), 2};
    const FusedBruteForce best = fused_brute_force(one.cascade, one.arch, {400, true});
    if (!best.complete) continue;
    const FuseOutcome outcome = fuse(one.cascade, one.arch, one.options);
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const auto least = least_value(best, one.options.objective);
    ASSERT_EQ(least.has_value(), outcome.found()) << "seed " << seed;
    if (!least) continue;
    EXPECT_GE(*least, outcome.bound * (1 - 1e-8)) << "seed " << seed;
    EXPECT_LE(*least, outcome.value * (1 + 1e-9)) << "seed " << seed;
    const auto evaluation = evaluate_plan(one.cascade, one.arch, outcome.plan);
    ASSERT_EQ(evaluation.value->cycles, outcome.cycles) << "seed " << seed;
    EXPECT_LE(outcome.value, outcome.unfused_value * (1 + 1e-9)) << "seed " << seed;
    ++compared;
    proven += outcome.proven ? 1 : 0;
    waiting += outcome.searched == FuseOutcome::Searched::Trees ? 0 : 1;
  }
  RecordProperty("compared", compared);
  RecordProperty("proven", proven);
  RecordProperty("waiting", waiting);
  if (slow_build()) return;
  EXPECT_GE(compared, enough(8));
  EXPECT_GE(proven, enough(3));
  EXPECT_GE(waiting, enough(2));
}

}  // namespace
}  // namespace tilewright::testing
