// How many elements of an output with windows instances ever hold, held against the model.
#include "mappers/optimal/held_elements.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mappers/optimal/small_spaces.h"
#include "mappers/optimal/subproblem_queue.h"
#include "support/problem_text.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

struct Seen {
  int known = 0;  // memories of mappings
  int exact = 0;  // of which no less is held
  int fewer = 0;  // than the subproblem knows by itself
  int tiles = 0;  // the same by the tile alone
};

SpatialBounds bounds_of(const SolverTables& solver, const Mapping& mapping) {
  SpatialBounds spatial(solver.fanout_count, solver.dim_count);
  for (int f = 0; f < solver.fanout_count; ++f) {
    for (int d = 0; d < solver.dim_count; ++d) {
      const int slot = solver.fanout(f).slot;
      const DimId dim = solver.original(d);
      spatial.set_unrolled(f, d, mapping.bound(slot, dim) * mapping.bound(slot + 1, dim));
    }
  }
  return spatial;
}

Placement placement_of(const SolverTables& solver, const Mapping& mapping) {
  Placement placement;
  for (int m = 0; m < solver.memory_count; ++m) placement.kept[at(m)] = mapping.kept(MemoryId{m});
  for (int t = 0; t < solver.tensor_count; ++t) {
    int parent = 0;
    for (int m = 1; m < solver.memory_count; ++m) {
      if (!contains(placement.kept[at(m)], t)) continue;
      placement.links.push_back(link_between(solver, t, parent, m));
      parent = m;
    }
    placement.compute_links.push_back(link_between(solver, t, parent, solver.memory_count));
  }
  return placement;
}

void compare(const SolverTables& solver, const Mapping& mapping, Seen& seen) {
  const Placement placement = placement_of(solver, mapping);
  const SpatialBounds spatial = bounds_of(solver, mapping);
  const Subproblem sub(solver, placement, spatial);
  HeldElements held(sub);
  const Evaluation evaluation = solver.evaluator->evaluate(mapping);
  for (int memory = 1; memory < solver.memory_count; ++memory) {
    PerDim tile{};
    for (int d = 0; d < solver.dim_count; ++d) {
      tile[at(d)] = 1;
      for (int slot = solver.memory(memory).slot; slot < solver.problem().slot_count(); ++slot) {
        tile[at(d)] *= mapping.bound(slot, solver.original(d));
      }
    }
    const auto bound_of = [&](int m, int d) {
      return mapping.bound(solver.memory(m).slot, solver.original(d));
    };
    for (const int m : members(held.known_outside(memory))) {
      const Int128 most = held.most(m, tile, bound_of);
      const Int128 model =
          evaluation.memories[at(m)].tensors[at(solver.tensor_count - 1)].spared_total.reads;
      EXPECT_GE(most, model);
      if (solver.is_perfect()) EXPECT_EQ(most, model);
      EXPECT_GE(sub.held_in_tiles(m, tile), most);
      ++seen.known;
      seen.exact += most == model ? 1 : 0;
      seen.fewer += most < sub.held(m) ? 1 : 0;
      seen.tiles += sub.held_in_tiles(m, tile) < sub.held(m) ? 1 : 0;
    }
  }
}

// Two fan-outs may unroll both dimensions of a window, and memories between them keep the output.
constexpr const char* kTwoArrays = R"(architecture: two
levels:
  - memory: DRAM
    capacity: unlimited
    read: 5 pJ
  - fanout: Clusters
    y: 2
    x: 3
  - memory: Banks
    capacity: 40 words
    read: 1 pJ
  - fanout: PEs
    y: 2
    x: 2
  - memory: Inputs
    capacity: 4 words
    read: 0.2 pJ
    keep: [input]
  - memory: Sums
    capacity: 12 words
    read: 0.1 pJ
    keep: [output]
  - compute: MAC
    energy: 0.2 pJ
)";

TEST(HeldElements, AreNoFewerThanTheModelCounts) {
  Seen seen;
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    for (const std::string workload :
         {"O[m,p+r] += W[m,c,r]*I[c,p]; m=2 c=2 p=8 r=4", "O[2*p+r] += W[r]*I[p]; p=6 r=5",
          "O[p+r,q+s] += W[r,s]*I[p,q]; p=4 r=2 q=3 s=3", "O[p-r] += W[r]*I[p]; p=9 r=4",
          "O[p+2*r+3*s] += W[r,s]*I[p]; p=4 r=3 s=2"}) {
      const Problem problem = testing::problem_of(kTwoArrays, workload);
      const Evaluator evaluator = testing::make_evaluator(problem);
      const Restrictions restrictions = *Restrictions::create(problem, {}).value;
      const SolverTables solver = make_solver_tables(evaluator, kind, restrictions);
      const MadeSpace space = MapSpace::create(problem, kind, restrictions);
      ASSERT_TRUE(space.ok());
      SCOPED_TRACE(workload + " " + to_string(kind));
      Sampler sampler(*space.value);
      Rng rng(11);
      for (int i = 0; i < testing::affordable(400); ++i) compare(solver, sampler.draw(rng), seen);
    }
  }
  EXPECT_GT(seen.known, testing::enough(2000));
  EXPECT_GT(seen.exact, testing::enough(1000));
  EXPECT_GT(seen.fewer, testing::enough(500));
  EXPECT_GT(seen.tiles, testing::enough(300));
}

TEST(HeldElements, AreNoFewerThanTheModelCountsOfRandomProblems) {
  Seen seen;
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS, SpaceKind::Ruby}) {
    for_each_mapping({kind, testing::affordable(400)}, 10,
                     [&](const SolverTables& solver, const Mapping& mapping) {
                       compare(solver, mapping, seen);
                     });
  }
  EXPECT_GT(seen.known, testing::enough(50));
}

}  // namespace
}  // namespace tilewright::optimal
