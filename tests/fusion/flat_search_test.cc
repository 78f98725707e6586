// Groups of einsums with windows, and groups that make tiles again.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "support/checkout.h"
#include "support/flat_brute_force.h"
#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {
namespace {

bool has_window(const Cascade& cascade) {
  for (const CascadeEinsum& einsum : cascade.einsums) {
    for (const Tensor& tensor : einsum.workload.tensors) {
      for (const Rank& rank : tensor.ranks) {
        if (rank.size() > 1) return true;
      }
    }
  }
  return false;
}

bool keeps_intermediate(const Cascade& cascade, const Plan& plan) {
  for (const Intermediate& one : intermediates_of(cascade)) {
    const Placement& placement = plan.leaves[at(one.writer)].tensors.back();
    if (placement.kind == Placement::Kind::Kept) return true;
  }
  return false;
}

TEST(FlatGroups, AreTheBestOfAllThatCanBeTried) {
  int compared = 0, fused = 0, kept = 0, again = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(110)); ++seed) {
    TestRng rng(seed);
    const Cascade cascade = flat_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(3, 16));
    FuseOptions options;
    options.recompute = rng.chance(30);
    // With more levels there are too many nests to try; trees may be better than all of them.
    if (arch.levels.size() > 4 || !has_window(cascade)) continue;
    const FuseOutcome outcome = fuse(cascade, arch, options);
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const FlatBruteForce best = flat_brute_force(cascade, arch, {options.recompute, 1'500});
    if (!best.complete) continue;
    ASSERT_EQ(best.pj.has_value(), outcome.found()) << "seed " << seed;
    if (!best.pj) continue;
    EXPECT_EQ(outcome.searched, FuseOutcome::Searched::Flat);
    ++compared;
    if (outcome.proven) {
      EXPECT_NEAR(*best.pj, outcome.energy_pj, 1e-9 * *best.pj) << "seed " << seed;
    }
    EXPECT_GE(*best.pj, outcome.bound_pj * (1 - 1e-9)) << "seed " << seed;
    EXPECT_LE(*best.pj, outcome.energy_pj * (1 + 1e-9)) << "seed " << seed;
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
    kept += keeps_intermediate(cascade, outcome.plan) ? 1 : 0;
    again += outcome.proven ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, enough(5));
  EXPECT_GE(fused, enough(2));
  RecordProperty("kept", kept);
  RecordProperty("unproven", again);
}

TEST(FlatGroups, AreTheBestForObjectivesWithTime) {
  int compared = 0, proven = 0, fused = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(160)); ++seed) {
    TestRng rng(seed);
    const Cascade cascade = flat_cascade(rng);
    Architecture arch = fusion_arch(rng, rng.between(3, 16));
    add_ports(rng, arch);
    FuseOptions options;
    options.recompute = rng.chance(20);
    options.objective = rng.pick<Objective>({Objective::Edp, Objective::Latency, Objective::Ed2p});
    if (arch.levels.size() > 4 || !has_window(cascade)) continue;
    FlatPlans plans{options.recompute, 1500};
    plans.timed = true;
    const FlatBruteForce best = flat_brute_force(cascade, arch, plans);
    if (!best.complete) continue;
    const FuseOutcome outcome = fuse(cascade, arch, options);
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const auto least = least_value(best, options.objective);
    ASSERT_EQ(least.has_value(), outcome.found()) << "seed " << seed;
    if (!least) continue;
    ++compared;
    EXPECT_GE(*least, outcome.bound * (1 - 2e-8)) << "seed " << seed;
    EXPECT_LE(*least, outcome.value * (1 + 1e-9)) << "seed " << seed;
    const auto evaluation = evaluate_plan(cascade, arch, outcome.plan);
    ASSERT_TRUE(evaluation.ok() && evaluation.value->misfit.empty()) << "seed " << seed;
    EXPECT_NEAR(evaluation.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj);
    EXPECT_EQ(evaluation.value->cycles, outcome.cycles);
    proven += outcome.proven ? 1 : 0;
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
    if (HasFailure()) return;
  }
  RecordProperty("compared", compared);
  RecordProperty("proven", proven);
  if (slow_build()) return;
  EXPECT_GE(compared, enough(8));
  EXPECT_GE(proven, enough(5));
  EXPECT_GE(fused, 2);
}

