// What ends a genetic search, and who hears of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "mappers/sampling/small_search.h"
#include "support/asked.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using Stop = SearchResult::Stop;

class GeneticSearchLimits : public ::testing::Test {
 protected:
  SearchResult run(const Asked& options) const {
    return search_genetically(evaluator_, SpaceKind::RubyS, restrictions_, options, settings_);
  }

  GeneticSettings settings_ = [] {
    GeneticSettings settings;
    settings.generations = 20;
    return settings;
  }();
  Problem problem_ = testing::make_problem(
      io::pick_layer(*io::load_network("resnet50").value, "conv2_1b").value->workload,
      *io::load_architecture("eyeriss").value);
  Evaluator evaluator_ = testing::make_evaluator(problem_);
  Restrictions restrictions_ = *Restrictions::create(problem_).value;
};

TEST_F(GeneticSearchLimits, BreedsAsManyAsAreWanted) {
  settings_.population = 60;
  settings_.generations = 7;
  settings_.elite = 0.1;
  const SearchResult result = run({});
  EXPECT_EQ(result.stop, Stop::Generations);
  EXPECT_EQ(result.seen, 60U + 7U * (60U - 6U));
  settings_.generations = 0;
  EXPECT_EQ(run({}).seen, 60U);
}

TEST_F(GeneticSearchLimits, KeepsToALimitOfEvaluations) {
  for (const std::uint64_t limit : {0U, 1U, 5U, 100U, 101U, 1000U}) {
    Asked options;
    options.evaluations = limit;
    const SearchResult result = run(options);
    EXPECT_EQ(result.seen, std::max<std::uint64_t>(limit, 1));
    EXPECT_EQ(result.stop, Stop::Evaluations) << limit;
  }
  Asked options;
  options.evaluations = 1'000'000;
  EXPECT_TRUE(testing::same_result(run({}), run(options)));
}

TEST_F(GeneticSearchLimits, FindsMoreTheLongerItBreeds) {
  const double all = run({}).score.edp();
  settings_.generations = 0;
  EXPECT_GT(run({}).score.edp(), all);
}

TEST_F(GeneticSearchLimits, WithoutTimeThereIsOne) {
  Asked options;
  options.seconds = 0;
  const SearchResult result = run(options);
  EXPECT_EQ(result.stop, Stop::Time);
  EXPECT_EQ(result.seen, 1U);
}

TEST_F(GeneticSearchLimits, StopsAtATarget) {
  const SearchResult all = run({});
  for (const double factor : {1.0, 1.02, 1.3, 1e9}) {
    Asked options;
    options.target = factor * all.score.edp();
    const SearchResult result = run(options);
    EXPECT_EQ(result.stop, Stop::Target) << factor;
    EXPECT_LE(result.score.edp(), *options.target);
    EXPECT_EQ(result.seen, result.steps.back().seen);
  }
  Asked options;
  options.target = 0.99 * all.score.edp();
  EXPECT_TRUE(testing::same_result(all, run(options)));
}

TEST_F(GeneticSearchLimits, CanBeCancelledBeforeItBegins) {
  const std::atomic<bool> cancelled{true};
  Asked options;
  options.cancelled = &cancelled;
  const SearchResult result = run(options);
  EXPECT_EQ(result.stop, Stop::Cancelled);
  EXPECT_EQ(result.seen, 1U);
}

TEST_F(GeneticSearchLimits, CanBeCancelledOnTheWay) {
  std::atomic<bool> cancelled{false};
  Asked options;
  options.cancelled = &cancelled;
  std::uint64_t visits = 0;
  settings_.on_visit = [&](const Mapping& /*mapping*/) {
    if (++visits == 200) cancelled = true;
  };
  const SearchResult result = run(options);
  EXPECT_EQ(result.stop, Stop::Cancelled);
  EXPECT_GE(result.seen, 200U);
  EXPECT_LT(result.seen, 300U);
  EXPECT_TRUE(result.best);
}

// Reports are a tenth of a second apart, so a visit is made to last.
TEST_F(GeneticSearchLimits, TellsTheThreadThatCalledHowFarItIs) {
  Asked options;
  int reports = 0;
  options.on_progress = [&, caller = std::this_thread::get_id()](const SearchProgress& progress) {
    ++reports;
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_LE(progress.valid, progress.seen);
    EXPECT_GT(progress.fraction.value_or(0), 0);
    EXPECT_LE(progress.fraction.value_or(0), 1);
  };
  bool slept = false;
  settings_.on_visit = [&](const Mapping& /*mapping*/) {
    if (!slept) std::this_thread::sleep_for(std::chrono::milliseconds(101));
    slept = true;
  };
  run(options);
  EXPECT_GE(reports, 1);
}

}  // namespace
}  // namespace tilewright
