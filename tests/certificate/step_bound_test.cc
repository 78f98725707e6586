// What extents and unrollings say of steps, instances and words, against every mapping that has
// them.
#include "certificate/step_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "certificate/frame_bound.h"
#include "certificate/link.h"
#include "certificate/small_problems.h"
#include "support/slow_build.h"

namespace tilewright::certificate {
namespace {

const int kProblems = testing::affordable(150);

using testing::SmallProblem;
using testing::TestRng;

struct StepTally {
  int compared = 0, exact = 0, above_frame = 0;
  int dims = 0, all_in_use = 0, more_known = 0, wasted = 0;  // of instances
  int links = 0, words_known = 0;                            // into memories
  int crossings = 0, impossible = 0;                         // of fan-outs
};

Unrolling unrolling_of(const Problem& problem, const Mapping& mapping) {
  const std::vector<int> slots = fanout_slots(problem);
  Unrolling unrolling(static_cast<int>(slots.size()), problem.dim_count());
  for (std::size_t f = 0; f < slots.size(); ++f) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      unrolling.set(static_cast<int>(f), d,
                    mapping.bound(slots[f], DimId{d}) * mapping.bound(slots[f] + 1, DimId{d}));
    }
  }
  return unrolling;
}

// The class that an extent is in.
int class_of(const Chain& chain, std::int64_t extent) {
  for (std::size_t i = 0; i < chain.classes.size(); ++i) {
    const ExtentClass& one = chain.classes[i];
    const bool same_left = one.left == ceil_div(chain.size, extent);
    if (chain.exact ? one.least == extent : same_left) return static_cast<int>(i);
  }
  ADD_FAILURE() << "no class has extent " << extent << " of " << chain.size;
  return 0;
}

// Instances that dimensions are unrolled over: those in use against what extents say.
void compare_instances(const Context& context, const Nest& nest, StepTally& tally) {
  const int compute = context.memories();
  for (int d = 0; d < context.dims(); ++d) {
    const int outermost = context.outermost_unrolling(compute, d);
    if (outermost < 0) continue;
    const std::int64_t used = nest.combinations(d, context.problem().slot_count(),
                                                [&](int slot) { return !nest.is_temporal(slot); });
    const std::int64_t least = context.least_instances(compute, d);
    const int memory = context.place(outermost) - 1;
    ASSERT_LE(least, used);
    if (memory < 0) continue;
    const std::int64_t extent = nest.stride(context.problem().use(MemoryId{memory}).slot, d);
    const int inside = class_of(context.chain(d), extent);
    const std::int64_t known =
        context.least_instances(compute, d,
                                std::min(context.chain(d).classes[at(inside)].most,
                                         context.chain(d).largest_outside[at(outermost)]));
    ASSERT_LE(least, known);
    ASSERT_LE(known, used);
    const Chain& chain = context.chain(d);
    if (!chain.exact && chain.classes[at(inside)].left == 1) {
      const std::int64_t most = context.most_without_waste(memory, d);
      const std::int64_t steps = nest.combinations(
          d, context.problem().slot_count(), [&](int slot) { return nest.is_temporal(slot); });
      if (extent <= most) {
        ASSERT_LE(context.least_instances(compute, d, most), used);
      } else {
        ASSERT_GT(steps, ceil_div(chain.size, context.unrolled(d, -1, compute)));
        ++tally.wasted;
      }
    }
    ++tally.dims;
    tally.all_in_use += known == used ? 1 : 0;
    tally.more_known += known > least ? 1 : 0;
  }
}

// Every instance that takes part has its words.
void compare_links(const Context& context, const Nest& nest, StepTally& tally) {
  for (const LinkPlace& place : context.links()) {
    if (place.child == context.memories()) continue;
    const LinkCount exact(nest, context.terms().parts[at(place.tensor)],
                          context.is_output(place.tensor), place.parent, place.child);
    const LinkBound::Words least = LinkBound(context, place, -1).least_words();
    const Int128 entering = exact.entering(Instances::All);
    ASSERT_TRUE(least.entering <= entering && least.served <= exact.served(Instances::All));
    ++tally.links;
    tally.words_known += least.entering == entering ? 1 : 0;
  }
}

