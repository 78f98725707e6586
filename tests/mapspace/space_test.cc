#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/deadline.h"
#include "support/naive_space.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestRng;

constexpr std::array<SpaceKind, 4> kKinds = {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT,
                                             SpaceKind::Ruby};

MapSpace make_space(const Problem& problem, SpaceKind kind,
                    const std::vector<Constraint>& more = {}) {
  const auto restrictions = Restrictions::create(problem, more);
  EXPECT_TRUE(restrictions.ok());
  auto space = MapSpace::create(problem, kind, *restrictions.value);
  EXPECT_TRUE(space.ok()) << (space.problems.empty() ? "" : space.problems[0].message);
  return *space.value;
}

std::set<std::string> all_of(const MapSpace& space) {
  std::set<std::string> texts;
  for (BigUint i; i < space.size(); i += 1) texts.insert(testing::mapping_text(space.at(i)));
  return texts;
}

TEST(MapSpace, HasExactlyTheMappingsOfTheNaiveEnumeration) {
  TestRng rng(101);
  int empty = 0;
  int large = 0;
  const int cases = testing::affordable(120);
  for (int i = 0; i < cases; ++i) {
    const testing::SmallSpace small = testing::random_small_space(rng);
    const auto restrictions = Restrictions::create(small.problem, small.constraints);
    ASSERT_TRUE(restrictions.ok());
    for (const SpaceKind kind : kKinds) {
      const std::set<std::string> naive =
          testing::naive_mappings(small.problem, kind, small.constraints);
      const auto space = MapSpace::create(small.problem, kind, *restrictions.value);
      if (naive.empty()) {
        EXPECT_FALSE(space.ok()) << "case " << i << " " << to_string(kind);
        ++empty;
        continue;
      }
      ASSERT_TRUE(space.ok()) << "case " << i << " " << to_string(kind) << " "
                              << space.problems[0].message;
      ASSERT_EQ(space.value->size().to_string(), std::to_string(naive.size()))
          << "case " << i << " " << to_string(kind);
      if (naive.size() > 20'000) {
        ++large;
        continue;
      }
      EXPECT_EQ(all_of(*space.value), naive) << "case " << i << " " << to_string(kind);
    }
  }
  EXPECT_LT(empty, 2 * cases);
  EXPECT_LT(large, cases);
}

TEST(MapSpace, WalkGoesThroughTheIndicesInOrder) {
  TestRng rng(102);
  for (int i = 0; i < 40; ++i) {
    const testing::SmallSpace small = testing::random_small_space(rng);
    const auto restrictions = Restrictions::create(small.problem, small.constraints);
    const auto space = MapSpace::create(small.problem, SpaceKind::RubyS, *restrictions.value);
    if (!space.ok() || space.value->size() > BigUint(5000)) continue;
    for (const std::uint64_t parts : {1U, 3U}) {
      const auto begin_of = [&](std::uint64_t part) {
        BigUint begin = space.value->size() * BigUint(part);
        begin.divide(parts);
        return begin;
      };
      BigUint index;
      for (std::uint64_t part = 0; part < parts; ++part) {
        Walk walk(*space.value, begin_of(part), begin_of(part + 1));
        while (const Mapping* mapping = walk.next()) {
          ASSERT_EQ(*mapping, space.value->at(index));
          index += 1;
        }
      }
      EXPECT_EQ(index, space.value->size());
    }
  }
}

TEST(MapSpace, SkippingOrdersPassesOverMappingsThatDifferInOrderAlone) {
  const Problem problem = testing::two_level_gemm(4, 4, 4, 4);
  const MapSpace space = make_space(problem, SpaceKind::Perfect);
  Walk walk(space, 0, space.size());
  BigUint seen;
  std::set<std::string> tilings;
  while (const Mapping* mapping = walk.next()) {
    std::string bounds;
    for (int s = 0; s < problem.slot_count(); ++s) {
      for (int d = 0; d < 3; ++d) bounds += std::to_string(mapping->bound(s, DimId{d})) + " ";
    }
    EXPECT_TRUE(tilings.insert(bounds).second);
    seen += BigUint(1) + walk.skip_orders();
  }
  EXPECT_EQ(seen, space.size());
  EXPECT_EQ(space.measure().tilings, BigUint(tilings.size()));
}

