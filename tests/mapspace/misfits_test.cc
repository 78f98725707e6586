#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/naive_space.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;
using testing::make_arch;
using testing::make_fanout;
using testing::make_memory;
using testing::make_problem;
using testing::TestRng;

// Small memories everywhere; capacities in words and bits, shares, halves.
Problem random_tight_problem(TestRng& rng) {
  Memory buffer = make_memory("Buffer", rng.between(6, 30));
  if (rng.chance(30)) buffer.capacity = {Capacity::Unit::Bits, rng.between(60, 300)};
  buffer.word_bits = rng.chance(50) ? 1 : 16;
  buffer.double_buffered = rng.chance(30);
  if (rng.chance(30)) buffer.partitions["weight"] = {Capacity::Unit::Words, rng.between(1, 8)};
  Memory registers = make_memory("Registers", rng.between(3, 8));
  if (rng.chance(40)) registers.free = {"input"};
  if (rng.chance(30)) registers.keep = TensorNames{"output"};
  const std::int64_t width = rng.between(1, 3);
  const std::int64_t p = rng.between(1, 4);
  const std::int64_t c = rng.between(1, 5);
  const Workload workload =
      rng.chance(50) ? make_gemm("gemm", rng.between(1, 6), p, c)
                     : make_conv2d("conv", {.in_channels = c, .out_channels = 2, .p = p, .r = 2});
  return make_problem(
      workload, make_arch({make_memory("DRAM"), buffer, make_fanout("Array", width), registers}));
}

std::set<std::string> fitting(const MapSpace& space, const Evaluator& evaluator) {
  std::set<std::string> texts;
  Walk walk(space, 0, space.size());
  while (const Mapping* mapping = walk.next()) {
    if (evaluator.score(*mapping).verdict.fits()) texts.insert(testing::mapping_text(*mapping));
  }
  return texts;
}

TEST(ExcludeMisfits, LeavesOutNothingThatFits) {
  TestRng rng(301);
  int smaller = 0;
  const int cases = testing::slow_build() ? 10 : 40;
  for (int i = 0; i < cases; ++i) {
    const Problem problem = random_tight_problem(rng);
    const Evaluator evaluator = testing::make_evaluator(problem);
    const auto all = Restrictions::create(problem);
    Restrictions fewer = *all.value;
    fewer.exclude_misfits(problem);
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
      const auto whole = MapSpace::create(problem, kind, *all.value);
      ASSERT_TRUE(whole.ok());
      if (whole.value->size() > BigUint(4'000)) continue;
      const auto part = MapSpace::create(problem, kind, fewer);
      const std::set<std::string> expected = fitting(*whole.value, evaluator);
      if (!part.ok()) {
        EXPECT_TRUE(expected.empty());
        continue;
      }
      EXPECT_EQ(fitting(*part.value, evaluator), expected) << "case " << i;
      // Membership and counting agree on what is left out.
      BigUint members;
      Walk walk(*whole.value, 0, whole.value->size());
      while (const Mapping* mapping = walk.next()) {
        if (part.value->contains(*mapping)) members += 1;
      }
      EXPECT_EQ(members, part.value->size()) << "case " << i;
      if (part.value->size() < whole.value->size()) ++smaller;
    }
  }
  EXPECT_GT(smaller, cases / 4);
}

TEST(ExcludeMisfits, SaysWhichTensorLeavesNoRoom) {
  Memory registers = make_memory("Registers", 8);
  registers.dims = std::vector<std::string>{"M"};
  const Problem problem =
      make_problem(make_gemm("gemm", 16, 1, 1), make_arch({make_memory("DRAM"), registers}));
  const std::vector<Constraint> whole = {
      {"Registers", {}, FactorRule{"M", FactorRule::Relation::Equal, {}}, {}}};
  auto restrictions = Restrictions::create(problem, whole);
  restrictions.value->exclude_misfits(problem);
  const auto space = MapSpace::create(problem, SpaceKind::Perfect, *restrictions.value);
  ASSERT_FALSE(space.ok());
  EXPECT_THAT(space.problems[0].message,
              HasSubstr("at most 6 in the tiles of Registers (room for W)"));
}

}  // namespace
}  // namespace tilewright