TEST(FlatGroups, AreNeverWorseWithMoreRoomWorkDoneAgainOrLongerGroups) {
  int compared = 0;
  const auto least_of = [](const FuseOutcome& outcome) {
    // What is not proven may be above what was found with less.
    return outcome.proven ? outcome.energy_pj : outcome.bound_pj;
  };
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(50)); ++seed) {
    TestRng rng(seed + 5'200);
    const Cascade cascade = flat_cascade(rng);
    Architecture arch = fusion_arch(rng, rng.between(4, 12));
    if (!has_window(cascade)) continue;
    std::optional<double> smaller;  // of the longest groups with work done again
    for (int step = 0; step < 3; ++step) {
      std::optional<double> before;
      bool proven = false;
      for (const auto& [longest, again] :
           {std::pair(1, false), {2, false}, {3, false}, {3, true}}) {
        FuseOptions options;
        options.longest_group = longest;
        options.recompute = again;
        const FuseOutcome outcome = fuse(cascade, arch, options);
        if (!outcome.found()) continue;
        EXPECT_LE(least_of(outcome), before.value_or(outcome.energy_pj) * (1 + 1e-9))
            << "seed " << seed;
        before = outcome.energy_pj;
        proven = outcome.proven;
        ++compared;
      }
      if (before && smaller && proven) {
        EXPECT_LE(*before, *smaller * (1 + 1e-9)) << "seed " << seed;
      }
      if (before) smaller = before;
      auto& words = std::get<Memory>(arch.levels[1]).capacity.amount;
      words += words / 2 + 1;
    }
  }
  EXPECT_GE(compared, enough(100));
}

