// The bounds of frames against the best mapping of each, found by trying all.
#include "certificate/frame_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "certificate/frame_list.h"
#include "certificate/lattice.h"
#include "certificate/small_problems.h"
#include "support/slow_build.h"

namespace tilewright::certificate {
namespace {

constexpr int kProblems = testing::affordable(300);

using testing::SmallProblem;
using testing::SmallProblemOptions;
using testing::TestRng;

struct Best {
  Int128 energy = -1;
  std::int64_t cycles = -1;
};
// By what each memory keeps and the unrolling at each fan-out.
using Key = std::pair<Placement, std::vector<std::int64_t>>;

Key key_of(const Problem& problem, const Mapping& mapping) {
  Key key;
  for (int m = 0; m < problem.memory_count(); ++m) key.first.push_back(mapping.kept(MemoryId{m}));
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].kind != SlotKind::SpatialY) continue;
    for (int d = 0; d < problem.dim_count(); ++d) {
      key.second.push_back(mapping.bound(s, DimId{d}) * mapping.bound(s + 1, DimId{d}));
    }
  }
  return key;
}

std::map<Key, Best> best_by_frame(const SmallProblem& small, const Terms& terms) {
  std::map<Key, Best> best;
  Walk walk(small.space, BigUint(0), small.space.size());
  while (const Mapping* mapping = walk.next()) {
    const Counter counter(terms, *mapping);
    if (!counter.overflows().empty()) continue;
    const Cost cost = counter.cost();
    Best& known = best[key_of(small.problem, *mapping)];
    if (known.energy < 0 || cost.energy < known.energy) known.energy = cost.energy;
    if (known.cycles < 0 || cost.cycles < known.cycles) known.cycles = cost.cycles;
  }
  return best;
}

// Sharing along diagonals, outputs or homes of windows that are unrolled, and
// Timeloop's shares of outputs are bounded, not counted.
bool is_bounded_only(const Context& context) {
  if (context.problem().arch().accounting == Accounting::Timeloop &&
      !context.terms().parts.back().plain) {
    return true;
  }
  for (const Parts& parts : context.terms().parts) {
    for (const Window& window : parts.windows) {
      for (int f = 0; f < context.unrolling().fanouts(); ++f) {
        int unrolled = 0;
        for (const int d : window.dims()) unrolled += context.unrolling().factor(f, d) > 1 ? 1 : 0;
        if (unrolled > 1) return true;
        if (unrolled > 0 && &parts == &context.terms().parts.back()) return true;
        if (unrolled > 0 && context.place(f) > 0) return true;
      }
    }
  }
  return false;
}

struct Tally {
  int frames = 0, equal = 0, below = 0, problems = 0;
};

void compare(const SmallProblem& small, bool wants_equal, Tally& tally) {
  const Terms terms(small.problem);
  std::map<Key, Best> best = best_by_frame(small, terms);
  const Checked<Rules> rules = read_rules(small.problem, small.kind, small.constraints);
  ASSERT_TRUE(rules.ok());
  const FrameList frames(small.problem, *rules.value);
  std::size_t met = 0;
  for (const Placement& placement : all_placements(small.problem, *rules.value)) {
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const Context context(terms, *rules.value, placement, frames.unrolling(f), frames.chains(f));
      Key key{placement, {}};
      for (int i = 0; i < frames.unrolling(f).fanouts(); ++i) {
        for (int d = 0; d < context.dims(); ++d) {
          key.second.push_back(frames.unrolling(f).factor(i, d));
        }
      }
      const FrameBound bound(context);
      Closings closings(context);
      const Lattice lattice(context, closings, static_cast<std::int64_t>(bound.energy()), kNever);
      const auto found = best.find(key);
      if (found == best.end()) {
        if (wants_equal && !is_bounded_only(context)) {
          ASSERT_EQ(lattice.least(), kNever);
        }
        continue;
      }
      ++met;
      ++tally.frames;
      ASSERT_LE(bound.cycles(), found->second.cycles);
      ASSERT_LE(bound.energy(), found->second.energy);
      ASSERT_LE(lattice.least(), found->second.energy);
      (lattice.least() == found->second.energy ? tally.equal : tally.below)++;
      if (wants_equal && !is_bounded_only(context)) {
        ASSERT_EQ(lattice.least(), static_cast<std::int64_t>(found->second.energy));
      }
    }
  }
  ASSERT_EQ(met, best.size());  // every mapping is in a frame
}

Tally compare_many(std::uint64_t seed, const SmallProblemOptions& options) {
  TestRng rng(seed);
  Tally tally;
  while (tally.problems < kProblems) {
    const auto small = testing::small_problem(rng, options);
    if (!small) continue;
    SCOPED_TRACE(fmt::format("problem {}, {}", tally.problems, to_string(small->kind)));
    compare(*small, options.simple && small->kind == SpaceKind::Perfect, tally);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << testing::describe({small->problem, small->space.at(BigUint(0))});
      return tally;
    }
    ++tally.problems;
  }
  return tally;
}

TEST(Lattice, IsTheLeastEnergyOfAFrameOfPerfectFactors) {
  const Tally tally =
      compare_many(5, {.kind = SpaceKind::Perfect, .simple = true, .largest_space = 3000});
  EXPECT_GT(tally.equal, tally.below);
}

TEST(Lattice, IsNeverAboveTheLeastEnergyOfAFrame) {
  const Tally tally = compare_many(6, {.kind = {}, .simple = false, .largest_space = 3000});
  EXPECT_GT(tally.frames, 3 * kProblems);
}

}  // namespace
}  // namespace tilewright::certificate
