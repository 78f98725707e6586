// Every mapping of a map-space runs: it does each multiply-accumulate once, and
// the fast model and the oracle count the same for it.
#include <gtest/gtest.h>

#include <array>

#include "support/compare_with_oracle.h"
#include "support/naive_space.h"
#include "support/problems.h"
#include "support/slow_build.h"
#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

const int kCases = testing::slow_build() ? 4 : 40;
constexpr std::array<SpaceKind, 4> kKinds = {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::RubyT,
                                             SpaceKind::Ruby};

// Digits of different dimensions run independently, so each point comes up once
// if each index of every dimension does. How often each index of a dimension comes up when the
// loops of its slots run one inside the other; indices from the size on do not exist.
std::vector<int> visits(const Problem& problem, const Mapping& mapping, DimId dim) {
  const std::int64_t size = problem.workload().dim(dim).size;
  std::vector<int> hits(static_cast<std::size_t>(size), 0);
  std::vector<std::int64_t> digits(static_cast<std::size_t>(problem.slot_count()), 0);
  for (int slot = 0; slot >= 0;) {
    std::int64_t index = 0;
    for (int s = 0; s < problem.slot_count(); ++s) {
      index = index * mapping.bound(s, dim) + digits[static_cast<std::size_t>(s)];
    }
    if (index < size) ++hits[static_cast<std::size_t>(index)];
    // Counts up, the innermost digit first.
    slot = problem.slot_count() - 1;
    while (slot >= 0 && ++digits[static_cast<std::size_t>(slot)] == mapping.bound(slot, dim)) {
      digits[static_cast<std::size_t>(slot--)] = 0;
    }
  }
  return hits;
}

// No loop runs past what is left: the outermost digit of the last index is the
// last of its bound.
void expect_no_empty_pass(const Problem& problem, const Mapping& mapping, DimId dim) {
  std::int64_t left = problem.workload().dim(dim).size;
  for (int s = problem.slot_count() - 1; s >= 0; --s) {
    EXPECT_LE(mapping.bound(s, dim), left);
    left = ceil_div(left, mapping.bound(s, dim));
  }
  EXPECT_EQ(left, 1);
}

void expect_covers(const Problem& problem, const Mapping& mapping) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    const std::vector<int> hits = visits(problem, mapping, DimId{d});
    EXPECT_EQ(hits, std::vector<int>(hits.size(), 1));
    expect_no_empty_pass(problem, mapping, DimId{d});
  }
}

TEST(MapSpaceProperty, EveryMappingCoversEachPointOnce) {
  testing::TestRng rng(501);
  int checked = 0;
  for (int i = 0; i < kCases; ++i) {
    const testing::SmallSpace small = testing::random_small_space(rng);
    const Evaluator evaluator = testing::make_evaluator(small.problem);
    const auto restrictions = Restrictions::create(small.problem, small.constraints);
    for (const SpaceKind kind : kKinds) {
      const auto space = MapSpace::create(small.problem, kind, *restrictions.value);
      if (!space.ok() || space.value->size() > BigUint(3000)) continue;
      Walk walk(*space.value, 0, space.value->size());
      while (const Mapping* mapping = walk.next()) {
        ++checked;
        expect_covers(small.problem, *mapping);
        const Evaluation evaluation = evaluator.evaluate(*mapping);
        ASSERT_TRUE(evaluation.score.verdict.fits());
        ASSERT_EQ(evaluation.macs, multiply_accumulates(small.problem.workload()));
        // The oracle walks the whole nest; some of them are enough.
        if (checked % 8 != 0) continue;
        const auto differences = testing::compare_with_oracle({small.problem, *mapping});
        ASSERT_TRUE(differences.empty()) << "case " << i << ": " << differences.front();
      }
    }
  }
  EXPECT_GT(checked, 100 * kCases);
}

}  // namespace
}  // namespace tilewright
