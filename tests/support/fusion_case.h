// Random small problems for fused mapping.
#pragma once

#include <functional>

#include "support/random_problem.h"
#include "tilewright/cascade.h"
#include "tilewright/fusion.h"

namespace tilewright::testing {

// DRAM, a buffer called "Buffer", and an array with registers or without, all with prices
// that differ.
Architecture fusion_arch(TestRng& rng, std::int64_t buffer_words);
// The same with a bandwidth of DRAM; what is done afterwards may have a rate.
Architecture fusion_arch_with_ports(TestRng& rng, std::int64_t buffer_words);
// Ports of the outermost memory and of the buffer, of all speeds.
void add_ports(TestRng& rng, Architecture& arch);
void add_rate(TestRng& rng, Cascade& cascade);
// An einsum without windows on such an architecture.
Problem fusion_problem(TestRng& rng);
// Two or three products in a row, attention, or attention with a projection; some outputs also
// leave. Perhaps a product with two readers.
enum class SeveralReaders { No, Yes };
Cascade fusion_cascade(TestRng& rng, const std::vector<std::int64_t>& sizes = {1, 2, 3, 4, 4, 6},
                       SeveralReaders several = SeveralReaders::No);

// A random cascade with its best plan.
struct FusedCase {
  std::string name;  // by its seed
  Cascade cascade;
  Architecture arch;
  FuseOutcome outcome;

  bool is_fused() const { return outcome.plan.groups.size() < cascade.einsums.size(); }
};
// Those of some random cascades, as many as a build can afford, that have a plan.
struct FusedCases {
  int cases;
  std::uint64_t first_seed;
  std::int64_t most_words = 60;  // in the buffer
};
void for_each_fused(const FusedCases& which, const std::function<void(const FusedCase&)>& test);

}  // namespace tilewright::testing
