// Mappings of problems written as text, as the optimal mapper sees them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "mappers/optimal/spatial_bounds.h"
#include "support/problems.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"

namespace tilewright::optimal {

// What a mapping unrolls.
inline SpatialBounds bounds_of(const SolverTables& solver, const Mapping& mapping) {
  SpatialBounds spatial(solver.fanout_count, solver.dim_count);
  for (int f = 0; f < solver.fanout_count; ++f) {
    const int slot = solver.fanout(f).slot;
    for (int d = 0; d < solver.dim_count; ++d) {
      const DimId dim = solver.original(d);
      spatial.set_unrolled(f, d, mapping.bound(slot, dim) * mapping.bound(slot + 1, dim));
    }
  }
  return spatial;
}

struct Samples {
  SpaceKind kind = SpaceKind::Perfect;
  int count = 0;
  std::uint64_t seed = 0;
};

// Calls visit(solver, mapping, rng) for so many mappings, until a test fails.
template <typename Visit>
void for_each_sample(const std::string& levels, const std::string& text, const Samples& samples,
                     const Visit& visit) {
  SCOPED_TRACE(levels + text);
  const auto workload = io::read_workload_line(text, "test");
  const auto arch = io::read_architecture(levels, "test");
  ASSERT_TRUE(workload.ok() && arch.ok());
  const Problem problem = testing::make_problem(*workload.value, *arch.value);
  const auto restrictions = Restrictions::create(problem);
  const MadeSpace space = MapSpace::create(problem, samples.kind, *restrictions.value);
  ASSERT_TRUE(space.ok());
  const Evaluator evaluator = testing::make_evaluator(problem);
  const SolverTables solver = make_solver_tables(evaluator, samples.kind, *restrictions.value);
  Sampler sampler(*space.value);
  Rng rng(samples.seed);
  for (int i = 0; i < samples.count && !::testing::Test::HasFailure(); ++i) {
    visit(solver, sampler.draw(rng), rng);
  }
}

}  // namespace tilewright::optimal
