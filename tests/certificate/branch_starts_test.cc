// Where branches of a fan-out begin in a window, against all of them, one by one.
#include "certificate/branch_starts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "certificate/examples.h"
#include "support/random_problem.h"
#include "support/slow_build.h"

namespace tilewright::certificate {
namespace {

using testing::TestRng;

const int kWindows = testing::affordable(300);

struct DrawnWindow {
  Window window;
  std::vector<std::int64_t> steps;
  BranchDims dims;
};

DrawnWindow draw_window(TestRng& rng, int dim_count, bool perfect) {
  std::vector<int> numbers;
  std::vector<std::int64_t> steps;
  BranchDims dims;
  for (int d = 0; d < dim_count; ++d) {
    numbers.push_back(d);
    steps.push_back(rng.between(1, 3) * (rng.chance(20) ? -1 : 1));
    const std::int64_t branches = rng.between(1, dim_count == 2 ? 6 : 3);
    const std::int64_t part = rng.between(1, dim_count == 2 ? 6 : 3);
    const std::int64_t size = perfect ? branches * part : rng.between(1, 18);
    dims.push_back({branches, size, part});
  }
  return {Window(numbers, {steps}, false), steps, dims};
}

// Of one dimension: for each step in time the branches that have an index.
std::vector<std::int64_t> branches_by_step(const BranchDim& dim, std::int64_t tile) {
  std::vector<std::int64_t> found;
  for (std::int64_t round = 0; round < dim.size; round += dim.branches * tile) {
    for (std::int64_t offset = 0; offset < tile; ++offset) {
      std::int64_t branches = 0;
      while (branches < dim.branches && round + branches * tile + offset < dim.size) ++branches;
      if (branches > 0) found.push_back(branches);
    }
  }
  return found;
}

std::int64_t count_different(const DrawnWindow& drawn, const Extents& tiles,
                             const std::vector<std::int64_t>& branches) {
  std::set<std::int64_t> seen = {0};
  for (std::size_t i = 0; i < branches.size(); ++i) {
    std::set<std::int64_t> next;
    for (const std::int64_t sum : seen) {
      for (std::int64_t j = 0; j < branches[i]; ++j) {
        next.insert(sum + j * tiles[i] * drawn.steps[i]);
      }
    }
    seen = std::move(next);
  }
  return static_cast<std::int64_t>(seen.size());
}

// Over all combinations of steps of the dimensions.
Starts count_starts(const DrawnWindow& drawn, const Extents& tiles) {
  Starts starts{0, 0};
  std::vector<std::int64_t> branches(drawn.dims.size());
  const auto visit = [&](const auto& self, std::size_t i) -> void {
    if (i == drawn.dims.size()) {
      std::int64_t all = 1;
      for (const std::int64_t each : branches) all *= each;
      starts.all += all;
      starts.different += count_different(drawn, tiles, branches);
      return;
    }
    for (const std::int64_t each : branches_by_step(drawn.dims[i], tiles[i])) {
      branches[i] = each;
      self(self, i + 1);
    }
  };
  visit(visit, 0);
  return starts;
}

template <typename Visit>
void for_each_tile(const DrawnWindow& drawn, bool perfect, Visit visit) {
  Extents tiles(drawn.dims.size(), 1);
  const auto choose = [&](const auto& self, std::size_t i) -> void {
    if (i == tiles.size()) return visit(tiles);
    const BranchDim& dim = drawn.dims[i];
    for (tiles[i] = 1; tiles[i] <= (perfect ? dim.part : dim.size); ++tiles[i]) {
      if (!perfect || dim.part % tiles[i] == 0) self(self, i + 1);
    }
  };
  choose(choose, 0);
}

TEST(BranchStarts, AreThoseOfAllBranchesInAllSteps) {
  TestRng rng(5);
  for (int i = 0; i < kWindows; ++i) {
    const DrawnWindow drawn = draw_window(rng, i % 4 == 0 ? 3 : 2, false);
    Extents tiles;
    for (const BranchDim& dim : drawn.dims) tiles.push_back(rng.between(1, dim.size + 1));
    const Starts counted = count_starts(drawn, tiles);
    const Starts starts = starts_with(drawn.window, drawn.dims, tiles);
    ASSERT_EQ(starts.all, counted.all) << i;
    ASSERT_EQ(starts.different, counted.different) << i;
  }
}

TEST(BranchStarts, TheLeastIsThatOfSomeTiles) {
  for (const bool perfect : {true, false}) {
    TestRng rng(6);
    int shared = 0;
    for (int i = 0; i < kWindows; ++i) {
      const DrawnWindow drawn = draw_window(rng, 2, perfect);
      Starts fewest;
      for_each_tile(drawn, perfect, [&](const Extents& tiles) {
        const Starts starts = count_starts(drawn, tiles);
        if (starts.is_less_than(fewest)) fewest = starts;
      });
      const Starts least = least_starts(drawn.window, drawn.dims, perfect);
      ASSERT_FALSE(fewest.is_less_than(least)) << i;
      ASSERT_FALSE(least.is_less_than(fewest)) << i;
      shared += fewest.different < fewest.all ? 1 : 0;
    }
    EXPECT_GT(shared, kWindows / 4);
  }
}

TEST(BranchStarts, OfThreeDimensionsNoTilesHaveFewer) {
  TestRng rng(7);
  for (int i = 0; i < kWindows / 10; ++i) {
    const DrawnWindow drawn = draw_window(rng, 3, true);
    const Starts least = least_starts(drawn.window, drawn.dims, true);
    for_each_tile(drawn, true, [&](const Extents& tiles) {
      ASSERT_FALSE(count_starts(drawn, tiles).is_less_than(least)) << i;
    });
  }
}

// So a cell may take the most branches of its ranges.
TEST(BranchStarts, WithMoreBranchesTheLeastIsNoLarger) {
  TestRng rng(8);
  for (int i = 0; i < kWindows; ++i) {
    DrawnWindow drawn = draw_window(rng, i % 4 == 0 ? 3 : 2, false);
    const Starts few = least_starts(drawn.window, drawn.dims, false);
    for (BranchDim& dim : drawn.dims) dim.branches += rng.between(0, 3);
    ASSERT_FALSE(few.is_less_than(least_starts(drawn.window, drawn.dims, false))) << i;
  }
}

// Sizes whose products do not fit are compared by the branches that are in use.
TEST(BranchStarts, OfLongDimensionsAreCompared) {
  constexpr std::int64_t kLong = std::int64_t{1} << 40;
  const Window window({0, 1}, {{2, 1}}, false);
  const BranchDims dims = {{256, kLong, kLong / 256}, {128, kLong, kLong / 128}};
  const Starts even = least_starts(window, dims, true);
  EXPECT_EQ(even.different, 256 + 128 - 1);
  EXPECT_EQ(even.all, 256 * 128);
  const Starts any = least_starts(window, dims, false);
  EXPECT_FALSE(any.is_less_than(even));
  EXPECT_FALSE(even.is_less_than(any));
}

// Outputs two apart and neighbours of a filter of three, both unrolled: with tiles of one output a
// filter's neighbours meet every other element alone.
testing::Example strided_example(SpaceKind kind) {
  Conv2d conv;
  conv.in_channels = 2;
  conv.out_channels = 2;
  conv.p = 6;
  conv.r = 3;
  conv.stride_h = 2;
  Memory outer = testing::make_memory("Outer"), inner = testing::make_memory("Inner", 4);
  outer.read_pj = outer.write_pj = outer.update_pj = 64.5;
  inner.read_pj = inner.write_pj = inner.update_pj = 1.25;
  inner.free = {"weight", "input", "output"};
  return {testing::make_problem(
              make_conv2d("conv", conv),
              testing::make_arch({outer, testing::make_fanout("Array", 6, 3), inner})),
          kind,
          {},
          Objective::Energy};
}

TEST(BranchStarts, CloseWhatIsSoAndNothingElse) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    const Certificate best = testing::certify(strided_example(kind));
    EXPECT_TRUE(check(best).problems.empty()) << to_string(kind);
    Certificate forged = best;
    forged.proof = {{ProofStep::Floor, 1}};
    EXPECT_FALSE(check(forged).problems.empty()) << to_string(kind);
    // A mapping that is not the best, said to be so.
    forged = testing::certify(strided_example(kind), 1);
    ASSERT_TRUE(check(forged).problems.empty()) << to_string(kind);
    forged.bound = forged.value;
    EXPECT_FALSE(check(forged).problems.empty()) << to_string(kind);
    forged.proof = best.proof;
    EXPECT_FALSE(check(forged).problems.empty()) << to_string(kind);
    for (std::size_t i = 0; i < best.proof.size(); ++i) {
      for (const ProofStep step :
           {ProofStep::Floor, ProofStep::Lattice, ProofStep::Tree, ProofStep::Refined}) {
        forged.proof[i].step = step;
        EXPECT_FALSE(check(forged).problems.empty()) << to_string(kind) << ' ' << i;
        forged.proof[i] = best.proof[i];
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::certificate
