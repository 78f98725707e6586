// Settings one by one, threads, and searches that end early.
#include <gtest/gtest.h>

#include <atomic>

#include "support/check_optimum.h"
#include "support/flexible_case.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/map.h"

namespace tilewright::testing {
namespace {

using Status = MapOutcome::Status;

const int kSeeds = affordable(80);

FlexibleCase case_of(int number, const MapOptions& options) {
  const auto seed = static_cast<std::uint64_t>(50'000 + number);
  return random_flexible_case(seed, {.kind = options.space});
}

MapOptions options_of(int number) {
  MapOptions options;
  const auto index = static_cast<std::size_t>(number);
  options.space = index % 2 == 0 ? SpaceKind::Ruby : SpaceKind::Perfect;
  options.objective = kObjectives[index % kObjectives.size()];
  return options;
}

// --- settings ---------------------------------------------------------------------

TEST(Settings, AreNeverFasterThanTheirMultipliers) {
  for (int i = 0; i < kSeeds; ++i) {
    MapOptions options = options_of(i);
    options.objective = Objective::Latency;
    const FlexibleCase flexible = case_of(i, options);
    SCOPED_TRACE(std::to_string(i) + "\n" + text_of(flexible));
    const auto settings = settings_of(flexible.workload, flexible.arch);
    ASSERT_TRUE(settings.ok());
    Int128 last = 0;
    for (const Setting& setting : *settings.value) {
      EXPECT_LE(last, setting.least_cycles) << "the fastest come first";
      last = setting.least_cycles;
      const auto set = set_up(flexible.workload, flexible.arch, setting);
      options.constraints = set.constraints;
      const MapOutcome outcome = map_workload(flexible.workload, set.arch, options);
      if (!outcome.found()) continue;
      EXPECT_LE(setting.least_cycles, outcome.search.score.cycles) << to_string(setting);
      EXPECT_EQ(why_not_run(flexible, *outcome.search.best), "") << to_string(setting);
    }
    if (HasFailure()) return;
  }
}

TEST(FlexibleMapping, IsTheSameWithAnyNumberOfThreads) {
  for (int i = 0; i < kSeeds; ++i) {
    MapOptions options = options_of(i);
    const FlexibleCase flexible = case_of(i, options);
    SCOPED_TRACE(std::to_string(i) + "\n" + text_of(flexible));
    const MapOutcome alone = map_workload(flexible.workload, flexible.arch, options);
    for (const int threads : {2, 3}) {
      options.limits.threads = threads;
      const MapOutcome together = map_workload(flexible.workload, flexible.arch, options);
      EXPECT_EQ(alone.status, together.status);
      EXPECT_EQ(alone.search.best, together.search.best);
      EXPECT_EQ(alone.setting, together.setting);
      EXPECT_EQ(alone.settings_searched, together.settings_searched);
      if (alone.found()) {
        EXPECT_EQ(alone.search.score, together.search.score);
        EXPECT_EQ(alone.proof->bound, together.proof->bound);
      }
    }
    if (HasFailure()) return;
  }
}

// --- limits -----------------------------------------------------------------------

const std::array<const Mapper*, 4> kMappers = {find_mapper("optimal"), find_mapper("quickflow"),
                                               find_mapper("random"), find_mapper("exhaustive")};

// Whatever stopped a search, what it found can be run, and what it claims is true.
void expect_true(const FlexibleCase& flexible, const MapOutcome& outcome, const MapOutcome& best,
                 Objective objective) {
  if (outcome.status == Status::TooLarge) return;  // an exhaustive search without the time
  if (!best.found()) {
    EXPECT_FALSE(outcome.found());
    return;
  }
  EXPECT_NE(outcome.status, Status::Infeasible);
  EXPECT_NE(outcome.status, Status::BadInput);
  const double value = value_of(objective, best.search.score);
  if (outcome.proof) {
    EXPECT_TRUE(outcome.proof->bound <= value || same_value(outcome.proof->bound, value));
    EXPECT_GE(outcome.proof->gap, 0);
  }
  if (!outcome.found()) return;
  EXPECT_EQ(why_not_run(flexible, *outcome.search.best), "");
  const Score score = make_evaluator(*outcome.problem).score(*outcome.search.best);
  EXPECT_TRUE(score.verdict.fits());
  EXPECT_EQ(score, outcome.search.score);
  const double found = value_of(objective, score);
  EXPECT_TRUE(found >= value || same_value(found, value));
  if (outcome.proof && outcome.proof->status == Proof::Status::Proven) {
    EXPECT_TRUE(same_value(found, value));
  }
}

// Of every mapper, within the limits.
void expect_true_within(const Limits& limits) {
  for (int i = 0; i < affordable(30); ++i) {
    MapOptions options = options_of(i);
    const FlexibleCase flexible = case_of(i, options);
    const MapOutcome best = map_workload(flexible.workload, flexible.arch, options);
    const Objective objective = options.objective;
    options.limits = limits;
    for (const Mapper* mapper : kMappers) {
      SCOPED_TRACE(std::to_string(i) + ", " + std::string(mapper->name) + "\n" + text_of(flexible));
      options.mapper = mapper;
      const MapOutcome outcome = map_workload(flexible.workload, flexible.arch, options);
      expect_true(flexible, outcome, best, objective);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FlexibleMapping, KeepsToASettingWhenTimeIsUp) {
  for (const double seconds : {0.0, 1e-4}) {
    Limits limits;
    limits.seconds = seconds;
    expect_true_within(limits);
  }
}

TEST(FlexibleMapping, KeepsToASettingAfterFewEvaluations) {
  for (const std::uint64_t evaluations : {1U, 30U}) {
    Limits limits;
    limits.evaluations = evaluations;
    expect_true_within(limits);
  }
}

TEST(FlexibleMapping, KeepsToASettingWhenCancelled) {
  const std::atomic<bool> cancelled = true;
  Limits limits;
  limits.cancelled = &cancelled;
  expect_true_within(limits);
}

TEST(FlexibleMapping, KeepsToASettingThatIsGoodEnough) {
  Limits limits;
  limits.target = 1e9;
  expect_true_within(limits);
}

// --- other mappers ------------------------------------------------------------------

TEST(FlexibleMapping, OfAnExhaustiveSearchIsTheOptimum) {
  for (int i = 0; i < kSeeds; i += 5) {
    MapOptions options = options_of(i);
    const FlexibleCase flexible = case_of(i, options);
    SCOPED_TRACE(std::to_string(i) + "\n" + text_of(flexible));
    const MapOutcome optimal = map_workload(flexible.workload, flexible.arch, options);
    options.mapper = find_mapper("exhaustive");
    const MapOutcome exhaustive = map_workload(flexible.workload, flexible.arch, options);
    ASSERT_EQ(exhaustive.found(), optimal.found());
    if (!optimal.found()) continue;
    EXPECT_TRUE(same_value(value_of(options.objective, exhaustive.search.score),
                           value_of(options.objective, optimal.search.score)));
    EXPECT_FALSE(exhaustive.proof.has_value());
  }
}

}  // namespace
}  // namespace tilewright::testing
