// Steps in time that follow from the extents at which fan-outs are crossed.
#include <gtest/gtest.h>

#include <algorithm>

#include "mappers/optimal/sampled_mappings.h"
#include "mappers/optimal/small_spaces.h"
#include "mappers/optimal/subproblem.h"
#include "support/slow_build.h"

namespace tilewright::optimal {
namespace {

PerDim extents_inside(const SolverTables& solver, const Mapping& mapping, int memory) {
  PerDim inside{};
  inside.fill(1);
  for (int slot = solver.memory(memory).slot + 1; slot < mapping.slot_count(); ++slot) {
    for (int d = 0; d < solver.dim_count; ++d) {
      inside[at(d)] *= mapping.bound(slot, solver.original(d));
    }
  }
  return inside;
}

// Calls visit(solver, sub-problem, mapping) for some mappings of random small map-spaces.
template <typename Visit>
void for_each_frame(SpaceKind kind, const Visit& visit) {
  for_each_mapping({kind, testing::slow_build() ? 40 : 300}, 10,
                   [&](const SolverTables& solver, const Mapping& mapping) {
                     const Placement nothing_kept;
                     visit(solver, Subproblem(solver, nothing_kept, bounds_of(solver, mapping)),
                           mapping);
                   });
}

TEST(LeastSteps, AreNoMoreThanMappingsTakeAndOftenAsMany) {
  for (const SpaceKind kind : {SpaceKind::Ruby, SpaceKind::RubyS}) {
    int all = 0;
    int exact = 0;
    int above_even = 0;  // more than if branches shared evenly
    for_each_frame(kind,
                   [&](const SolverTables& solver, const Subproblem& sub, const Mapping& mapping) {
                     const Int128 cycles = solver.evaluator->evaluate(mapping).array_cycles();
                     Int128 known = 0;
                     for (int m = 0; m < solver.memory_count; ++m) {
                       const PerDim inside = extents_inside(solver, mapping, m);
                       known = std::max(known, sub.cycles_of(sub.least_steps(m, inside)));
                     }
                     EXPECT_LE(known, cycles);
                     EXPECT_GE(known, sub.compute_cycles());
                     ++all;
                     exact += known == cycles ? 1 : 0;
                     above_even += known > sub.compute_cycles() ? 1 : 0;
                   });
    EXPECT_GT(exact, all * 9 / 10) << to_string(kind);
    EXPECT_GT(above_even, all / 50) << to_string(kind);
  }
}

// Extents beyond the end of the dimension among them: a last branch that is cut short is one of
// the best, where all others are full.
TEST(LeastSteps, OfARangeAreThoseOfItsBestExtent) {
  int compared = 0;
  for_each_frame(SpaceKind::Ruby, [&](const SolverTables& solver, const Subproblem& sub,
                                      const Mapping& mapping) {
    for (int m = 0; m < solver.memory_count; ++m) {
      const PerDim inside = extents_inside(solver, mapping, m);
      for (int d = 0; d < solver.dim_count; ++d) {
        const std::int64_t by = sub.unrolled(sub.fanouts_outside(m), sub.fanouts_outside(m + 1), d);
        const std::int64_t most = inside[at(d)] + 40 * by;
        std::int64_t best = kCountLimit;
        for (std::int64_t extent = inside[at(d)]; extent <= most; extent += by) {
          best = std::min(best, sub.least_steps(d, m, extent));
        }
        EXPECT_EQ(sub.least_steps(d, m, ExtentRange{inside[at(d)], most}), best);
        ++compared;
      }
    }
  });
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace tilewright::optimal
