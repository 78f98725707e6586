// Searches of other tools: what they give back is a mapping of the space with the score they
// say, and never better than the optimum.
#include "mappers/published/published.h"

#include <gtest/gtest.h>

#include "support/asked.h"
#include "support/check_local_search.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using Stop = SearchResult::Stop;
using testing::affordable;
using testing::enough;
using testing::kObjectives;
using testing::kSpaceKinds;
using testing::LocalSearchReport;
using testing::SmallInstance;

const std::vector<const Mapper*>& published_mappers() {
  static const std::vector<const Mapper*> all = {&loma_mapper(),
                                                 &salsa_mapper(),
                                                 &factorflow_mapper(),
                                                 &timeloop_random_mapper(),
                                                 &timeloop_linear_mapper(),
                                                 &timeloop_hybrid_mapper()};
  return all;
}

SearchResult run(const Mapper& mapper, const Evaluator& evaluator, SpaceKind kind,
                 const Restrictions& restrictions, const Asked& asked,
                 const OptionValues& options = {}) {
  return mapper.run(asked.task(evaluator, kind, restrictions), asked, options).search;
}

TEST(PublishedMappers, AnswerWithMappingsOfTheSpaceNeverBelowTheOptimum) {
  for (const Mapper* mapper : published_mappers()) {
    int found = 0, optimal = 0;
    OptionValues options;
    options.set("iterations", std::int64_t{50});
    options.set("dataflows", std::int64_t{20});
    options.set("timeout", std::int64_t{200});
    options.set("victory-condition", std::int64_t{100});
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(affordable(150)); ++seed) {
      const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
      const SmallInstance instance = testing::small_instance(seed, {.kind = kind});
      const LocalSearchReport report = testing::check_search(
          instance, kind, kObjectives[seed % kObjectives.size()],
          [&](const Evaluator& evaluator, SpaceKind space, const Restrictions& restrictions,
              const Asked& asked) {
            return run(*mapper, evaluator, space, restrictions, asked, options);
          });
      EXPECT_EQ(report.failures, "") << mapper->name << ", seed " << seed;
      found += report.found ? 1 : 0;
      optimal += report.found && report.optimum && *report.found == *report.optimum ? 1 : 0;
    }
    EXPECT_GE(found, enough(50)) << mapper->name;
    EXPECT_GE(optimal, enough(10)) << mapper->name;
  }
}

class PublishedOnLayer : public ::testing::Test {
 protected:
  SearchResult search(const Mapper& mapper, const Asked& asked = {},
                      const OptionValues& options = {}) const {
    return run(mapper, evaluator_, SpaceKind::Perfect, restrictions_, asked, options);
  }

  Problem problem_ = testing::make_problem(make_gemm("gemm", 96, 64, 60),
                                           *io::load_architecture("toy_array").value);
  Evaluator evaluator_ = testing::make_evaluator(problem_);
  Restrictions restrictions_ = *Restrictions::create(problem_).value;
};

TEST_F(PublishedOnLayer, AllFindSomethingAndTheSameAgain) {
  for (const Mapper* mapper : published_mappers()) {
    const SearchResult once = search(*mapper), again = search(*mapper);
    ASSERT_TRUE(once.best) << mapper->name;
    EXPECT_EQ(once.best, again.best) << mapper->name;
    EXPECT_EQ(once.seen, again.seen) << mapper->name;
  }
}

TEST_F(PublishedOnLayer, KeepToLimits) {
  for (const Mapper* mapper : published_mappers()) {
    Asked asked;
    asked.evaluations = 10;
    const SearchResult few = search(*mapper, asked);
    EXPECT_EQ(few.seen, 10U) << mapper->name;
    EXPECT_EQ(few.stop, Stop::Evaluations) << mapper->name;
    asked = {};
    asked.seconds = 0;
    EXPECT_EQ(search(*mapper, asked).stop, Stop::Time) << mapper->name;
    const std::atomic<bool> cancelled = true;
    asked = {};
    asked.cancelled = &cancelled;
    EXPECT_EQ(search(*mapper, asked).stop, Stop::Cancelled) << mapper->name;
    asked = {};
    asked.target = 1e30;
    EXPECT_EQ(search(*mapper, asked).stop, Stop::Target) << mapper->name;
  }
}

TEST_F(PublishedOnLayer, SeedsChangeWhatIsDrawn) {
  for (const Mapper* mapper :
       {&salsa_mapper(), &timeloop_random_mapper(), &timeloop_hybrid_mapper()}) {
    OptionValues options;
    options.set("seed", std::int64_t{2});
    EXPECT_NE(search(*mapper).steps.front().score, search(*mapper, {}, options).steps.front().score)
        << mapper->name;
  }
}

// --- termination as Timeloop has it -------------------------------------------------

TEST_F(PublishedOnLayer, TimeloopEndsAfterSoManyThatAreNoBetter) {
  OptionValues options;
  options.set("victory-condition", std::int64_t{40});
  options.set("timeout", std::int64_t{0});
  const SearchResult result = search(timeloop_random_mapper(), {}, options);
  EXPECT_EQ(result.stop, Stop::Patience);
  EXPECT_EQ(result.valid - result.steps.back().valid, 40U);
}

// With no room for anything all mappings fail.
TEST(TimeloopSearches, EndAfterSoManyThatDoNotFit) {
  const Problem problem = testing::make_problem(
      make_gemm("gemm", 8, 8, 8),
      testing::make_arch({testing::make_memory("Outer"), testing::make_memory("Inner", 2)}));
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  OptionValues options;
  options.set("timeout", std::int64_t{30});
  for (const Mapper* mapper : {&timeloop_random_mapper(), &timeloop_linear_mapper()}) {
    const SearchResult result =
        run(*mapper, evaluator, SpaceKind::Perfect, restrictions, {}, options);
    EXPECT_EQ(result.stop, Stop::Patience) << mapper->name;
    EXPECT_EQ(result.seen, 30U) << mapper->name;
    EXPECT_FALSE(result.best) << mapper->name;
    std::uint64_t failed = 0;
    for (const Failure& failure : result.failures) failed += failure.count;
    EXPECT_EQ(failed, 30U) << mapper->name;
  }
}

// --- LOMA -----------------------------------------------------------------------------

// Without a limit of loops, every order is tried: all is what the widest unrolling allows.
TEST_F(PublishedOnLayer, LomaOrdersAsManyLoopsAsItIsTold) {
  OptionValues options;
  options.set("unrollings", std::int64_t{1});
  options.set("most-loops", std::int64_t{3});
  EXPECT_LE(search(loma_mapper(), {}, options).seen, 6U);
  options.set("most-loops", std::int64_t{6});
  const SearchResult more = search(loma_mapper(), {}, options);
  EXPECT_GT(more.seen, 60U);
  EXPECT_LE(more.seen, 720U);
  EXPECT_EQ(more.stop, Stop::Tried);
}

}  // namespace
}  // namespace tilewright