TEST(MapSpace, EverySampleIsAMember) {
  TestRng rng(103);
  Rng draws(7);
  for (int i = 0; i < 60; ++i) {
    const testing::SmallSpace small = testing::random_small_space(rng);
    const auto restrictions = Restrictions::create(small.problem, small.constraints);
    for (const SpaceKind kind : kKinds) {
      const auto space = MapSpace::create(small.problem, kind, *restrictions.value);
      if (!space.ok()) continue;
      Sampler sampler(*space.value);
      for (int k = 0; k < 30; ++k) {
        EXPECT_THAT(space.value->why_not(sampler.draw(draws)), IsEmpty());
      }
    }
  }
}

// Chi-squared over the whole space; also for dimensions whose chains are too
// many to be listed.
void expect_uniform(const MapSpace& space, int per_mapping) {
  const auto size = static_cast<int>(*space.size().small());
  std::map<std::string, int> hits;
  Sampler sampler(space);
  Rng rng(99);
  for (int i = 0; i < per_mapping * size; ++i) ++hits[testing::mapping_text(sampler.draw(rng))];
  double chi_squared = 0;
  for (const auto& [text, count] : hits) {
    chi_squared += (count - per_mapping) * (count - per_mapping) / static_cast<double>(per_mapping);
  }
  chi_squared += (size - static_cast<int>(hits.size())) * per_mapping;
  // Mean size - 1, standard deviation sqrt(2 size).
  EXPECT_NEAR(chi_squared, size - 1, 5 * std::sqrt(2.0 * size));
}

TEST(MapSpace, SamplesAreUniform) {
  expect_uniform(make_space(testing::two_level_gemm(4, 2, 3, 4), SpaceKind::Perfect), 40);
  expect_uniform(make_space(testing::two_level_gemm(5, 3, 1, 4), SpaceKind::Ruby), 40);
  expect_uniform(make_space(testing::two_level_gemm(7, 2, 2, 3), SpaceKind::RubyS), 40);
}

TEST(MapSpace, SamplesOfLongChainsAreUniform) {
  // 100 000 in three slots: about a million chains, found by walking back. The
  // innermost bound of a uniform chain is 1 in the share that counting says.
  const Problem problem = testing::two_level_gemm(100'000, 1, 1, 9);
  const MapSpace space = make_space(problem, SpaceKind::Ruby);
  const std::vector<Constraint> first_is_one = {
      {"Inner", {}, FactorRule{"M", FactorRule::Relation::Equal, 1}, {}}};
  const MapSpace part = make_space(problem, SpaceKind::Ruby, first_is_one);
  const double share = part.size().value() / space.size().value();
  Sampler sampler(space);
  Rng rng(5);
  int hits = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const Mapping& mapping = sampler.draw(rng);
    hits += mapping.bound(problem.slot_count() - 1, DimId{0}) == 1 ? 1 : 0;
  }
  EXPECT_NEAR(hits / static_cast<double>(kDraws), share, 5 * std::sqrt(share / kDraws));
}

TEST(MapSpace, PerfectIsPartOfRubySAndRubyTAndThoseOfRuby) {
  TestRng rng(104);
  for (int i = 0; i < 40; ++i) {
    const testing::SmallSpace small = testing::random_small_space(rng);
    const auto restrictions = Restrictions::create(small.problem, small.constraints);
    const auto space_of = [&](SpaceKind kind) {
      return MapSpace::create(small.problem, kind, *restrictions.value);
    };
    const auto ruby = space_of(SpaceKind::Ruby);
    const std::vector<std::pair<SpaceKind, SpaceKind>> inside = {
        {SpaceKind::Perfect, SpaceKind::RubyS},
        {SpaceKind::Perfect, SpaceKind::RubyT},
        {SpaceKind::RubyS, SpaceKind::Ruby},
        {SpaceKind::RubyT, SpaceKind::Ruby}};
    for (const auto& [small_kind, large_kind] : inside) {
      const auto inner = space_of(small_kind);
      if (!inner.ok()) continue;
      const auto outer = space_of(large_kind);
      ASSERT_TRUE(outer.ok());
      EXPECT_LE(inner.value->size(), outer.value->size());
      Sampler sampler(*inner.value);
      Rng draws(static_cast<std::uint64_t>(i));
      for (int k = 0; k < 20; ++k) EXPECT_TRUE(outer.value->contains(sampler.draw(draws)));
    }
  }
}

