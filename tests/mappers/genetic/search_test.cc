// What a genetic search gives back.
#include <gtest/gtest.h>

#include <algorithm>

#include "mappers/sampling/small_search.h"
#include "support/asked.h"
#include "support/check_local_search.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using testing::affordable;
using testing::kObjectives;
using testing::kSpaceKinds;
using testing::LocalSearchReport;
using testing::make_evaluator;
using testing::slow_build;
using testing::SmallInstance;

Problem shipped_problem(const std::string& arch, const std::string& layer) {
  const Checked<Network> network = io::load_network("resnet50");
  return testing::make_problem(io::pick_layer(*network.value, layer).value->workload,
                               *io::load_architecture(arch).value);
}

TEST(GeneticSearch, EvaluatesNothingOutsideTheSpace) {
  std::uint64_t visits = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(affordable(200)); ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    const SmallInstance instance = testing::small_instance(seed, {.kind = kind});
    const Restrictions restrictions = testing::restrictions_of(instance);
    const MadeSpace space = MapSpace::create(instance.problem, kind, restrictions);
    GeneticSettings settings;
    settings.population = 20;
    settings.generations = 4;
    settings.on_visit = [&](const Mapping& mapping) {
      ++visits;
      ASSERT_TRUE(space.ok());
      ASSERT_TRUE(space.value->contains(canonical(instance.problem, mapping)))
          << "seed " << seed << "\n"
          << testing::text_of(instance);
    };
    const Evaluator evaluator = make_evaluator(instance.problem);
    search_genetically(evaluator, kind, restrictions, {}, settings);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(visits, static_cast<std::uint64_t>(affordable(10'000)));
}

// GAMMA's combination of search and model comes up with mappings that do more
// multiplications in a cycle than there are multipliers.
TEST(GeneticSearch, NeverUsesMoreMultipliersThanThereAre) {
  for (const char* arch : {"eyeriss", "simba", "ruby_eyeriss_14x12"}) {
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
      const Problem problem = shipped_problem(arch, "conv2_1b");
      const Evaluator evaluator = make_evaluator(problem);
      const Architecture& hardware = problem.arch();
      const std::int64_t instances =
          physical_instances(hardware, LevelId{hardware.level_count() - 1});
      const Int128 macs = multiply_accumulates(problem.workload());
      GeneticSettings settings;
      settings.generations = slow_build() ? 2 : 20;
      settings.on_visit = [&](const Mapping& mapping) {
        const Evaluation evaluation = evaluator.evaluate(mapping);
        EXPECT_LE(evaluation.compute_instances, instances);
        EXPECT_GE(evaluation.compute_cycles * instances * hardware.compute().macs, macs);
      };
      Asked options;
      options.objective = Objective::Latency;
      const SearchResult result = search_genetically(
          evaluator, kind, *Restrictions::create(problem).value, options, settings);
      EXPECT_TRUE(result.best);
    }
  }
}

TEST(GeneticSearch, NeverBeatsTheOptimumAndNearlyAlwaysFindsIt) {
  int feasible = 0;
  int optimal = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(testing::affordable(120));
       ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    const Objective objective = kObjectives[seed % kObjectives.size()];
    const SmallInstance instance = testing::small_instance(seed, {.kind = kind});
    GeneticSettings settings;
    settings.seed = seed;
    const LocalSearchReport report = testing::check_search(
        instance, kind, objective,
        [&](const auto&... asked) { return search_genetically(asked..., settings); });
    ASSERT_TRUE(report.failures.empty()) << "seed " << seed << ", " << report.failures;
    if (!report.optimum) continue;
    ++feasible;
    optimal += report.found && testing::same_value(*report.found, *report.optimum) ? 1 : 0;
  }
  EXPECT_GE(feasible, testing::enough(80));
  EXPECT_GE(20 * optimal, 19 * feasible) << optimal << " of " << feasible;
}

TEST(GeneticSearch, ComesCloseToTheOptimaOfLayers) {
  for (const char* arch : {"eyeriss", "simba"}) {
    for (const char* layer : {"conv1", "conv2_1b", "conv4_1a", "fc"}) {
      if (slow_build() && *layer != '3') continue;
      SCOPED_TRACE(std::string(arch) + " " + layer);
      const Problem problem = shipped_problem(arch, layer);
      const Evaluator evaluator = make_evaluator(problem);
      const Restrictions restrictions = *Restrictions::create(problem).value;
      const SearchResult found =
          search_genetically(evaluator, SpaceKind::Perfect, restrictions, {}, {});
      ASSERT_TRUE(found.best);
      const OptimalResult best = find_optimum(evaluator, SpaceKind::Perfect, restrictions, {});
      EXPECT_GE(found.score.edp(), best.score.edp() * (1 - 1e-12));
      EXPECT_LE(found.score.edp(), best.score.edp() * 1.2);
    }
  }
}

TEST(GeneticSearch, GivesTheSameWithAnyNumberOfThreads) {
  const Problem problem = shipped_problem("eyeriss", "conv2_1b");
  const Evaluator evaluator = make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  GeneticSettings settings;
  settings.generations = 20;
  Asked options;
  const auto run = [&] {
    return search_genetically(evaluator, SpaceKind::RubyS, restrictions, options, settings);
  };
  const SearchResult alone = run();
  ASSERT_TRUE(alone.best);
  for (const int threads : {1, 2, 3}) {
    options.threads = threads;
    EXPECT_TRUE(testing::same_result(alone, run())) << threads;
  }
  settings.seed = 2;
  EXPECT_FALSE(testing::same_result(alone, run()));
}

TEST(GeneticSearch, ChildrenHaveTwoParents) {
  const Problem problem = shipped_problem("eyeriss", "conv2_1b");
  std::vector<Mapping> founders;
  int crossed = 0;
  const auto has_chain = [](const Mapping& founder, const Mapping& child, DimId dim) {
    for (int s = 0; s < child.slot_count(); ++s) {
      if (founder.bound(s, dim) != child.bound(s, dim)) return false;
    }
    return true;
  };
  GeneticSettings settings;
  settings.generations = 1;
  settings.rates = {.crossover = 1,
                    .reorder = 0,
                    .tile = 0,
                    .parallel = 0,
                    .growth = 0,
                    .aging = 0,
                    .residence = 0};
  settings.on_visit = [&](const Mapping& mapping) {
    if (founders.size() < 100) {
      founders.push_back(mapping);
      return;
    }
    bool all_chains_known = true;
    bool is_founder = false;
    for (int d = 0; d < mapping.dim_count(); ++d) {
      all_chains_known = all_chains_known &&
                         std::any_of(founders.begin(), founders.end(), [&](const Mapping& one) {
                           return has_chain(one, mapping, DimId{d});
                         });
    }
    for (const Mapping& one : founders) is_founder = is_founder || one == mapping;
    crossed += all_chains_known && !is_founder ? 1 : 0;
  };
  search_genetically(make_evaluator(problem), SpaceKind::Perfect,
                     *Restrictions::create(problem).value, {}, settings);
  EXPECT_GE(crossed, 60);
}

// Of those that do the same one lives on.
TEST(GeneticSearch, KeepsNoDuplicates) {
  const Problem problem = testing::tight_problem(1, 1, 1, 40);
  const Restrictions restrictions =
      *Restrictions::create(problem, {{"Middle", {}, ResidenceRule{{"weight"}, {}}, {}}}).value;
  GeneticSettings settings;
  settings.population = 10;
  settings.generations = 3;
  settings.elite = 0.4;
  const SearchResult result =
      search_genetically(make_evaluator(problem), SpaceKind::Perfect, restrictions, {}, settings);
  EXPECT_EQ(result.seen, 10U + 3U * (10U - 1U));
}

// --- populations that cannot live --------------------------------------------------------

// Most tiles are too large for some memory, though no dimension alone shows it.
Problem crowded_problem() {
  std::vector<Level> levels = {testing::make_memory("Outer")};
  for (int i = 0; i < 6; ++i) {
    levels.emplace_back(testing::make_memory("Inner" + std::to_string(i), 256));
  }
  return testing::make_problem(make_gemm("gemm", 4096, 4096, 4096),
                               testing::make_arch(std::move(levels)));
}

TEST(GeneticSearch, FindsItsWayToWhatFits) {
  const Problem problem = crowded_problem();
  const Evaluator evaluator = make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  int barren = 0;
  int saved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    GeneticSettings settings;
    settings.population = 6;
    settings.seed = seed;
    const auto is_found = [&](int generations) {
      settings.generations = generations;
      return search_genetically(evaluator, SpaceKind::Perfect, restrictions, {}, settings)
          .best.has_value();
    };
    if (is_found(0)) continue;
    ++barren;
    saved += is_found(50) ? 1 : 0;
  }
  EXPECT_GE(barren, 10);
  EXPECT_GE(5 * saved, 4 * barren) << saved << " of " << barren;
}

