#include <gtest/gtest.h>

#include "support/problems.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing {
namespace {

MapSpace space_of(std::int64_t m, SpaceKind kind) {
  Memory buffer = make_memory("Buffer", 100);
  buffer.free = {"weight"};
  const Problem problem =
      make_problem(make_gemm("gemm", m, 12, 20),
                   make_arch({make_memory("Outer"), buffer, make_fanout("Array", 4, 3),
                              make_memory("Registers")}));
  const Checked<Restrictions> restrictions = Restrictions::create(problem);
  return *MapSpace::create(problem, kind, *restrictions.value).value;
}

TEST(Sampler, DrawsTheSameInTwoSteps) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    const MapSpace space = space_of(24, kind);
    Sampler at_once(space);
    Sampler in_steps(space);
    Rng rng(5);
    Rng same(5);
    for (int i = 0; i < 300; ++i) {
      in_steps.draw_parts(same);
      if (i % 3 == 0) in_steps.written();  // changes nothing
      EXPECT_EQ(at_once.draw(rng), in_steps.written()) << to_string(kind) << ", draw " << i;
    }
    EXPECT_EQ(rng.next(), same.next());
  }
}

TEST(Sampler, TellsTheChainsThatItHasDrawn) {
  const MapSpace space = space_of(24, SpaceKind::Perfect);
  Sampler sampler(space);
  ASSERT_TRUE(sampler.lists_chains());
  Rng rng(5);
  for (int i = 0; i < 100; ++i) {
    sampler.draw_parts(rng);
    const std::array<std::uint32_t, kMaxDims> numbers = sampler.chains();
    const Mapping& mapping = sampler.written();
    for (int d = 0; d < mapping.dim_count(); ++d) {
      const auto chain = sampler.chains_of(DimId{d}).at(numbers[at(d)]);
      for (int s = 0; s < mapping.slot_count(); ++s) {
        EXPECT_EQ(mapping.bound(s, DimId{d}), chain[at(s)]);
      }
    }
    for (int m = 0; m < mapping.memory_count(); ++m) {
      EXPECT_EQ(mapping.kept(MemoryId{m}), sampler.keeping().kept(MemoryId{m}));
    }
  }
}

// Chains of a large dimension with remainders are too many for lists.
TEST(Sampler, ListsNoChainsOfALargeDimensionWithRemainders) {
  EXPECT_FALSE(Sampler(space_of(5000, SpaceKind::Ruby)).lists_chains());
}

}  // namespace
}  // namespace tilewright::testing
