// The best mapping over all settings against every mapping that the accelerator
// can be set to run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/map.h"

namespace tilewright::testing {
namespace {

using Status = MapOutcome::Status;

const int kSeeds = affordable(30);

MapOptions options_for(SpaceKind kind, Objective objective) {
  MapOptions options;
  options.space = kind;
  options.objective = objective;
  return options;
}

// The mapping is one that the accelerator can run, and costs what is said.
void expect_runs(const FlexibleCase& flexible, const MapOutcome& outcome) {
  EXPECT_EQ(why_not_run(flexible, *outcome.search.best), "");
  const Score score = make_evaluator(unshaped_problem(flexible)).score(*outcome.search.best);
  ASSERT_TRUE(score.verdict.fits());
  EXPECT_EQ(score, outcome.search.score);
  ASSERT_TRUE(outcome.setting.has_value());
  EXPECT_LE(outcome.setting->least_cycles, score.cycles) << to_string(*outcome.setting);
}

void expect_best(const FlexibleCase& flexible, const MapOutcome& outcome, Objective objective,
                 const std::optional<BruteForce::Best>& best) {
  if (!best) {
    EXPECT_EQ(outcome.status, Status::Infeasible);
    return;
  }
  ASSERT_EQ(outcome.status, Status::Found);
  expect_runs(flexible, outcome);
  EXPECT_TRUE(
      same_value(value_of(objective, outcome.search.score), value_of(objective, best->score)))
      << fmt::format("{} pJ and {} cycles; the best has {} pJ and {}",
                     outcome.search.score.energy_pj, outcome.search.score.cycles,
                     best->score.energy_pj, best->score.cycles);
  EXPECT_EQ(outcome.proof->status, Proof::Status::Proven);
  EXPECT_TRUE(same_value(outcome.proof->bound, value_of(objective, outcome.search.score)));
  EXPECT_LE(outcome.settings_searched, outcome.settings);
}

class FlexibleOptimum : public ::testing::TestWithParam<std::tuple<SpaceKind, int>> {};

TEST_P(FlexibleOptimum, IsTheBestOfAllSettings) {
  const auto& [kind, range] = GetParam();
  for (int i = 0; i < kSeeds; ++i) {
    const auto seed = static_cast<std::uint64_t>(1'000 * range + i);
    const FlexibleCase flexible = random_flexible_case(seed, {.kind = kind});
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(flexible));
    const BruteForce truth = flexible_brute_force(flexible, kind);
    for (std::size_t o = 0; o < kObjectives.size(); ++o) {
      SCOPED_TRACE(to_string(kObjectives[o]));
      const MapOutcome outcome =
          map_workload(flexible.workload, flexible.arch, options_for(kind, kObjectives[o]));
      expect_best(flexible, outcome, kObjectives[o], truth.best[o]);
    }
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, FlexibleOptimum,
                         ::testing::Combine(::testing::Values(SpaceKind::Perfect, SpaceKind::RubyS,
                                                              SpaceKind::Ruby),
                                            ::testing::Range(1, 6)),
                         [](const auto& shard) {
                           std::string name = to_string(std::get<0>(shard.param));
                           std::erase(name, '-');  // which names of tests may not have
                           return name + "_" + std::to_string(std::get<1>(shard.param));
                         });

}  // namespace
}  // namespace tilewright::testing
