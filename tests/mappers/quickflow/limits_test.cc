// What ends a search, and who hears of it.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "mappers/sampling/small_search.h"
#include "support/asked.h"
#include "support/problems.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using Stop = SearchResult::Stop;

class LocalSearchLimits : public ::testing::Test {
 protected:
  SearchResult run(const Asked& options) const {
    return search_locally(evaluator_, SpaceKind::RubyS, restrictions_, options);
  }

  Problem problem_ = testing::make_problem(
      io::pick_layer(*io::load_network("quickflow").value, "XII").value->workload,
      *io::load_architecture("eyeriss").value);
  Evaluator evaluator_ = testing::make_evaluator(problem_);
  Restrictions restrictions_ = *Restrictions::create(problem_).value;
};

// Each of the four starts and what comes before them takes one in any case; the first start is
// where that ended. What several starts meet counts once as seen.
constexpr std::uint64_t kLeast = 5, kDifferent = 4;

TEST_F(LocalSearchLimits, KeepsToALimitOfEvaluations) {
  const std::uint64_t all = run({}).seen;
  ASSERT_GT(all, 1000U);
  for (const std::uint64_t limit : {0U, 1U, 5U, 16U, 100U, 301U, 1000U}) {
    Asked options;
    options.evaluations = limit;
    const SearchResult result = run(options);
    EXPECT_LE(result.seen, std::max(limit, kLeast));
    EXPECT_GE(result.seen, std::max(limit / 2, kDifferent));
    EXPECT_EQ(result.stop, Stop::Evaluations) << limit;
    EXPECT_TRUE(result.best);
    options.threads = 3;
    EXPECT_TRUE(testing::same_result(result, run(options))) << limit;
  }
  Asked options;
  options.evaluations = 100 * all;
  EXPECT_TRUE(testing::same_result(run({}), run(options)));
}

TEST_F(LocalSearchLimits, FindsMoreTheMoreItMayTry) {
  double last = std::numeric_limits<double>::infinity();
  for (const std::uint64_t limit : {5U, 50U, 500U, 5000U}) {
    Asked options;
    options.evaluations = limit;
    const double value = run(options).score.edp();
    EXPECT_LT(value, last);
    last = value;
  }
}

TEST_F(LocalSearchLimits, WithoutTimeThereIsTheStart) {
  Asked options;
  options.seconds = 0;
  const SearchResult result = run(options);
  EXPECT_EQ(result.stop, Stop::Time);
  EXPECT_EQ(result.seen, kDifferent);
  EXPECT_TRUE(result.best);
}

TEST_F(LocalSearchLimits, StopsAtATargetWithAnyNumberOfThreads) {
  const SearchResult all = run({});
  // The sum that the search takes of the energies may be off in its last digits.
  for (const double factor : {1 + 1e-12, 1.02, 1.3, 3.0, 1e9}) {
    Asked options;
    options.target = factor * all.score.edp();
    const SearchResult result = run(options);
    EXPECT_EQ(result.stop, Stop::Target) << factor;
    EXPECT_LE(result.score.edp(), *options.target);
    EXPECT_LE(result.seen, all.seen);
    for (const int threads : {2, 3, 3}) {
      options.threads = threads;
      EXPECT_TRUE(testing::same_result(result, run(options))) << factor;
    }
  }
  Asked options;
  options.target = 0.99 * all.score.edp();
  EXPECT_TRUE(testing::same_result(all, run(options)));
}

TEST_F(LocalSearchLimits, CanBeCancelledBeforeItBegins) {
  const std::atomic<bool> cancelled{true};
  Asked options;
  options.cancelled = &cancelled;
  options.threads = 2;
  const SearchResult result = run(options);
  EXPECT_EQ(result.stop, Stop::Cancelled);
  EXPECT_EQ(result.seen, kDifferent);
}

TEST_F(LocalSearchLimits, CanBeCancelledOnTheWay) {
  std::atomic<bool> cancelled{false};
  Asked options;
  options.cancelled = &cancelled;
  QuickflowSettings settings;
  std::uint64_t visits = 0;
  settings.on_visit = [&](const Mapping& /*mapping*/) {
    if (++visits == 200) cancelled = true;
  };
  const SearchResult result =
      search_locally(evaluator_, SpaceKind::RubyS, restrictions_, options, settings);
  EXPECT_EQ(result.stop, Stop::Cancelled);
  EXPECT_GE(result.seen, 200U);
  EXPECT_LT(result.seen, run({}).seen);
  EXPECT_TRUE(result.best);
}

// Reports are a tenth of a second apart, so a visit is made to last.
TEST_F(LocalSearchLimits, TellsTheThreadThatCalledHowFarItIs) {
  Asked options;
  int reports = 0;
  SearchProgress last;
  options.on_progress = [&, caller = std::this_thread::get_id()](const SearchProgress& progress) {
    ++reports;
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(progress.seen, last.seen);
    EXPECT_LE(progress.valid, progress.seen);
    EXPECT_TRUE(progress.best);
    last = progress;
  };
  QuickflowSettings settings;
  bool slept = false;
  settings.on_visit = [&](const Mapping& /*mapping*/) {
    if (!slept) std::this_thread::sleep_for(std::chrono::milliseconds(101));
    slept = true;
  };
  const SearchResult result =
      search_locally(evaluator_, SpaceKind::RubyS, restrictions_, options, settings);
  EXPECT_GE(reports, 1);
  EXPECT_LE(last.seen, result.seen);
}

}  // namespace
}  // namespace tilewright
