// The number of threads changes no answer.
#include <gtest/gtest.h>

#include "threaded/some_work.h"
#include "tilewright/certificate.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

TEST(NumberOfThreads, ChangesNoMapping) {
  for (const Mapper* mapper :
       {find_mapper("optimal"), find_mapper("quickflow"), find_mapper("genetic"),
        find_mapper("random"), find_mapper("exhaustive")}) {
    SCOPED_TRACE(std::string(mapper->name));
    MapOptions options;
    options.mapper = mapper;
    options.space = SpaceKind::RubyS;
    options.mapper_options.set("population", std::int64_t{10});
    options.mapper_options.set("generations", std::int64_t{10});
    if (mapper == find_mapper("random")) options.limits.evaluations = 20'000;
    const auto run = [&](int threads, bool reports) {
      options.limits.threads = threads;
      options.limits.on_progress = {};
      if (reports) options.limits.on_progress = [](const SearchProgress&) {};
      return map_workload(testing::short_work(), testing::small_arch(), options).search;
    };
    const SearchResult alone = run(1, false);
    ASSERT_TRUE(alone.best);
    for (const int threads : {2, 4}) {
      for (const bool reports : {false, true}) {
        const SearchResult together = run(threads, reports);
        EXPECT_EQ(together.best, alone.best) << threads;
        EXPECT_EQ(together.score, alone.score) << threads;
        EXPECT_EQ(together.seen, alone.seen) << threads;
      }
    }
  }
}

TEST(NumberOfThreads, ChangesNoStudy) {
  const auto run = [](int threads) {
    StudyOptions options = usual_study();
    options.threads = threads;
    return compare(testing::some_variants(), {testing::small_network()}, testing::flexible_arch(),
                   options);
  };
  const Comparison alone = run(1), together = run(4);
  for (std::size_t v = 0; v < alone.trials.size(); ++v) {
    EXPECT_EQ(alone.trials[v].at(0).total, together.trials[v].at(0).total);
  }
}

TEST(NumberOfThreads, ChangesNoProof) {
  const Problem problem = testing::make_problem(testing::short_work(), testing::small_arch());
  const MapOutcome best = map_workload(testing::short_work(), testing::small_arch(), {});
  certificate::Claim claim{problem, SpaceKind::Perfect, {}, Objective::Edp, *best.search.best, {}};
  const certificate::Certificate alone = certificate::prove(claim).certificate.value();
  claim.threads = 4;
  EXPECT_EQ(certificate::prove(claim).certificate, alone);
  EXPECT_TRUE(certificate::check(alone, 4).problems.empty());
  // Frames that are not closed as it says: the first of them is named.
  certificate::Certificate wrong = alone;
  wrong.bound = wrong.value = "1";
  EXPECT_EQ(certificate::check(wrong, 4).problems, certificate::check(wrong, 1).problems);
}

}  // namespace
}  // namespace tilewright
