// Floors of cells, and the outlines of chains that they look at, against those that are made anew.
#include "certificate/cell_floor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "certificate/small_problems.h"
#include "support/problems.h"
#include "support/slow_build.h"

namespace tilewright::certificate {
namespace {

const int kCoveredProblems = testing::affordable(100);

using testing::SmallProblem;
using testing::SmallProblemOptions;
using testing::TestRng;

struct CellTally {
  int cells = 0, unrolled = 0, outlined = 0;
};

void compare_chains(Cover& cover, const Cell& cell, CellTally& tally) {
  const Unrolling unrolling = cover.unrolling(cell);
  const auto whole = cover.chains().all(unrolling);
  ASSERT_EQ(cover.chains().are_possible(unrolling), whole.has_value());
  if (!whole) return;
  const auto outlines = cover.chains().outlines(unrolling);
  for (std::size_t d = 0; d < outlines.size(); ++d) {
    ASSERT_EQ(outlines[d]->size, (*whole)[d]->size);
    ASSERT_EQ(outlines[d]->largest, (*whole)[d]->largest);
    ASSERT_EQ(outlines[d]->exact, (*whole)[d]->exact);
    ASSERT_EQ(outlines[d]->classes.front().left, (*whole)[d]->classes.front().left);
    ASSERT_EQ(outlines[d]->classes.front().most, (*whole)[d]->classes.front().most);
    tally.outlined += outlines[d] != (*whole)[d] ? 1 : 0;
  }
}

void compare_cells(const SmallProblem& small, CellTally& tally) {
  constexpr int kMostCells = 300;
  const Terms terms(small.problem);
  const Checked<Rules> rules = read_rules(small.problem, small.kind, small.constraints);
  ASSERT_TRUE(rules.ok());
  Cover cover(small.problem, *rules.value);
  CellFloors floors(terms, *rules.value);
  std::vector<Cell> waiting = cover.whole();
  for (int i = 0; i < kMostCells && !waiting.empty(); ++i) {
    const Cell cell = waiting.back();
    waiting.pop_back();
    ASSERT_EQ(floors.floor(cover, cell), CellFloors(terms, *rules.value).floor(cover, cell));
    ++tally.cells;
    if (cell.has_unrolling()) {
      ++tally.unrolled;
      compare_chains(cover, cell, tally);
    }
    if (cover.is_frame(cell)) continue;
    for (Cell& part : cover.parts(cell)) waiting.push_back(std::move(part));
  }
}

TEST(CellFloor, DoesNotDependOnTheCellsBefore) {
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    TestRng rng(41);
    CellTally tally;
    for (int problems = 0; problems < kCoveredProblems;) {
      // Every other one has no ports, so that links are known from unrollings before.
      SmallProblemOptions options{.kind = kind, .simple = problems % 2 == 0};
      options.largest_volume = 200;
      const auto small = testing::small_problem(rng, options);
      if (!small) continue;
      SCOPED_TRACE(fmt::format("problem {}, {}", problems, to_string(kind)));
      compare_cells(*small, tally);
      if (::testing::Test::HasFailure()) return;
      ++problems;
    }
    EXPECT_GT(tally.unrolled, kCoveredProblems);
    EXPECT_GT(tally.cells, tally.unrolled);
    if (kind == SpaceKind::Perfect) {
      EXPECT_GT(tally.outlined, kCoveredProblems);
    }
  }
}

// --- splits ------------------------------------------------------------------------------------

using Factors = std::vector<std::int64_t>;

// The unrollings of the cells that are not split any further.
std::vector<Factors> unrollings_by_parts(const Problem& problem, const Rules& rules) {
  Cover cover(problem, rules);
  std::vector<Factors> found;
  std::vector<Cell> waiting = cover.whole();
  while (!waiting.empty()) {
    const Cell cell = waiting.back();
    waiting.pop_back();
    if (cell.has_unrolling()) {
      Factors& factors = found.emplace_back();
      for (int d = 0; d < problem.dim_count(); ++d) factors.push_back(cover.least(cell, 0, d));
      continue;
    }
    for (Cell& part : cover.parts(cell)) waiting.push_back(std::move(part));
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Ranges of many factors are split at their geometric mean, those of few one by one.
TEST(Cover, HasEveryUnrollingInOneCell) {
  constexpr std::int64_t kRoom = 37;
  const Problem problem = testing::make_problem(
      make_gemm("gemm", 29, 40, 3),
      testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Row", kRoom)}));
  const Checked<Rules> rules = read_rules(problem, SpaceKind::RubyS, {});
  ASSERT_TRUE(rules.ok());
  std::vector<Factors> all;
  const auto& dims = problem.workload().dims;
  for (std::int64_t a = 1; a <= std::min(dims[0].size, kRoom); ++a) {
    for (std::int64_t b = 1; b <= dims[1].size && a * b <= kRoom; ++b) {
      for (std::int64_t c = 1; c <= dims[2].size && a * b * c <= kRoom; ++c)
        all.push_back({a, b, c});
    }
  }
  EXPECT_EQ(unrollings_by_parts(problem, *rules.value), all);
}

}  // namespace
}  // namespace tilewright::certificate
