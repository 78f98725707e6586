// What a search gives back.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mappers/sampling/small_search.h"
#include "support/check_local_search.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using testing::check_local_search;
using testing::kObjectives;
using testing::kSpaceKinds;
using testing::LocalSearchReport;
using testing::make_evaluator;
using testing::slow_build;
using testing::SmallInstance;

Problem shipped_problem(const std::string& arch, const std::string& layer) {
  const Checked<Network> network = io::load_network("quickflow");
  return testing::make_problem(io::pick_layer(*network.value, layer).value->workload,
                               *io::load_architecture(arch).value);
}

TEST(LocalSearch, GivesTheSameWithAnyNumberOfThreads) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS}) {
    const Problem problem = shipped_problem("eyeriss", "XIII");
    const Evaluator evaluator = make_evaluator(problem);
    const Restrictions restrictions = *Restrictions::create(problem).value;
    Asked options;
    const SearchResult alone = search_locally(evaluator, kind, restrictions, options);
    ASSERT_TRUE(alone.best);
    for (const int threads : {1, 2, 3}) {
      options.threads = threads;
      const SearchResult again = search_locally(evaluator, kind, restrictions, options);
      EXPECT_TRUE(testing::same_result(alone, again)) << threads;
    }
  }
}

// Small ones end up at the optimum, as a rule.
TEST(LocalSearch, NeverBeatsTheOptimumAndMostlyFindsIt) {
  int feasible = 0;
  int optimal = 0;
  for (std::uint64_t seed = 0; seed < (slow_build() ? 12 : 60); ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    const Objective objective = kObjectives[seed % kObjectives.size()];
    const SmallInstance instance = testing::small_instance(seed, {.kind = kind});
    const LocalSearchReport report = check_local_search(instance, kind, objective);
    ASSERT_TRUE(report.failures.empty()) << "seed " << seed << ", " << report.failures;
    if (!report.optimum) continue;
    ++feasible;
    optimal += report.found && testing::same_value(*report.found, *report.optimum) ? 1 : 0;
  }
  EXPECT_GE(feasible, slow_build() ? 8 : 40);
  EXPECT_GE(4 * optimal, 3 * feasible) << optimal << " of " << feasible;
}

TEST(LocalSearch, ComesCloseToTheOptimaOfQuickFlowsKernels) {
  std::size_t turn = 0;
  for (const char* arch : {"eyeriss", "simba", "tpu_v1"}) {
    for (const char* layer : {"V", "I", "XI", "XIII", "XVI", "XVIII"}) {
      const Objective objective = kObjectives[turn++ % kObjectives.size()];
      if (slow_build() && turn % 6 != 0) continue;
      SCOPED_TRACE(std::string(arch) + " " + layer + " " + to_string(objective));
      const Problem problem = shipped_problem(arch, layer);
      const Evaluator evaluator = make_evaluator(problem);
      const Restrictions restrictions = *Restrictions::create(problem).value;
      Asked options;
      options.objective = objective;
      const SearchResult found =
          search_locally(evaluator, SpaceKind::Perfect, restrictions, options);
      ASSERT_TRUE(found.best);
      Asked proof;
      proof.objective = objective;
      const OptimalResult best = find_optimum(evaluator, SpaceKind::Perfect, restrictions, proof);
      const double ratio = value_of(objective, found.score) / value_of(objective, best.score);
      EXPECT_GE(ratio, 1 - 1e-12);
      EXPECT_LE(ratio, 1.05);
    }
  }
}

// The later of two rules that exclude each other counts as little as the earlier.
TEST(LocalSearch, FindsNothingWhereConstraintsContradictEachOther) {
  const Problem problem = testing::tight_problem(4, 4, 4, 40);
  const auto factor = [](std::int64_t value) {
    return Constraint{"Middle", {}, FactorRule{"M", FactorRule::Relation::Equal, value}, {}};
  };
  const auto restrictions = Restrictions::create(problem, {factor(2), factor(4)});
  ASSERT_FALSE(restrictions.value->contradictions().empty());
  const SearchResult result =
      search_locally(make_evaluator(problem), SpaceKind::Perfect, *restrictions.value, {});
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.seen, 0U);
}

TEST(LocalSearch, CountsWhatSeveralStartsMeetOnce) {
  const Problem problem = testing::tight_problem(24, 10, 9, 40);
  const Evaluator evaluator = make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  const MapSpace space = testing::make_space(problem, SpaceKind::RubyS);
  std::set<std::string> visited;
  QuickflowSettings settings;
  settings.on_visit = [&](const Mapping& mapping) {
    visited.insert(io::write_mapping(problem, mapping));
    ASSERT_TRUE(space.contains(mapping));
    ASSERT_TRUE(evaluator.score(mapping).verdict.fits());
  };
  const SearchResult result =
      search_locally(evaluator, SpaceKind::RubyS, restrictions, {}, settings);
  EXPECT_EQ(visited.size(), result.valid);
  EXPECT_LE(result.valid, result.seen);
}

}  // namespace
}  // namespace tilewright
