// Map-spaces by trying everything: what the counting of map-spaces is held
// against. Shares nothing with it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "support/random_problem.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing {

// Bounds, orders and kept tensors, for comparing mappings as text.
std::string mapping_text(const Mapping& mapping);

// A GEMM on the memories Outer and Inner with a row of `instances` between
// them, called Array.
Problem two_level_gemm(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t instances);

// Few dimensions and levels, with random constraints that need not go together.
struct SmallSpace {
  Problem problem;
  std::vector<Constraint> constraints;
};
SmallSpace random_small_space(TestRng& rng);

// All mappings of the space, in canonical form, as mapping_text() writes them.
std::set<std::string> naive_mappings(const Problem& problem, SpaceKind kind,
                                     const std::vector<Constraint>& constraints);

}  // namespace tilewright::testing
