// Children that are scored with their neighbours.
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "mappers/sampling/small_search.h"
#include "support/asked.h"
#include "support/check_local_search.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using Brood = GeneticSettings::Brood;
using testing::affordable;
using testing::kObjectives;
using testing::kSpaceKinds;
using testing::make_evaluator;
using testing::slow_build;
using testing::SmallInstance;

constexpr Brood kBroods[] = {Brood::Orders, Brood::Factors};

Problem layer_on(const char* arch, const char* layer) {
  return testing::make_problem(
      io::pick_layer(*io::load_network("resnet50").value, layer).value->workload,
      *io::load_architecture(arch).value);
}

// What a search was seen to score.
struct Seen {
  std::uint64_t all = 0, valid = 0;
  std::optional<Score> best;
};

// Every mapping that counts is one of the space, and the best of them is what the search gives.
TEST(GeneticBroods, AreOfTheSpaceAndScoredAsTheEvaluatorDoes) {
  std::uint64_t visits = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(affordable(200)); ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    const Objective objective = kObjectives[seed / 2 % kObjectives.size()];
    const SmallInstance instance = testing::small_instance(seed, {.kind = kind});
    const Restrictions restrictions = testing::restrictions_of(instance);
    const MadeSpace space = MapSpace::create(instance.problem, kind, restrictions);
    const Evaluator evaluator = make_evaluator(instance.problem);
    Seen seen;
    GeneticSettings settings;
    settings.population = 12;
    settings.generations = 3;
    settings.brood = kBroods[seed % 2];
    settings.on_visit = [&](const Mapping& mapping) {
      ++seen.all;
      ASSERT_TRUE(space.ok());
      ASSERT_TRUE(space.value->contains(canonical(instance.problem, mapping)))
          << "seed " << seed << "\n"
          << testing::text_of(instance);
      const Score score = evaluator.score(mapping);
      if (!score.verdict.fits()) return;
      ++seen.valid;
      if (!seen.best || is_better(objective, score, *seen.best)) seen.best = score;
    };
    Asked asked;
    asked.objective = objective;
    const SearchResult result = search_genetically(evaluator, kind, restrictions, asked, settings);
    if (HasFatalFailure()) return;
    ASSERT_EQ(result.seen, seen.all);
    ASSERT_EQ(result.valid, seen.valid);
    ASSERT_EQ(result.best.has_value(), seen.best.has_value());
    visits += seen.all;
    if (!result.best) continue;
    EXPECT_EQ(result.score, *seen.best) << "seed " << seed;
    EXPECT_EQ(evaluator.score(*result.best), result.score);
    EXPECT_LE(result.steps.back().seen, result.seen);
  }
  EXPECT_GE(visits, static_cast<std::uint64_t>(affordable(10'000)));
}

class GeneticBroodsOfALayer : public ::testing::TestWithParam<Brood> {
 protected:
  SearchResult run(const Asked& asked = {}, SpaceKind kind = SpaceKind::Perfect) const {
    return search_genetically(evaluator_, kind, restrictions_, asked, settings_);
  }

  GeneticSettings settings_ = [] {
    GeneticSettings settings;
    settings.brood = GetParam();
    settings.generations = slow_build() ? 5 : 20;
    return settings;
  }();
  Problem problem_ = layer_on("eyeriss", "conv2_1b");
  Evaluator evaluator_ = make_evaluator(problem_);
  Restrictions restrictions_ = *Restrictions::create(problem_).value;
};

INSTANTIATE_TEST_SUITE_P(Kinds, GeneticBroodsOfALayer, ::testing::ValuesIn(kBroods),
                         [](const auto& of) {
                           return std::string(of.param == Brood::Orders ? "orders" : "factors");
                         });

TEST_P(GeneticBroodsOfALayer, KeepToALimitOfEvaluations) {
  for (const std::uint64_t limit : {1U, 2U, 5U, 101U, 1000U, 1001U}) {
    Asked asked;
    asked.evaluations = limit;
    const SearchResult result = run(asked);
    EXPECT_EQ(result.seen, limit);
    EXPECT_EQ(result.stop, SearchResult::Stop::Evaluations);
  }
}

TEST_P(GeneticBroodsOfALayer, HaveSeveralMappingsForEachChild) {
  settings_.on_visit = nullptr;
  const SearchResult result = run();
  const std::uint64_t children = 100 + static_cast<std::uint64_t>(settings_.generations) * 95;
  EXPECT_GT(result.seen, (GetParam() == Brood::Orders ? 3 : 8) * children);
  EXPECT_EQ(result.stop, SearchResult::Stop::Generations);
}

TEST_P(GeneticBroodsOfALayer, GiveTheSameWithAnyNumberOfThreads) {
  const SearchResult alone = run();
  Asked asked;
  asked.threads = 3;
  EXPECT_TRUE(testing::same_result(alone, run(asked)));
  settings_.seed = 2;
  EXPECT_FALSE(testing::same_result(alone, run(asked)));
}

// On-lookers change nothing.
TEST_P(GeneticBroodsOfALayer, AreTheSameIfTheyAreVisited) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS}) {
    const SearchResult unseen = run({}, kind);
    std::uint64_t visits = 0;
    settings_.on_visit = [&](const Mapping&) { ++visits; };
    const SearchResult seen = run({}, kind);
    settings_.on_visit = nullptr;
    EXPECT_TRUE(testing::same_result(unseen, seen));
    EXPECT_EQ(visits, seen.seen);
  }
}

// A move by one factor is what a child of plain parents often lacks.
TEST(GeneticBroods, FindOptimaOfLayersWithFewerChildren) {
  for (const char* layer : {"conv2_1b", "conv4_1a"}) {
    const Problem problem = layer_on("eyeriss", layer);
    const Evaluator evaluator = make_evaluator(problem);
    const Restrictions restrictions = *Restrictions::create(problem).value;
    const OptimalResult best = find_optimum(evaluator, SpaceKind::Perfect, restrictions, {});
    GeneticSettings settings;
    settings.brood = Brood::Factors;
    settings.generations = 50;
    const SearchResult found =
        search_genetically(evaluator, SpaceKind::Perfect, restrictions, {}, settings);
    ASSERT_TRUE(found.best);
    EXPECT_GE(found.score.edp(), best.score.edp() * (1 - 1e-12)) << layer;
    EXPECT_LE(found.score.edp(), best.score.edp() * 1.01) << layer;
  }
}

}  // namespace
}  // namespace tilewright
