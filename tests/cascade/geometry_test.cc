// Pieces of dimensions are kept by the geometry of a plan, whose places may change under it.
#include "cascade/geometry.h"

#include <gtest/gtest.h>

#include "support/random_plan.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

void expect_same_pieces(const Geometry& kept, const Geometry& fresh, std::uint64_t seed) {
  for (int e = 0; e < kept.cascade().einsum_count(); ++e) {
    for (int d = 0; d < kept.cascade().workload(e).dim_count(); ++d) {
      for (int depth = 0; depth <= static_cast<int>(kept.path(e).size()); ++depth) {
        const DimPieces &one = kept.pieces(e, DimId{d}, depth),
                        &other = fresh.pieces(e, DimId{d}, depth);
        ASSERT_EQ(one.lengths, other.lengths) << "seed " << seed;
        ASSERT_EQ(one.loops, other.loops) << "seed " << seed;
        ASSERT_EQ(one.counts, other.counts) << "seed " << seed;
        ASSERT_EQ(one.step, other.step) << "seed " << seed;
        ASSERT_EQ(one.ordered_from, other.ordered_from) << "seed " << seed;
        ASSERT_EQ(one.problem, other.problem) << "seed " << seed;
      }
    }
  }
}

std::vector<std::vector<std::int64_t>> sizes_of(const std::vector<Execution>& executions) {
  std::vector<std::vector<std::int64_t>> sizes;
  for (const Execution& execution : executions) sizes.push_back(execution.extents);
  return sizes;
}

// Where an intermediate is kept next: at each depth, then from writer to readers again.
Placement next_place(const Geometry& geometry, int einsum, const Placement& now) {
  if (now.kind != Placement::Kind::Kept) return {Placement::Kind::Kept, 0};
  if (now.depth == geometry.common(einsum)) return {Placement::Kind::Local, 0};
  return {Placement::Kind::Kept, now.depth + 1};
}

TEST(Geometry, HasThePiecesOfThePlacesThatThePlanHasNow) {
  int changed = 0, different = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(affordable(600)); ++seed) {
    TestRng rng(seed);
    auto random = random_plan(rng);
    if (!random) continue;
    const Geometry kept(random->cascade, random->plan);
    for (int round = 0; round < 6; ++round) {
      for (int e = 0; e < random->cascade.einsum_count(); ++e) {
        if (!kept.is_intermediate(e) || rng.chance(30)) continue;
        const auto before = sizes_of(executions_of(kept, e));
        Placement& place = random->plan.leaves[at(e)].tensors.back();
        place = next_place(kept, e, place);
        const Geometry fresh(random->cascade, random->plan);
        expect_same_pieces(kept, fresh, seed);
        ++changed;
        different += sizes_of(executions_of(kept, e)) == before ? 0 : 1;
      }
    }
  }
  EXPECT_GE(changed, enough(600));
  EXPECT_GE(different, enough(15));
}

}  // namespace
}  // namespace tilewright::testing
