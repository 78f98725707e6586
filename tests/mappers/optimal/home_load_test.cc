// What every mapping of a map-space takes at least, whatever its frame.
#include "mappers/optimal/home_load.h"

#include <gtest/gtest.h>

#include "mappers/optimal/cost.h"
#include "mappers/optimal/small_spaces.h"
#include "support/slow_build.h"
#include "support/space_kinds.h"

namespace tilewright::optimal {
namespace {

// Calls visit(solver, score) for some mappings that fit.
template <typename Visit>
void for_each_score(SpaceKind kind, const Visit& visit) {
  for_each_mapping({kind, testing::slow_build() ? 60 : 400, 90'000}, 20,
                   [&](const SolverTables& solver, const Mapping& mapping) {
                     const Score score = solver.evaluator->score(mapping);
                     if (score.verdict.fits()) visit(solver, score);
                   });
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