// The second einsum reads what the first one wrote outside. In a group with the third one its sums
// stay in the buffer, although nothing is handed on.
TEST(FlatGroups, MayHandOnNothing) {
  TestRng rng(37009111280 + 40'000);
  const Cascade cascade = flat_cascade(rng);
  const Architecture arch = fusion_arch(rng, rng.between(3, 16));
  ASSERT_EQ(intermediates_of(cascade).size(), 1U);
  const FuseOutcome outcome = fuse(cascade, arch, {});
  ASSERT_TRUE(outcome.found());
  EXPECT_TRUE(outcome.proven);
  EXPECT_NEAR(outcome.energy_pj, 2032, 1e-6);
  if (!slow_build()) {
    EXPECT_NEAR(outcome.energy_pj, *flat_brute_force(cascade, arch, {false, 6'000}).pj, 1e-6);
  }
  EXPECT_EQ(outcome.plan.groups.size(), 2U);
}

// The buffer may keep tensors or let them pass by; intermediates of groups are kept.
TEST(FlatGroups, ChooseWhatTheSharedMemoryKeeps) {
  int compared = 0, fused = 0, gains = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(30)); ++seed) {
    TestRng rng(seed + 40'000);
    const Cascade cascade = flat_cascade(rng);
    Architecture arch = fusion_arch(rng, rng.between(2, 16));
    if (arch.levels.size() > 4) continue;
    for (double* price :
         {&std::get<Memory>(arch.levels[0]).read_pj, &std::get<Memory>(arch.levels[0]).update_pj}) {
      *price += 9;  // no less than in the buffer
    }
    std::get<Memory>(arch.levels[1]).accumulates_in_place = false;
    const FuseOutcome kept = fuse(cascade, arch, {});
    std::get<Memory>(arch.levels[1]).free = rng.pick<std::vector<std::string>>(
        {{"input", "weight", "output"}, {"weight"}, {"input", "output"}});
    const FuseOutcome outcome = fuse(cascade, arch, {});
    ASSERT_NE(outcome.status, FuseOutcome::Status::BadInput) << "seed " << seed;
    const FlatBruteForce best = flat_brute_force(cascade, arch, {false, 1'000});
    if (!best.complete) continue;
    ASSERT_EQ(best.pj.has_value(), outcome.found()) << "seed " << seed;
    if (!best.pj) continue;
    ++compared;
    EXPECT_EQ(outcome.searched, FuseOutcome::Searched::Flat);
    EXPECT_TRUE(outcome.proven) << "seed " << seed;
    EXPECT_NEAR(*best.pj, outcome.energy_pj, 1e-9 * *best.pj) << "seed " << seed;
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
    gains += kept.found() && outcome.energy_pj < kept.energy_pj * (1 - 1e-9) ? 1 : 0;
    if (HasFailure()) return;
  }
  if (slow_build()) return;
  EXPECT_GE(compared, 1);
  EXPECT_GE(fused, 1);
  EXPECT_GE(gains, 1);
}

void expect_counted_alike(const Cascade& cascade, const Architecture& arch,
                          const FuseOutcome& outcome) {
  const auto evaluation = evaluate_plan(cascade, arch, outcome.plan);
  ASSERT_TRUE(evaluation.ok());
  EXPECT_TRUE(evaluation.value->misfit.empty());
  EXPECT_NEAR(evaluation.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj);
}

TEST(FlatGroups, CostWhatTheSearchSays) {
  int found = 0, recomputed = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(100)); ++seed) {
    TestRng rng(seed + 700);
    const Cascade cascade = flat_cascade(rng);
    const Architecture arch = fusion_arch(rng, rng.between(6, 60));
    FuseOptions options;
    const FuseOutcome once = fuse(cascade, arch, options);
    options.recompute = true;
    const FuseOutcome outcome = fuse(cascade, arch, options);
    if (!outcome.found()) continue;
    ++found;
    SCOPED_TRACE(seed);
    expect_counted_alike(cascade, arch, outcome);
    EXPECT_LE(outcome.energy_pj, once.energy_pj * (1 + 1e-12)) << "seed " << seed;
    EXPECT_LE(once.energy_pj, once.unfused_pj * (1 + 1e-12)) << "seed " << seed;
    recomputed += outcome.energy_pj < once.energy_pj * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GE(found, enough(50));
  RecordProperty("recomputed", recomputed);
}

// Loops that leave a remainder are looked for from the best plan without them on.
TEST(FlatGroups, GainByLoopsThatLeaveARemainder) {
  int found = 0, gains = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    TestRng rng(seed + 900);
    const Cascade cascade =
        make_cascade({"T[m,n] += A[m,k] * B[k,n]", "O[m,p] += T[m,n] * C[n,p]"},
                     fmt::format(" m={} n={} k=2 p={}", rng.pick<std::int64_t>({5, 7, 11}),
                                 rng.between(2, 7), rng.between(2, 4)));
    const Architecture arch = fusion_arch(rng, rng.between(8, 40));
    FuseOptions options;
    const FuseOutcome equal = fuse(cascade, arch, options);
    options.remainders = true;
    const FuseOutcome outcome = fuse(cascade, arch, options);
    ASSERT_EQ(equal.status, outcome.status) << "seed " << seed;
    if (!outcome.found()) continue;
    ++found;
    EXPECT_TRUE(outcome.remainders);
    SCOPED_TRACE(seed);
    expect_counted_alike(cascade, arch, outcome);
    EXPECT_LE(outcome.energy_pj, equal.energy_pj * (1 + 1e-12)) << "seed " << seed;
    EXPECT_LE(outcome.bound_pj, outcome.energy_pj * (1 + 1e-12)) << "seed " << seed;
    gains += outcome.energy_pj < equal.energy_pj * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GE(found, enough(30));
  if (!slow_build()) EXPECT_GE(gains, 5);
}

}  // namespace
}  // namespace tilewright::testing
