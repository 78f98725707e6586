// What operators make of a mapping stays in the map-space.
#include "mappers/genetic/operators.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>

#include "mappers/genetic/founders.h"
#include "mappers/genetic/row_problem.h"
#include "mappers/sampling/small_search.h"
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
  std::function<void(const GeneSpace&, const Mapping& other, Rng&, Mapping& child)> apply;
};

auto alone(void (*apply)(const GeneSpace&, Rng&, Mapping&)) {
  return [apply](const GeneSpace& genes, const Mapping& /*other*/, Rng& rng, Mapping& child) {
    apply(genes, rng, child);
  };
}

const std::array<Operator, 7> kOperators = {{{"crossover", cross_tiles},
                                             {"reorder", alone(reorder)},
                                             {"tile", alone(mutate_tile)},
                                             {"parallel", alone(mutate_parallel)},
                                             {"growth", alone(grow)},
                                             {"aging", alone(age)},
                                             {"residence", alone(mutate_residence)}}};

// A walk of many steps through the space, by one operator after the other; where
// to does not matter, but that no step leads outside. How often each did something
// is counted.
void walk(const MapSpace& space, std::uint64_t seed, std::map<std::string, int>& changes) {
  const GeneSpace genes(space.problem(), space.kind(), space.restrictions());
  Sampler sampler(space);
  Rng rng(seed);
  Mapping child = sampler.draw(rng);
  shuffle_orders(genes, rng, child);
  ASSERT_TRUE(space.contains(canonical(space.problem(), child)));
  for (int step = 0; step < 70; ++step) {
    const Operator& one = kOperators[static_cast<std::size_t>(step) % kOperators.size()];
    const Mapping before = child;
    const Mapping other = sampler.draw(rng);
    one.apply(genes, other, rng, child);
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
  const GeneSpace genes(problem, SpaceKind::Perfect, restrictions);
  const int row = genes.parallel_slots().front();
  Founders founders(genes, testing::make_evaluator(problem), SpaceKind::Perfect, restrictions);
  int grown = 0;
  int folded = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    Mapping child(problem);
    founders.draw(rng, child);
    const std::int64_t before = genes.used(row, child);
    Mapping more = child;
    grow(genes, rng, more);
    EXPECT_GE(genes.used(row, more), before);
    grown += genes.used(row, more) > before ? 1 : 0;
    Mapping less = child;
    age(genes, rng, less);
    EXPECT_LE(genes.used(row, less), before);
    folded += genes.used(row, less) < before ? 1 : 0;
  }
  EXPECT_GE(grown, 10);
  EXPECT_GE(folded, 50);
}

TEST(GeneticOperators, DimensionsOfTwoAxesChangePlaces) {
  const Problem problem = testing::make_problem(
      make_gemm("gemm", 12, 8, 6),
      testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Array", 6, 6),
                          testing::make_memory("Inner")}));
  const Restrictions restrictions = *Restrictions::create(problem).value;
  const GeneSpace genes(problem, SpaceKind::Perfect, restrictions);
  using Loops = std::vector<testing::LoopSpec>;
  const auto with = [&](const Loops& x, const Loops& y) {
    Mapping mapping(problem);
    testing::set_loops(problem, mapping, "Outer", {{"M", 2}, {"N", 2}, {"K", 6}});
    testing::set_loops(problem, mapping, "Array.x", x);
    testing::set_loops(problem, mapping, "Array.y", y);
    return mapping;
  };
  const Mapping before = with({{"M", 6}}, {{"N", 4}});
  const Mapping swapped = with({{"N", 4}}, {{"M", 6}});
  int swaps = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed);
    Mapping child = before;
    mutate_parallel(genes, rng, child);
    swaps += child == swapped ? 1 : 0;
  }
  EXPECT_GE(swaps, 40);
}

}  // namespace
}  // namespace tilewright::genetic
