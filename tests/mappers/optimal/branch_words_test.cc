// Words of windows that branches need on their own, against mappings.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "mappers/optimal/sampled_mappings.h"
#include "mappers/optimal/subproblem.h"
#include "support/slow_build.h"
#include "support/space_kinds.h"

namespace tilewright::optimal {
namespace {

// Bounds of all dimensions, from so many below to so many above those of a mapping; if they are
// the same, none else.
SpatialBounds bounds_around(const SolverTables& solver, const Mapping& mapping, Rng& rng) {
  SpatialBounds spatial(solver.fanout_count, solver.dim_count, true);
  for (int f = 0; f < solver.fanout_count; ++f) {
    const int slot = solver.fanout(f).slot;
    for (int d = 0; d < solver.dim_count; ++d) {
      const DimId dim = solver.original(d);
      const std::int64_t bound = mapping.bound(slot, dim) * mapping.bound(slot + 1, dim);
      const auto less = static_cast<std::int64_t>(rng.below(3));
      const std::int64_t first = std::max<std::int64_t>(1, bound - less);
      const std::int64_t last = bound + static_cast<std::int64_t>(rng.below(3));
      spatial.set_range(f, d, first, last);
      spatial.set_unrolled(f, d, first == last ? bound : 1);
    }
  }
  return spatial;
}

struct Seen {
  int all = 0, more = 0;           // than one load of every element
  int exact = 0, more_of_set = 0;  // as many as the mapping has; the same of sets
};

// Of a tensor's link into the memory inside all fan-outs: the input's, or the output's, of which
// it is known what leaves.
void compare(const SolverTables& solver, const Mapping& mapping, bool output, Rng& rng,
             Seen& seen) {
  const Evaluation evaluation = solver.evaluator->evaluate(mapping);
  const int tensor = output ? solver.tensor_count - 1 : 0;
  const Int128 once = evaluation.tensor_words[at(tensor)];
  const Placement placement = fixed_placement(solver);
  const Link link = link_between(solver, tensor, 0, solver.memory_count - 1);
  const Traffic& outside = evaluation.memories.front().tensors[at(tensor)].total;
  const Int128 served = output ? outside.updates : outside.reads;
  const SpatialBounds spatial = bounds_of(solver, mapping);
  const LinkCounts one = Subproblem(solver, placement, spatial).least_counts(link, false);
  const SpatialBounds around = bounds_around(solver, mapping, rng);
  const LinkCounts set = Subproblem(solver, placement, around).least_counts(link, true);
  EXPECT_LE(one[kServed], served);
  EXPECT_LE(set[kServed], one[kServed]);
  EXPECT_LE(set[kEntering], one[kEntering]);
  if (!output) {
    EXPECT_LE(one[kEntering], evaluation.memories.back().tensors[at(tensor)].total.fills);
  }
  ++seen.all;
  seen.more += one[kServed] > once ? 1 : 0;
  seen.exact += one[kServed] == served && served > once ? 1 : 0;
  seen.more_of_set += set[kServed] > once ? 1 : 0;
}

class WordsOfBranches : public ::testing::TestWithParam<SpaceKind> {};

void compare_all(SpaceKind kind, bool output) {
  Seen seen;
  const int samples = testing::slow_build() ? 20 : 200;
  std::uint64_t seed = 0;
  for (const char* array : {"  - {fanout: Array, x: 6, y: 5}\n",
                            "  - {fanout: Array, x: 6, y: 2, multicast: false, reduction: false}\n",
                            "  - {fanout: Rows, y: 4}\n  - {fanout: Columns, x: 5}\n"}) {
    const std::string levels =
        std::string("architecture: a\nlevels:\n  - {memory: Outer, capacity: unlimited}\n") +
        array + "  - {memory: Inner, capacity: unlimited}\n  - {compute: mac}\n";
    for (const std::string index : {"p+r", "2*p+r", "p+2*r", "2*p+3*r", "4*p+3*r"}) {
      for (const char* sizes : {"p=12 r=3 m=2", "p=7 r=4 m=3"}) {
        const std::string text = (output ? "O[" + index + "] += I[m,p]*W[m,r]; "
                                         : "O[m,p] += I[" + index + "]*W[m,r]; ") +
                                 sizes;
        for_each_sample(levels, text, {kind, samples, ++seed},
                        [&](const SolverTables& solver, const Mapping& mapping, Rng& rng) {
                          compare(solver, mapping, output, rng, seen);
                        });
      }
    }
  }
  EXPECT_GT(seen.more, kind == SpaceKind::Perfect ? 0 : seen.all / 10);
  EXPECT_GT(seen.exact, 0);
  EXPECT_GT(seen.more_of_set, 0);
}

TEST_P(WordsOfBranches, AreNoMoreThanMappingsMove) { compare_all(GetParam(), false); }

TEST_P(WordsOfBranches, AreNoMoreThanWhatLeavesWhereOutputsHaveWindows) {
  compare_all(GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(Spaces, WordsOfBranches, ::testing::ValuesIn(testing::kSpaceKinds),
                         testing::name_of_space);

}  // namespace
}  // namespace tilewright::optimal
