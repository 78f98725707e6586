// Words of windows that go to the multipliers through several fan-outs, against mappings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mappers/optimal/sampled_mappings.h"
#include "mappers/optimal/subproblem.h"
#include "support/slow_build.h"
#include "support/space_kinds.h"

namespace tilewright::optimal {
namespace {

PerDim tile_of(const SolverTables& solver, const Mapping& mapping, int memory) {
  PerDim tile{};
  for (int d = 0; d < solver.dim_count; ++d) {
    tile[at(d)] = 1;
    for (int s = solver.memory(memory).slot; s < solver.problem().slot_count(); ++s) {
      tile[at(d)] *= mapping.bound(s, solver.original(d));
    }
  }
  return tile;
}

struct Seen {
  int shared = 0;  // mappings of which branches share where two dimensions meet
  // Those of them where the bound is what they move: with their tiles, with any tiles.
  int exact = 0, of_frame = 0;
};

// Every word that goes out of the outermost memory, or arrives there, takes 1 pJ.
void compare(const SolverTables& solver, const Mapping& mapping, bool output, Seen& seen) {
  const Evaluation evaluation = solver.evaluator->evaluate(mapping);
  const int tensor = output ? solver.tensor_count - 1 : 0;
  const Traffic& outside = evaluation.memories.front().tensors[at(tensor)].total;
  const auto served = static_cast<double>(output ? outside.updates : outside.reads);
  const Placement placement = fixed_placement(solver);
  const SpatialBounds spatial = bounds_of(solver, mapping);
  const Subproblem sub(solver, placement, spatial);
  const Link& link = placement.compute_links[at(tensor)];
  ASSERT_EQ(link.parent, 0);
  const auto words = [&](Units energy) {
    return static_cast<double>(solver.scale.energy(energy)) / solver.scale.per_pj;
  };
  const Units least = sub.compute_energy(link);
  Units known = least;
  for (int m = 1; m < solver.memory_count; ++m) {
    const Units crossing = sub.crossing_energy(m, tile_of(solver, mapping, m));
    EXPECT_GE(crossing, 0);
    known = sum(known, crossing);
  }
  EXPECT_LE(words(known), served);
  EXPECT_LE(sub.least_energy(link, MoreShared{}), least);
  double unshared = 1;  // with what irrelevant dimensions share
  for (int d = 0; d < solver.dim_count; ++d) {
    const bool is_relevant = contains(solver.tensor(tensor).relevant, d);
    unshared *= static_cast<double>(
        is_relevant ? solver.size(d) : sub.irrelevant(link, kServed, d, solver.memory_count, 1));
  }
  if (served >= unshared) return;
  ++seen.shared;
  seen.exact += words(known) == served ? 1 : 0;
  seen.of_frame += words(least) == served ? 1 : 0;
}

const std::vector<std::string> kInside = {
    "  - {fanout: Units, x: 4}\n  - {fanout: Array, x: 3, y: 4}\n",
    "  - {fanout: Units, x: 4}\n  - {fanout: Array, x: 3, y: 4, multicast: false, reduction: "
    "false}\n",
    "  - {fanout: Units, x: 5}\n  - {memory: Middle, capacity: unlimited, keep: [W]}\n"
    "  - {fanout: Array, x: 4, y: 2}\n",
    "  - {fanout: Units, x: 4}\n  - {fanout: Rows, y: 3}\n"
    "  - {memory: Middle, capacity: unlimited, keep: [W]}\n  - {fanout: Columns, x: 3}\n"};

class WordsOfMultipliers : public ::testing::TestWithParam<SpaceKind> {};

void compare_all(SpaceKind kind, bool output) {
  Seen seen;
  const int samples = testing::slow_build() ? 20 : 300;
  std::uint64_t seed = 0;
  for (const std::string& inside : kInside) {
    const std::string levels =
        "architecture: a\nlevels:\n  - {memory: Outer, capacity: unlimited, read: 1 pJ, "
        "accumulate: in_place}\n" +
        inside + "  - {memory: Inner, capacity: unlimited, keep: [W]}\n  - {compute: mac}\n";
    for (const std::string index : {"p+r", "2*p+r", "p+2*r", "2*p+3*r", "p+r+s"}) {
      const bool is_wide = index == "p+r+s";
      const std::string filter = is_wide ? "W[m,r,s]" : "W[m,r]";
      const std::string more = is_wide ? " s=3" : "";
      for (const std::string sizes : {"p=12 r=3 m=2", "p=7 r=4 m=3", "p=9 r=7 m=1"}) {
        const std::string text =
            output ? fmt::format("O[{}] += I[m,p]*{}; {}", index, filter, sizes + more)
                   : fmt::format("O[m,p] += I[{}]*{}; {}", index, filter, sizes + more);
        for_each_sample(levels, text, {kind, samples, ++seed},
                        [&](const SolverTables& solver, const Mapping& mapping, Rng& /*rng*/) {
                          compare(solver, mapping, output, seen);
                        });
      }
    }
  }
  EXPECT_GT(seen.exact, seen.shared / 2) << "of " << seen.shared;
  EXPECT_GT(seen.of_frame, 0) << "of " << seen.shared;
  EXPECT_GT(seen.shared, 0);
}

TEST_P(WordsOfMultipliers, AreNoMoreThanMappingsMove) { compare_all(GetParam(), false); }

TEST_P(WordsOfMultipliers, AreNoMoreThanWhatLeavesWhereOutputsHaveWindows) {
  compare_all(GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(Spaces, WordsOfMultipliers, ::testing::ValuesIn(testing::kSpaceKinds),
                         testing::name_of_space);

}  // namespace
}  // namespace tilewright::optimal
