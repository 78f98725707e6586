// Random small cascades with random plans, for tests that hold the count against the oracle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/random_problem.h"
#include "tilewright/cascade.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {

// "S[m,p] += Q[m,e] * K[p,e]" and the like, with the sizes of all dimensions: "m=4 p=6 e=2".
Cascade make_cascade(const std::vector<std::string>& einsums, const std::string& sizes);

struct PlanCase {
  Cascade cascade;
  Architecture arch;  // DRAM, Buffer and others; without limits
  Plan plan;
};

// Chains and trees of products, attention, convolutions in a row, several readers; with loops over
// a dimension twice, recomputation, windows that stay. Nothing if what was drawn is no plan. With
// several memories these have one more inside the buffer; groups share any of them, and residents
// are at home in any.
std::optional<PlanCase> random_plan(TestRng& rng, bool several_memories = false);

// Random nests for all executions of a plan.
void add_random_nests(TestRng& rng, const Cascade& cascade, const Architecture& arch, Plan& plan);

// Every count in which the two differ. Live words may be above the oracle's, never below;
// `same_live` says whether they are equal.
std::vector<std::string> compare_with_oracle(const PlanCase& random, bool& same_live);

// Whether an intermediate of a group also leaves.
bool has_departure(const PlanCase& random);
// Whether something of a group is at home in another memory than the one that it shares.
bool has_several_homes(const PlanCase& random);
// Whether a shared loop leaves a remainder.
bool has_remainder(const PlanCase& random);
// Whether an intermediate is read with padding.
bool has_padding(const Cascade& cascade);

// Whether something is done online, in several parts.
bool rescales(const PlanCase& random);

std::string describe(const PlanCase& random);

}  // namespace tilewright::testing
