// The best plan against all plans of small cascades.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/fusion_brute_force.h"
#include "support/fusion_case.h"
#include "support/slow_build.h"
#include "tilewright/fusion.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

Architecture small_arch() {
  return *io::read_architecture(R"(architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, read: 100 pJ}
  - {memory: Buffer, capacity: 200 words, read: 2 pJ}
  - {compute: MAC}
)",
                                "small.yaml")
              .value;
}

// What the plan was said to cost is what it costs, and it fits.
TEST(Fuse, PlansCostWhatTheSearchSays) {
  int fused = 0, count = 0;
  for_each_fused({.cases = 300, .first_seed = 1}, [&](const FusedCase& found) {
    ++count;
    const FuseOutcome& outcome = found.outcome;
    const auto evaluation = evaluate_plan(found.cascade, found.arch, outcome.plan);
    ASSERT_TRUE(evaluation.ok()) << found.name << ": " << to_string(evaluation.problems.front());
    EXPECT_TRUE(evaluation.value->misfit.empty())
        << found.name << ": " << evaluation.value->misfit.front();
    EXPECT_NEAR(evaluation.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj)
        << found.name;
    EXPECT_LE(outcome.energy_pj, outcome.unfused_pj * (1 + 1e-12));
    fused += found.is_fused() ? 1 : 0;
  });
  EXPECT_GE(count, enough(150));
  EXPECT_GE(fused, enough(50));
}

TEST(Fuse, GivesTheSameWithoutPruningAndNoMoreInLongerGroups) {
  int compared = 0;
  for_each_fused({.cases = 200, .first_seed = 901}, [&](const FusedCase& found) {
    ++compared;
    FuseOptions options;
    options.prunes = false;
    EXPECT_EQ(fuse(found.cascade, found.arch, options).energy_pj, found.outcome.energy_pj)
        << found.name;
    double shorter = found.outcome.unfused_pj;
    for (options.longest_group = 1; options.longest_group <= 3; ++options.longest_group) {
      const double pj = fuse(found.cascade, found.arch, options).energy_pj;
      EXPECT_LE(pj, shorter) << found.name;
      shorter = pj;
    }
  });
  EXPECT_GE(compared, enough(100));
}

TEST(Fuse, IsNeverWorseWithMoreRoomOrWorkThatMayBeDoneAgain) {
  int compared = 0, gained = 0;
  for_each_fused({.cases = 30, .first_seed = 3'701, .most_words = 16}, [&](const FusedCase& found) {
    FuseOptions options;
    options.recompute = true;
    double before = found.outcome.energy_pj;
    EXPECT_LE(fuse(found.cascade, found.arch, options).energy_pj, before * (1 + 1e-12))
        << found.name;
    Architecture arch = found.arch;
    std::int64_t& words = std::get<Memory>(arch.levels[1]).capacity.amount;
    for (int step = 0; step < 4; ++step) {
      words += words / 2 + 1;
      const double pj = fuse(found.cascade, arch, {}).energy_pj;
      EXPECT_LE(pj, before * (1 + 1e-12)) << found.name;
      ++compared;
      gained += pj < before * (1 - 1e-9) ? 1 : 0;
      before = pj;
    }
  });
  EXPECT_GE(compared, enough(30));
  EXPECT_GE(gained, enough(10));
}

// Uneven nests are searched beside the even ones.
TEST(Fuse, UnevenNestsAreNoWorseThanTheBestEvenOnesWithoutFusion) {
  int gained = 0;
  for_each_fused({.cases = 60, .first_seed = 2901, .most_words = 40}, [&](const FusedCase& found) {
    const UnevenTotal uneven = unfused_and_uneven(found.cascade, found.arch);
    const double even_pj = found.outcome.unfused_pj;
    ASSERT_TRUE(uneven.pj.has_value()) << found.name;
    EXPECT_TRUE(uneven.proven) << found.name;
    EXPECT_LE(*uneven.pj, even_pj * (1 + 1e-9)) << found.name;
    gained += *uneven.pj < even_pj * (1 - 1e-9) ? 1 : 0;
  });
  EXPECT_GE(gained, enough(5));
}