TEST(GeneticSearch, FindsNothingWhereNothingFits) {
  const Problem problem = testing::tight_problem(4, 4, 4, 2);  // a word less than it takes
  const Restrictions restrictions =
      *Restrictions::create(problem, {{"Middle", {}, ResidenceRule{{"weight"}, {}}, {}}}).value;
  const SearchResult result =
      search_genetically(make_evaluator(problem), SpaceKind::Perfect, restrictions, {});
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.valid, 0U);
  EXPECT_GT(result.seen, 0U);
  EXPECT_EQ(result.stop, SearchResult::Stop::Generations);
}

TEST(GeneticSearch, FindsNothingWhereConstraintsContradictEachOther) {
  const Problem problem = testing::tight_problem(4, 4, 4, 40);
  const auto factor = [](std::int64_t value) {
    return Constraint{"Middle", {}, FactorRule{"M", FactorRule::Relation::Equal, value}, {}};
  };
  const auto restrictions = Restrictions::create(problem, {factor(2), factor(4)});
  const SearchResult result =
      search_genetically(make_evaluator(problem), SpaceKind::Perfect, *restrictions.value, {});
  EXPECT_FALSE(result.best);
  EXPECT_EQ(result.seen, 0U);
}

}  // namespace
}  // namespace tilewright
