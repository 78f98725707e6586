// Nests for plans that have none.
#include <gtest/gtest.h>

#include "support/fusion_case.h"
#include "support/random_plan.h"
#include "support/slow_build.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {
namespace {

Plan without_nests(Plan plan) {
  for (PlanLeaf& leaf : plan.leaves) leaf.nests.clear();
  return plan;
}

// The best plan has the best nests for its tree: without them it costs the same.
TEST(PlanNests, OfTheBestTreeCostWhatTheSearchFound) {
  int fused = 0;
  for_each_fused({.cases = 150, .first_seed = 301}, [&](const FusedCase& found) {
    if (!found.outcome.proven) return;
    const PlanNests nests =
        find_nests(found.cascade, found.arch, without_nests(found.outcome.plan));
    ASSERT_TRUE(nests.problems.empty()) << found.name << to_string(nests.problems.front());
    ASSERT_TRUE(nests.misfit.empty()) << found.name << nests.misfit.front();
    const auto evaluation = evaluate_plan(found.cascade, found.arch, nests.plan);
    ASSERT_TRUE(evaluation.ok()) << found.name;
    EXPECT_TRUE(evaluation.value->misfit.empty()) << found.name;
    EXPECT_NEAR(evaluation.value->energy_pj, found.outcome.energy_pj,
                1e-9 * found.outcome.energy_pj)
        << found.name;
    fused += found.is_fused() ? 1 : 0;
  });
  EXPECT_GE(fused, enough(25));
}

// Of any plan, recomputation included: no nests that fit cost less than those that are found.
TEST(PlanNests, CostNoMoreThanAnyOthers) {
  int compared = 0, better = 0, several = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(600)); ++seed) {
    TestRng rng(seed + 70'000);
    const auto random = random_plan(rng, /*several_memories=*/seed % 3 == 0);
    if (!random) continue;
    const PlanNests found = find_nests(random->cascade, random->arch, without_nests(random->plan));
    const auto given = evaluate_plan(random->cascade, random->arch, random->plan);
    if (!found.problems.empty() || !given.ok() || !given.value->misfit.empty()) continue;
    ASSERT_TRUE(found.misfit.empty()) << describe(*random) << found.misfit.front();
    const auto evaluation = evaluate_plan(random->cascade, random->arch, found.plan);
    ASSERT_TRUE(evaluation.ok()) << describe(*random);
    EXPECT_LE(evaluation.value->energy_pj, given.value->energy_pj * (1 + 1e-9))
        << describe(*random);
    ++compared;
    several += has_several_homes(*random) ? 1 : 0;
    better += evaluation.value->energy_pj < given.value->energy_pj ? 1 : 0;
  }
  EXPECT_GE(compared, enough(20));
  EXPECT_GE(better, enough(10));
  EXPECT_GE(several, enough(10));
}

TEST(PlanNests, SayWhatIsLiveBesideThem) {
  const Cascade cascade =
      make_cascade({"T[m,n] += A[m,k] * B[k,n]", "O[m,p] += T[m,n] * C[n,p]"}, "m=4 n=6 k=2 p=3");
  TestRng rng(5);
  const Architecture arch = fusion_arch(rng, 25);
  Plan plan = unfused(cascade, "Buffer");
  plan.groups = {{{}, {{{}, {}, 0}, {{}, {}, 1}}, -1}};
  plan.leaves[0].tensors[2] = {Placement::Kind::Local, 0};
  const PlanNests found = find_nests(cascade, arch, plan);
  ASSERT_FALSE(found.misfit.empty());
  EXPECT_NE(found.misfit.front().find("no nest of it fits beside the 24 words"), std::string::npos)
      << found.misfit.front();
}

}  // namespace
}  // namespace tilewright::testing
