// The genetic search of all settings of a flexible accelerator at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/io.h"
#include "tilewright/map.h"

namespace tilewright::testing {
namespace {

MapOptions genetic_options(SpaceKind kind, Objective objective) {
  MapOptions options;
  options.mapper = find_mapper("genetic");
  options.space = kind;
  options.objective = objective;
  return options;
}

TEST(GeneticSettings, NeverBeatTheOptimumAndNearlyAlwaysFindIt) {
  int feasible = 0;
  int optimal = 0;
  for (std::uint64_t seed = 1; seed <= (slow_build() ? 4U : 30U); ++seed) {
    const SpaceKind kind = seed % 2 == 0 ? SpaceKind::Perfect : SpaceKind::Ruby;
    const FlexibleCase flexible = random_flexible_case(seed, {.kind = kind});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(flexible));
    const std::size_t o = seed % kObjectives.size();
    const auto best = flexible_brute_force(flexible, kind).best[o];
    const MapOutcome outcome =
        map_workload(flexible.workload, flexible.arch, genetic_options(kind, kObjectives[o]));
    if (!best) {
      EXPECT_EQ(outcome.status, MapOutcome::Status::Infeasible);
      continue;
    }
    ASSERT_TRUE(outcome.found());
    ASSERT_TRUE(outcome.setting);
    EXPECT_EQ(why_not_run(flexible, *outcome.search.best), "");
    const Score score = make_evaluator(*outcome.problem).score(*outcome.search.best);
    EXPECT_EQ(score, outcome.search.score);
    const double found = value_of(kObjectives[o], score);
    const double least = value_of(kObjectives[o], best->score);
    EXPECT_GE(found, least * (1 - 1e-9));
    ++feasible;
    optimal += same_value(found, least) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(feasible, slow_build() ? 2 : 20);
  EXPECT_GE(10 * optimal, 9 * feasible) << optimal << " of " << feasible;
}

class GeneticOnFlex1024 : public ::testing::Test {
 protected:
  GeneticOnFlex1024() {
    Conv2d conv;
    conv.in_channels = 40;
    conv.out_channels = 120;
    conv.p = conv.q = 28;
    workload_ = make_conv2d("layer", conv);
  }

  MapOutcome map(const MapOptions& options) const {
    return map_workload(workload_, arch_, options);
  }

  Workload workload_;
  Architecture arch_ = *io::load_architecture("flex_1024").value;
  MapOptions options_ = genetic_options(SpaceKind::Ruby, Objective::Latency);
};

TEST_F(GeneticOnFlex1024, TheBudgetIsOfAllSettingsTogether) {
  options_.limits.evaluations = 500;
  const MapOutcome outcome = map(options_);
  ASSERT_TRUE(outcome.found());
  EXPECT_EQ(outcome.search.seen, 500U);
  EXPECT_EQ(outcome.search.stop, SearchResult::Stop::Evaluations);
  EXPECT_GT(outcome.settings_searched, 10U);
  EXPECT_LE(outcome.settings_searched, outcome.settings);
}

TEST_F(GeneticOnFlex1024, TheSameSeedGivesTheSameMapping) {
  options_.limits.evaluations = 1000;
  const MapOutcome one = map(options_);
  options_.limits.threads = 2;
  const MapOutcome two = map(options_);
  EXPECT_EQ(one.search.score, two.search.score);
  EXPECT_TRUE(*one.search.best == *two.search.best);
  EXPECT_TRUE(*one.setting == *two.setting);
}

TEST_F(GeneticOnFlex1024, ATargetEndsTheSearch) {
  options_.limits.target = 1e9;
  const MapOutcome outcome = map(options_);
  EXPECT_EQ(outcome.search.stop, SearchResult::Stop::Target);
  EXPECT_LT(outcome.search.seen, 200U);
}

TEST_F(GeneticOnFlex1024, ConstraintsHoldInEverySetting) {
  options_.limits.evaluations = 1000;
  options_.constraints = {{"Array", Axis::Y, FactorRule{"C", FactorRule::Relation::AtMost, 5}, {}}};
  const MapOutcome outcome = map(options_);
  ASSERT_TRUE(outcome.found());
  const Restrictions rules = *Restrictions::create(*outcome.problem, options_.constraints).value;
  EXPECT_THAT(rules.broken_by(*outcome.problem, *outcome.search.best), ::testing::IsEmpty());
}

}  // namespace
}  // namespace tilewright::testing
