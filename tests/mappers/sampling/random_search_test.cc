#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "mappers/sampling/small_search.h"

namespace tilewright {
namespace {

using ::testing::IsEmpty;
using testing::make_space;
using testing::same_result;
using Stop = SearchResult::Stop;

class RandomSearch : public ::testing::Test {
 protected:
  SearchResult run(const SamplingOptions& options, std::uint64_t seed = 1) const {
    return search(evaluator_, *random_strategy(space_, seed), options);
  }

  Problem problem_ = testing::tight_problem(24, 10, 9, 40);
  MapSpace space_ = make_space(problem_, SpaceKind::RubyS);
  Evaluator evaluator_ = testing::make_evaluator(problem_);
};

SamplingOptions evaluations(std::uint64_t count) {
  SamplingOptions options;
  options.evaluations = count;
  return options;
}

TEST_F(RandomSearch, GivesTheSameWithAnyNumberOfThreads) {
  for (const std::uint64_t seed : {1U, 2U, 77U}) {
    for (const bool patient : {false, true}) {
      SamplingOptions options;
      if (patient) options.patience = 700;
      if (!patient) options.evaluations = 5000;
      const SearchResult alone = run(options, seed);
      ASSERT_TRUE(alone.best);
      EXPECT_EQ(alone.stop, patient ? Stop::Patience : Stop::Evaluations);
      for (const int threads : {2, 5}) {
        options.threads = threads;
        EXPECT_TRUE(same_result(alone, run(options, seed))) << "seed " << seed << ", " << threads;
      }
    }
  }
}

TEST_F(RandomSearch, OtherSeedsSeeOtherMappings) {
  EXPECT_FALSE(same_result(run(evaluations(1000), 1), run(evaluations(1000), 2)));
}

TEST_F(RandomSearch, SeesExactlyAsManyAsWereAllowed) {
  for (const std::uint64_t count : {0U, 1U, 255U, 256U, 257U, 1000U}) {
    const SearchResult result = run(evaluations(count));
    EXPECT_EQ(result.seen, count);
    EXPECT_EQ(result.stop, Stop::Evaluations) << count;
  }
}

// Unit u draws 256 samples from stream u of the seed.
TEST_F(RandomSearch, BestIsTheBestOfItsSamples) {
  const SearchResult result = run(evaluations(1000), 5);
  Sampler sampler(space_);
  std::optional<Score> best;
  std::uint64_t valid = 0;
  std::uint64_t best_at = 0;
  for (std::uint64_t first = 0; first < 1000; first += 256) {
    Rng rng(5, first / 256);
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(first + 256, 1000); ++i) {
      const Score score = evaluator_.score(sampler.draw(rng));
      if (!score.verdict.fits()) continue;
      ++valid;
      if (best && !is_better(Objective::Edp, score, *best)) continue;
      best = score;
      best_at = i + 1;
    }
  }
  EXPECT_EQ(result.valid, valid);
  EXPECT_EQ(result.score, best);
  EXPECT_EQ(result.steps.back().seen, best_at);
  EXPECT_EQ(evaluator_.score(*result.best), result.score);
}

TEST_F(RandomSearch, StepsGoDown) {
  const SearchResult result = run(evaluations(4000));
  ASSERT_GT(result.steps.size(), 2U);
  for (std::size_t i = 1; i < result.steps.size(); ++i) {
    EXPECT_LT(result.steps[i - 1].seen, result.steps[i].seen);
    EXPECT_TRUE(is_better(Objective::Edp, result.steps[i].score, result.steps[i - 1].score));
  }
  EXPECT_EQ(result.steps.back().score, result.score);
}

TEST_F(RandomSearch, PatienceEndsAfterValidMappingsInVain) {
  SamplingOptions options;
  options.patience = 300;
  const SearchResult result = run(options);
  EXPECT_EQ(result.stop, Stop::Patience);
  // Patience is looked at after whole units: nothing better came from the end
  // of the unit of the last step on.
  EXPECT_EQ(result.seen % 256, 0U);
  const std::uint64_t unit_end = (result.steps.back().seen + 255) / 256 * 256;
  const SearchResult until_then = run(evaluations(unit_end));
  EXPECT_EQ(until_then.score, result.score);
  EXPECT_GE(result.valid - until_then.valid, 300U);
  const SearchResult one_unit_less = run(evaluations(result.seen - 256));
  EXPECT_LT(one_unit_less.valid - until_then.valid, 300U);
}

TEST_F(RandomSearch, TargetEndsAfterTheUnitThatReachesIt) {
  const SearchResult longer = run(evaluations(3000));
  ASSERT_GT(longer.steps.size(), 1U);
  const SearchResult::Step& step = longer.steps[longer.steps.size() - 2];
  for (const int threads : {1, 3}) {
    SamplingOptions options;
    options.threads = threads;
    options.target = step.score.edp();
    const SearchResult result = run(options);
    EXPECT_EQ(result.stop, Stop::Target);
    EXPECT_LE(result.score.edp(), *options.target);
    EXPECT_EQ(result.seen, (step.seen + 255) / 256 * 256);
  }
}

TEST_F(RandomSearch, ObjectiveDecidesWhatIsBest) {
  for (const Objective objective : {Objective::Edp, Objective::Energy, Objective::Latency}) {
    SamplingOptions options = evaluations(2000);
    options.objective = objective;
    const SearchResult result = run(options);
    for (const Objective other : {Objective::Edp, Objective::Energy, Objective::Latency}) {
      options.objective = other;
      EXPECT_LE(value_of(objective, result.score), value_of(objective, run(options).score));
    }
  }
}

TEST_F(RandomSearch, CancelledFlagEndsASearchWithoutLimits) {
  const std::atomic<bool> cancelled = true;
  SamplingOptions options;
  options.threads = 2;
  options.cancelled = &cancelled;
  EXPECT_EQ(run(options).stop, Stop::Cancelled);
}

TEST_F(RandomSearch, ProgressComesFromTheCallerAndMayCancel) {
  std::atomic<bool> cancelled = false;
  const std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  SamplingOptions options;
  options.threads = 2;
  options.cancelled = &cancelled;
  options.on_progress = [&](const SearchProgress& progress) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_FALSE(progress.fraction);  // no limit tells
    EXPECT_LE(progress.valid, progress.seen);
    if (++calls == 3) cancelled = true;
  };
  const SearchResult result = run(options);
  EXPECT_EQ(result.stop, Stop::Cancelled);
  EXPECT_GE(calls, 3);
}

TEST_F(RandomSearch, AnExceptionOfTheProgressCallbackReachesTheCaller) {
  SamplingOptions options;
  options.on_progress = [](const SearchProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(run(options), std::runtime_error);
}

TEST(HopelessSearch, EndsWhenNothingValidCameUp) {
  const Problem problem = testing::tight_problem(4, 4, 4, 1);
  const MapSpace space = make_space(problem, SpaceKind::Perfect);
  SamplingOptions options;
  options.hopeless = 1000;
  const SearchResult result =
      search(testing::make_evaluator(problem), *random_strategy(space, 1), options);
  EXPECT_EQ(result.stop, Stop::Hopeless);
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.seen, 1024U);
  EXPECT_EQ(result.valid, 0U);
  EXPECT_THAT(result.steps, IsEmpty());
}

}  // namespace
}  // namespace tilewright
