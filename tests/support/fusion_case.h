// Random small problems for fused mapping.
#pragma once

#include "support/random_problem.h"
#include "tilewright/cascade.h"

namespace tilewright::testing {

// DRAM, a buffer called "Buffer", and an array with registers or without, all with prices
// that differ.
Architecture fusion_arch(TestRng& rng, std::int64_t buffer_words);
// The same with a bandwidth of DRAM; what is done afterwards may have a rate.
Architecture fusion_arch_with_ports(TestRng& rng, std::int64_t buffer_words);
void add_rate(TestRng& rng, Cascade& cascade);
// An einsum without windows on such an architecture.
Problem fusion_problem(TestRng& rng);
// Two or three products in a row, attention, or attention with a projection.
Cascade fusion_cascade(TestRng& rng, const std::vector<std::int64_t>& sizes = {1, 2, 3, 4, 4, 6});

}  // namespace tilewright::testing
