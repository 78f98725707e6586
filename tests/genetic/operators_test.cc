// What operators make of a mapping stays in the map-space.
#include "genetic/operators.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>

#include "genetic/founders.h"
#include "search/small_search.h"
#include "support/brute_force.h"
#include "support/slow_build.h"
#include "support/small_instance.h"

namespace tilewright::genetic {
namespace {

using testing::affordable;
using testing::kSpaceKinds;
using testing::SmallInstance;

struct Operator {
  const char* name;
  std::function<void(const Habitat&, const Mapping& other, Rng&, Mapping& child)> apply;
};

template <void (*apply)(const Habitat&, Rng&, Mapping&)>
void alone(const Habitat& habitat, const Mapping& /*other*/, Rng& rng, Mapping& child) {
  apply(habitat, rng, child);
}

const std::array<Operator, 7> kOperators = {{{"crossover", cross_tiles},
                                             {"reorder", alone<reorder>},
                                             {"tile", alone<mutate_tile>},
                                             {"parallel", alone<mutate_parallel>},
                                             {"growth", alone<grow>},
                                             {"aging", alone<age>},
                                             {"residence", alone<mutate_residence>}}};

// A walk of many steps through the space, by one operator after the other; where
// to does not matter, but that no step leads outside. How often each did something
// is counted.
void walk(const MapSpace& space, std::uint64_t seed, std::map<std::string, int>& changes) {
  const Habitat habitat(space.problem(), space.kind(), space.restrictions());
  Sampler sampler(space);
  Rng rng(seed);
  Mapping child = sampler.draw(rng);
  shuffle_orders(habitat, rng, child);
  ASSERT_TRUE(space.contains(canonical(space.problem(), child)));
  for (int step = 0; step < 70; ++step) {
    const Operator& one = kOperators[static_cast<std::size_t>(step) % kOperators.size()];
    const Mapping before = child;
    const Mapping other = sampler.draw(rng);
    one.apply(habitat, other, rng, child);
    changes[one.name] += child == before ? 0 : 1;
    for (const std::string& why : space.why_not(canonical(space.problem(), child))) {
      FAIL() << one.name << ", step " << step << ": " << why;
    }
  }
}

TEST(GeneticOperators, StayInTheSpace) {
  std::map<std::string, int> changes;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(affordable(400)); ++seed) {
    const SpaceKind kind = kSpaceKinds[seed % kSpaceKinds.size()];
    const SmallInstance instance = testing::small_instance(seed, {.kind = kind});
    Restrictions restrictions = testing::restrictions_of(instance);
    if (seed % 3 == 0) restrictions.exclude_misfits(instance.problem);
    const MadeSpace space = MapSpace::create(instance.problem, kind, restrictions);
    if (!space.ok()) continue;
    walk(*space.value, seed, changes);
    if (::testing::Test::HasFatalFailure()) {
      FAIL() << "seed " << seed << "\n" << testing::text_of(instance);
    }
  }
  for (const Operator& one : kOperators) EXPECT_GE(changes[one.name], 20) << one.name;
}

// A row of 8 that must be full, and only M and N can fill it.
Problem row_problem() {
  return testing::make_problem(
      testing::kSlowBuild ? make_gemm("gemm", 8, 8, 6) : make_gemm("gemm", 16, 16, 6),
      testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Array", 8),
                          testing::make_memory("Inner")}));
}

TEST(GeneticOperators, KeepAFanoutAsFullAsAConstraintWants) {
  const Problem problem = row_problem();
  const Restrictions full =
      *Restrictions::create(problem, {{"Array", {}, UseRule{{1, 1}}, {}}}).value;
  const MadeSpace space = MapSpace::create(problem, SpaceKind::Perfect, full);
  ASSERT_TRUE(space.ok());
  std::map<std::string, int> changes;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    walk(*space.value, seed, changes);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(changes["parallel"], 20);  // one dimension takes the other's place
  EXPECT_GE(changes["crossover"], 20);
  EXPECT_EQ(changes["growth"], 0);
  EXPECT_EQ(changes["aging"], 0);
}