// Fan-outs lead from class to class, and no further than the chain says.
void compare_fanouts(const Context& context, const Nest& nest, StepTally& tally) {
  const std::vector<int> slots = fanout_slots(context.problem());
  for (std::size_t f = 0; f < slots.size(); ++f) {
    for (int d = 0; d < context.dims(); ++d) {
      const Chain& chain = context.chain(d);
      const std::int64_t outside = nest.extent(slots[f], d);
      const int from = class_of(chain, nest.extent(slots[f] + 2, d));
      ASSERT_EQ(chain.unrolled[f][at(from)], class_of(chain, outside));
      ASSERT_LE(outside, chain.largest_outside[f]);
      ++tally.crossings;
      tally.impossible +=
          static_cast<int>(std::count(chain.unrolled[f].begin(), chain.unrolled[f].end(), -1));
    }
  }
}

void compare_mapping(const Context& context, const Mapping& mapping, StepTally& tally) {
  const Nest nest(context.problem(), mapping);
  compare_links(context, nest, tally);
  compare_fanouts(context, nest, tally);
  const StepBound bound(context);
  const Int128 frame = FrameBound(context).compute_cycles();
  compare_instances(context, nest, tally);
  for (int m = 0; m < context.memories(); ++m) {
    if (!bound.is_of_use(m)) continue;
    std::array<int, kMaxDims> classes{};
    for (int d = 0; d < context.dims(); ++d) {
      const std::int64_t extent = nest.stride(context.problem().use(MemoryId{m}).slot, d);
      classes[at(d)] = class_of(context.chain(d), extent);
    }
    const Int128 cycles = bound.cycles(m, classes.data());
    ASSERT_LE(cycles, multiplier_cycles(nest));
    ASSERT_GE(cycles, frame);
    ++tally.compared;
    tally.exact += cycles == multiplier_cycles(nest) ? 1 : 0;
    tally.above_frame += cycles > frame ? 1 : 0;
  }
}

void compare_all(const SmallProblem& small, StepTally& tally) {
  const Terms terms(small.problem);
  const Checked<Rules> rules = read_rules(small.problem, small.kind, small.constraints);
  ASSERT_TRUE(rules.ok());
  Chains chains(small.problem, *rules.value);
  Walk walk(small.space, BigUint(0), small.space.size());
  while (const Mapping* mapping = walk.next()) {
    const Unrolling unrolling = unrolling_of(small.problem, *mapping);
    Placement placement;
    for (int m = 0; m < small.problem.memory_count(); ++m) {
      placement.push_back(mapping->kept(MemoryId{m}));
    }
    const Context context(terms, *rules.value, placement, unrolling, *chains.all(unrolling));
    compare_mapping(context, *mapping, tally);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << testing::describe({small.problem, *mapping});
      return;
    }
    walk.skip_orders();
  }
}

TEST(StepBound, IsNeverAboveTheStepsOfAMapping) {
  for (const SpaceKind kind : {SpaceKind::RubyS, SpaceKind::Ruby}) {
    TestRng rng(29);
    StepTally tally;
    for (int problems = 0; problems < kProblems;) {
      const auto small =
          testing::small_problem(rng, {.kind = kind, .largest_space = 2000, .largest_volume = 120});
      if (!small) continue;
      SCOPED_TRACE(fmt::format("problem {}, {}", problems, to_string(kind)));
      compare_all(*small, tally);
      if (::testing::Test::HasFailure()) return;
      ++problems;
    }
    EXPECT_GT(tally.exact, tally.compared / 2);
    EXPECT_GT(tally.all_in_use, tally.dims / 2);
    EXPECT_GE(tally.words_known, tally.links / 3);
    if (!testing::slow_build()) {
      EXPECT_GT(tally.words_known, 0);
      EXPECT_GT(tally.impossible, 0);
      EXPECT_GT(tally.above_frame, 0);
      EXPECT_GT(tally.more_known, 0);
      EXPECT_EQ(tally.wasted > 0, kind == SpaceKind::Ruby);
    }
  }
}

}  // namespace
}  // namespace tilewright::certificate
