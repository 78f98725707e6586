#include <gtest/gtest.h>

#include <set>

#include "support/naive_space.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

using testing::TestRng;

constexpr std::array<SpaceKind, 4> kKinds = {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT,
                                             SpaceKind::Ruby};

MapSpace make_space(const char* arch, const char* workload, SpaceKind kind) {
  const auto problem =
      Problem::create(*io::load_workload(workload).value, *io::load_architecture(arch).value);
  const auto restrictions = Restrictions::create(*problem.value);
  return *MapSpace::create(*problem.value, kind, *restrictions.value).value;
}

// The number of mappings that steps lead to, the first one included.
std::size_t reached_from(const MapSpace& space, const Mapping& first) {
  std::set<std::string> seen = {testing::mapping_text(first)};
  std::vector<Mapping> open = {first};
  while (!open.empty()) {
    const Mapping mapping = open.back();
    open.pop_back();
    for (const Mapping& next : neighbours(space, mapping)) {
      if (seen.insert(testing::mapping_text(next)).second) open.push_back(next);
    }
  }
  return seen.size();
}

TEST(Neighbours, AreOtherMappingsOfTheSpaceEachOnce) {
  TestRng rng(7);
  int some = 0;
  const int cases = testing::affordable(60);
  for (int i = 0; i < cases; ++i) {
    const testing::SmallSpace small = testing::random_small_space(rng);
    const auto restrictions = Restrictions::create(small.problem, small.constraints);
    ASSERT_TRUE(restrictions.ok());
    for (const SpaceKind kind : kKinds) {
      const auto space = MapSpace::create(small.problem, kind, *restrictions.value);
      if (!space.ok()) continue;
      const Mapping first = space.value->at(BigUint(0));
      std::set<std::string> texts;
      for (const Mapping& next : neighbours(*space.value, first)) {
        EXPECT_TRUE(space.value->contains(next)) << testing::mapping_text(next);
        EXPECT_NE(next, first);
        EXPECT_TRUE(texts.insert(testing::mapping_text(next)).second);
        ++some;
      }
    }
  }
  EXPECT_GT(some, 0);
}

TEST(Neighbours, LeadFromAnyMappingToAllOthers) {
  const MapSpace perfect = make_space("toy_array", "gemm: m=4 n=3 k=2", SpaceKind::Perfect);
  EXPECT_EQ(reached_from(perfect, perfect.at(BigUint(5))), *perfect.size().small());
  const MapSpace ruby = make_space("toy_linear", "O[X] += I[X]; X=17", SpaceKind::Ruby);
  EXPECT_EQ(reached_from(ruby, ruby.at(BigUint(0))), *ruby.size().small());
}

TEST(Neighbours, ADrawnOneIsAmongThemAndTheSameForTheSameSeed) {
  const MapSpace space = make_space("eyeriss", "gemm: m=16 n=12 k=8", SpaceKind::RubyS);
  const Mapping first = space.at(BigUint(1000));
  const std::vector<Mapping> all = neighbours(space, first);
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng once(seed), again(seed);
    const Mapping next = neighbour(space, first, once);
    EXPECT_TRUE(contains(all, next));
    EXPECT_EQ(next, neighbour(space, first, again));
    drawn.insert(testing::mapping_text(next));
  }
  EXPECT_GT(drawn.size(), 10U);
}

TEST(Neighbours, OfTheOnlyMappingThereAreNone) {
  const MapSpace space = make_space("toy_linear", "O[X] += I[X]; X=1", SpaceKind::Perfect);
  ASSERT_EQ(space.size(), BigUint(1));
  Rng rng(1);
  EXPECT_TRUE(neighbours(space, space.at(BigUint(0))).empty());
  EXPECT_EQ(neighbour(space, space.at(BigUint(0)), rng), space.at(BigUint(0)));
}

}  // namespace
}  // namespace tilewright
