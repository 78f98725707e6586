// Where the first generation comes from.
#include "mappers/genetic/founders.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mappers/genetic/row_problem.h"
#include "mappers/sampling/small_search.h"
#include "support/brute_force.h"

namespace tilewright::genetic {
namespace {

using testing::kSpaceKinds;

TEST(Founders, AreManifoldAndInTheSpace) {
  const Problem problem = testing::tight_problem(24, 10, 9, 40);
  const Evaluator evaluator = testing::make_evaluator(problem);
  for (const SpaceKind kind : kSpaceKinds) {
    const MapSpace space = testing::make_space(problem, kind);
    const GeneSpace genes(problem, kind, space.restrictions());
    Founders founders(genes, evaluator, kind, space.restrictions());
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
  const GeneSpace genes(problem, SpaceKind::Perfect, full);
  Founders founders(genes, evaluator, SpaceKind::Perfect, full);
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
  const GeneSpace genes(problem, SpaceKind::Ruby, full);
  Founders founders(genes, evaluator, SpaceKind::Ruby, full);
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
