// Map-spaces of small random problems, as the optimal mapper sees them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "mappers/optimal/solver_tables.h"
#include "support/problems.h"
#include "support/small_instance.h"
#include "tilewright/mapspace.h"

namespace tilewright::optimal {

// Those of so many seeds, the first of which comes after `after`.
struct SmallSpaces {
  SpaceKind kind = SpaceKind::Perfect;
  int count = 0;
  std::uint64_t after = 0;
};

// Calls visit(solver) for each of them that has no contradictions, until a test fails.
template <typename Visit>
void for_each_space(const SmallSpaces& spaces, const Visit& visit) {
  for (int i = 1; i <= spaces.count; ++i) {
    const std::uint64_t seed = spaces.after + static_cast<std::uint64_t>(i);
    const auto instance = testing::small_instance(seed, {.kind = spaces.kind});
    const Restrictions restrictions = testing::restrictions_of(instance);
    if (!restrictions.contradictions().empty()) continue;
    const Evaluator evaluator = testing::make_evaluator(instance.problem);
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(spaces.kind) + "\n" +
                 testing::text_of(instance));
    visit(make_solver_tables(evaluator, spaces.kind, restrictions));
    if (::testing::Test::HasFailure()) return;
  }
}

// Calls visit(solver, mapping) for so many mappings of each, whether they fit or not.
template <typename Visit>
void for_each_mapping(const SmallSpaces& spaces, int mappings, const Visit& visit) {
  for_each_space(spaces, [&](const SolverTables& solver) {
    const MadeSpace space = MapSpace::create(solver.problem(), solver.kind, *solver.restrictions);
    if (!space.ok()) return;
    Sampler sampler(*space.value);
    Rng rng(7);
    for (int i = 0; i < mappings; ++i) {
      visit(solver, sampler.draw(rng));
      if (::testing::Test::HasFailure()) return;
    }
  });
}

}  // namespace tilewright::optimal