// Ruby, Table I: one dimension, two memories, nine instances between them;
// the counts without duplicates.
TEST(MapSpace, CountsTableOneWithoutDuplicates) {
  const std::map<std::int64_t, std::array<int, 4>> expected = {{3, {3, 4, 5, 6}},
                                                               {64, {22, 42, 146, 232}},
                                                               {100, {24, 57, 228, 366}},
                                                               {1000, {52, 119, 2297, 3711}}};
  for (const auto& [size, counts] : expected) {
    const Problem problem = testing::two_level_gemm(size, 1, 1, 9);
    for (std::size_t k = 0; k < kKinds.size(); ++k) {
      EXPECT_EQ(make_space(problem, kKinds[k]).size(),
                BigUint(static_cast<std::uint64_t>(counts[k])))
          << size << " " << to_string(kKinds[k]);
    }
  }
}

// The example of docs/mapspaces.md.
TEST(MapSpace, CountsTheExampleOfTheDocumentation) {
  Memory inner = testing::make_memory("Inner");
  inner.free = {"weight"};
  const Problem problem = testing::make_problem(
      make_gemm("example", 6, 2, 1),
      testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Array", 4), inner}));
  const std::array<std::array<std::uint64_t, 3>, 4> expected = {
      {{8, 22, 64}, {10, 27, 80}, {12, 34, 100}, {14, 39, 116}}};
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    const SpaceSize size = make_space(problem, kKinds[k]).measure();
    EXPECT_THAT(size.chains, ElementsAre(expected[k][0], 3U, 1U));
    EXPECT_EQ(size.tilings, expected[k][1]);
    EXPECT_EQ(size.bypasses, 2U);
    EXPECT_EQ(size.total, expected[k][2]);
  }
  const std::vector<Constraint> most_of_it = {{"Array", {}, UseRule{{3, 4}}, {}}};
  EXPECT_EQ(make_space(problem, SpaceKind::Perfect, most_of_it).measure().tilings, 6U);
  EXPECT_EQ(make_space(problem, SpaceKind::RubyS, most_of_it).measure().tilings, 9U);
}

TEST(MapSpace, SizeIsTheProductOfItsPartsWhereNothingCouplesThem) {
  // No fan-out and a single dimension at each memory but the outermost.
  const MapSpace space = make_space(testing::two_level_gemm(8, 1, 1, 1), SpaceKind::Perfect);
  const SpaceSize size = space.measure();
  EXPECT_EQ(size.chains[0], BigUint(4));
  EXPECT_EQ(size.tilings, BigUint(4));
  EXPECT_EQ(size.total, BigUint(4));
  EXPECT_DOUBLE_EQ(size.orders(), 1);
}

TEST(MapSpace, NonMembersAreToldWhy) {
  const Problem problem = testing::two_level_gemm(6, 1, 1, 4);
  const MapSpace perfect = make_space(problem, SpaceKind::Perfect);
  Mapping mapping(problem);
  const int array_x = 2;
  mapping.set_bound(array_x, DimId{0}, 4);
  mapping.set_bound(0, DimId{0}, 2);
  EXPECT_THAT(perfect.why_not(mapping),
              ElementsAre(HasSubstr("4 of the 6 iterations left of M leave a remainder")));
  EXPECT_TRUE(make_space(problem, SpaceKind::RubyS).contains(mapping));
  EXPECT_FALSE(make_space(problem, SpaceKind::RubyT).contains(mapping));
}

TEST(MapSpace, IsNotCountedBeyondADeadline) {
  const Problem problem = testing::two_level_gemm(8, 8, 8, 4);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  const Deadline passed(0.0);
  const MadeSpace late = MapSpace::create(problem, SpaceKind::Ruby, restrictions, &passed);
  EXPECT_FALSE(late.ok());
  EXPECT_TRUE(late.too_large);
  EXPECT_EQ(to_string(late.problems.at(0)),
            "the time was up before the mappings of the space were counted");
  const Deadline far(1e9);
  EXPECT_TRUE(MapSpace::create(problem, SpaceKind::Ruby, restrictions, &far).ok());
}

}  // namespace
}  // namespace tilewright