// A (of Zero, for Three) and B (of Two, for Five) change their form and cannot stay; T can, between
// One and Four, which has the writer of one of them and the reader of the other inside.
TEST(Fuse, KeepsWhatIsHandedOnPastTensorsThatChangeTheirForm) {
  const auto cascade = io::read_cascade(R"(cascade: crossed
sizes: {m: 4, n: 4, k: 4}
einsums:
  - Zero: A[m,n] += X0[m,k] * W0[k,n]
  - One: T[m,n] += X1[m,k] * W1[k,n]
  - Two: B[m,n] += X2[m,k] * W2[k,n]
  - Three: C[m,n] += A[k,m] * W3[k,n]
  - Four: D[m,k] += T[m,n] * W4[n,k]
  - Five: E[m,n] += B[k,m] * W5[k,n]
)",
                                        "crossed.yaml");
  ASSERT_TRUE(cascade.ok()) << to_string(cascade.problems.front());
  const Architecture arch = small_arch();
  const FuseOutcome outcome = fuse(*cascade.value, arch);
  ASSERT_TRUE(outcome.found());
  EXPECT_EQ(outcome.plan.groups.size(), 3U);
  // T is neither written to DRAM nor read from there, 32 words.
  EXPECT_NEAR(outcome.energy_pj, outcome.unfused_pj - 32 * (100 + 1), 40);
}

// Groups of two: T stays for Two and is written out for Three.
TEST(Fuse, HandsOnWhatLaterGroupsReadToo) {
  const auto cascade = io::read_cascade(R"(cascade: skipping
sizes: {m: 8, n: 4, k: 4}
einsums:
  - One: T[m,n] += X[m,k] * W1[k,n]
  - Two: U[m,k] += T[m,n] * W2[n,k]
  - Three: B[n] += T[m,n] * W3[m]
)",
                                        "skipping.yaml");
  ASSERT_TRUE(cascade.ok()) << to_string(cascade.problems.front());
  const Architecture arch = small_arch();
  FuseOptions options;
  options.longest_group = 2;
  const FuseOutcome outcome = fuse(*cascade.value, arch, options);
  ASSERT_TRUE(outcome.found());
  EXPECT_TRUE(outcome.proven);
  const auto counted = evaluate_plan(*cascade.value, arch, outcome.plan);
  ASSERT_TRUE(counted.ok()) << to_string(counted.problems.front());
  EXPECT_NEAR(counted.value->energy_pj, outcome.energy_pj, 1e-9 * outcome.energy_pj);
  EXPECT_EQ(outcome.plan.groups.front().children.size(), 2U);
  EXPECT_EQ(counted.value->leaves[0].memories[0].total.back(), (Traffic{0, 0, 8 * 4}));
  const TensorId read = *cascade.value->workload(1).find_tensor("T");
  EXPECT_EQ(counted.value->leaves[1].memories[0].total[at(read)], Traffic{});
}

TEST(Fuse, FindsTheBestOfAllPlans) {
  int compared = 0, fused = 0;
  std::uint64_t plans = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(60)); ++seed) {
    TestRng rng(seed + 5000);
    const Cascade cascade = fusion_cascade(rng, {1, 2, 2, 3}, SeveralReaders::Yes);
    const Architecture arch = fusion_arch(rng, rng.between(6, 40));
    // With more levels there are too many nests to try.
    if (arch.levels.size() > 4) continue;
    const FuseOutcome outcome = fuse(cascade, arch);
    if (outcome.status == FuseOutcome::Status::BadInput) continue;
    const FusedBruteForce best = fused_brute_force(cascade, arch, {600});
    if (!best.complete) continue;
    const auto least = least_value(best, Objective::Energy);
    ASSERT_EQ(least.has_value(), outcome.found()) << "seed " << seed;
    if (!least) continue;
    ASSERT_NEAR(*least, outcome.energy_pj, 1e-9 * *least) << "seed " << seed;
    ++compared;
    plans += best.plans;
    fused += outcome.plan.groups.size() < cascade.einsums.size() ? 1 : 0;
  }
  EXPECT_GE(compared, enough(5));
  EXPECT_GE(fused, enough(2));
  RecordProperty("plans", std::to_string(plans));
}

}  // namespace
}  // namespace tilewright::testing