TEST(GeneticOperators, GrowthUnrollsAndAgingFolds) {
  const Problem problem = row_problem();
  const Restrictions restrictions = *Restrictions::create(problem).value;
  const Habitat habitat(problem, SpaceKind::Perfect, restrictions);
  const int row = habitat.parallel_slots().front();
  Founders founders(habitat, testing::make_evaluator(problem), SpaceKind::Perfect, restrictions);
  int grown = 0;
  int folded = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    Mapping child(problem);
    founders.draw(rng, child);
    const std::int64_t before = habitat.used(row, child);
    Mapping more = child;
    grow(habitat, rng, more);
    EXPECT_GE(habitat.used(row, more), before);
    grown += habitat.used(row, more) > before ? 1 : 0;
    Mapping less = child;
    age(habitat, rng, less);
    EXPECT_LE(habitat.used(row, less), before);
    folded += habitat.used(row, less) < before ? 1 : 0;
  }
  EXPECT_GE(grown, 10);
  EXPECT_GE(folded, 50);
}

// --- founders -------------------------------------------------------------------------

TEST(Founders, AreManifoldAndInTheSpace) {
  const Problem problem = testing::tight_problem(24, 10, 9, 40);
  const Evaluator evaluator = testing::make_evaluator(problem);
  for (const SpaceKind kind : kSpaceKinds) {
    const MapSpace space = testing::make_space(problem, kind);
    const Habitat habitat(problem, kind, space.restrictions());
    Founders founders(habitat, evaluator, kind, space.restrictions());
    ASSERT_TRUE(founders.exist());
    std::vector<Mapping> drawn;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Rng rng(seed);
      Mapping founder(problem);
      founders.draw(rng, founder);
      ASSERT_TRUE(space.contains(canonical(problem, founder))) << to_string(kind);
      if (std::find(drawn.begin(), drawn.end(), founder) == drawn.end()) drawn.push_back(founder);
    }
    EXPECT_GE(drawn.size(), 95U);
  }
}

// Loops as far outside as they can be leave the array empty.
TEST(Founders, AreSamplesWhereAllLoopsOutsideAreNotInTheSpace) {
  const Problem problem = row_problem();
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions full =
      *Restrictions::create(problem, {{"Array", {}, UseRule{{1, 1}}, {}}}).value;
  const MadeSpace space = MapSpace::create(problem, SpaceKind::Perfect, full);
  const Habitat habitat(problem, SpaceKind::Perfect, full);
  Founders founders(habitat, evaluator, SpaceKind::Perfect, full);
  ASSERT_TRUE(founders.exist());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Mapping founder(problem);
    founders.draw(rng, founder);
    EXPECT_TRUE(space.value->contains(canonical(problem, founder)));
  }
}

TEST(Founders, AreRelativesOfQuickflowsFirstWhereTheSpaceCannotBeCounted) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 23U;
  const Problem problem = testing::make_problem(
      make_gemm("gemm", kHuge, 16, 2),
      testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Array", kHuge),
                          testing::make_memory("Inner", 1000)}));
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions full =
      *Restrictions::create(problem, {{"Array", {}, UseRule{{1, 1}}, {}}}).value;
  ASSERT_TRUE(MapSpace::create(problem, SpaceKind::Ruby, full).too_large);
  const Habitat habitat(problem, SpaceKind::Ruby, full);
  Founders founders(habitat, evaluator, SpaceKind::Ruby, full);
  ASSERT_TRUE(founders.exist());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Mapping founder(problem);
    founders.draw(rng, founder);
    EXPECT_EQ(structural_problems(problem, founder), std::vector<std::string>());
    EXPECT_EQ(full.broken_by(problem, founder), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace tilewright::genetic
