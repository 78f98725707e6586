// What every mapping of a map-space takes at least, whatever its frame.
#include "mappers/optimal/home_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mappers/optimal/cost.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "support/small_instance.h"
#include "support/space_kinds.h"

namespace tilewright::optimal {
namespace {

// Calls visit(solver, score) for some mappings of random small map-spaces, whether they fit or not.
template <typename Visit>
void for_each_score(SpaceKind kind, Visit visit) {
  for (std::uint64_t seed = 1; seed <= (testing::slow_build() ? 60 : 400); ++seed) {
    const auto instance = testing::small_instance(90'000 + seed, {.kind = kind});
    const Restrictions restrictions = testing::restrictions_of(instance);
    if (!restrictions.contradictions().empty()) continue;
    const MadeSpace space = MapSpace::create(instance.problem, kind, restrictions);
    if (!space.ok()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
    Sampler sampler(*space.value);
    Rng rng(seed);
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + testing::text_of(instance));
      const Score score = evaluator.score(sampler.draw(rng));
      if (!score.verdict.fits()) continue;
      visit(solver, score);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

class OfEveryMapping : public ::testing::TestWithParam<SpaceKind> {};

TEST_P(OfEveryMapping, CyclesAreNoFewerThanThoseOfTheWordsOfItsHome) {
  int all = 0;
  int known = 0;
  int reached = 0;
  for_each_score(GetParam(), [&](const SolverTables& solver, const Score& score) {
    const Int128 least = least_home_cycles(solver);
    EXPECT_LE(least, score.cycles);
    ++all;
    known += least > 0 ? 1 : 0;
    reached += least == score.cycles ? 1 : 0;
  });
  EXPECT_GT(all, 0);
  EXPECT_GT(known, 0);
  if (!testing::slow_build()) EXPECT_GT(reached, 0);  // which few mappings do
}

TEST_P(OfEveryMapping, InstancesAreNoFewerThanItsCyclesNeed) {
  int all = 0;
  int reached = 0;
  for_each_score(GetParam(), [&](const SolverTables& solver, const Score& score) {
    const Work work{solver.macs, solver.compute_macs, solver.compute_cycles};
    EXPECT_LE(work.least_instances(score.cycles), score.instances);
    EXPECT_LE(work.least_instances(score.cycles + 1), work.least_instances(score.cycles));
    ++all;
    reached += work.least_instances(score.cycles) == score.instances ? 1 : 0;
  });
  EXPECT_GT(reached, all / 20);
}

INSTANTIATE_TEST_SUITE_P(Spaces, OfEveryMapping, ::testing::ValuesIn(testing::kSpaceKinds),
                         testing::name_of_space);

// 100 products on instances that do two in three cycles.
TEST(WorkOfInstances, IsRoundedUpToWholeSteps) {
  const Work work{100, 2, 3};
  EXPECT_EQ(work.least_instances(3), 50);
  EXPECT_EQ(work.least_instances(5), 50);
  EXPECT_EQ(work.least_instances(6), 25);
  EXPECT_EQ(work.least_instances(150), 1);
  EXPECT_EQ(work.least_instances(2), 0);  // nothing is known of what cannot be
}

TEST(GoalOfEquals, IsNotImprovedByInstancesWhereNoneCanDoWithFewer) {
  const Aim aim{Objective::Energy};
  for (const bool knows_work : {false, true}) {
    Goal goal(aim, knows_work ? Work{100, 1, 1} : Work{});
    goal.add({1000, 10, 10});
    EXPECT_EQ(goal.is_improved_by({1000, 10, 4}), !knows_work);
    EXPECT_FALSE(goal.is_improved_by({1000, 11, 4}));
    EXPECT_TRUE(goal.is_improved_by({1000, 9, 4}));
    EXPECT_TRUE(goal.is_improved_by({999, 12, 12}));
    goal.add({999, 10, 20});  // which may be done by ten
    EXPECT_TRUE(goal.is_improved_by({999, 10, 19}));
  }
}

}  // namespace
}  // namespace tilewright::optimal
