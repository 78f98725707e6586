// Small random layers on small random accelerators that can be set up, with all
// their mappings gone through: what mapping under a flexibility is held against.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/brute_force.h"
#include "tilewright/arch.h"
#include "tilewright/workload.h"

namespace tilewright::testing {

// Which dimensions of a layer a loop of the accelerator stands for, outermost
// first, by hand: docs/flexibility.md, "How a layer is seen".
struct LoopNames {
  std::array<std::vector<std::string>, kConvDims> dims;
  std::vector<std::string> groups;  // of C, which K may unroll as well
  std::vector<std::string> others;  // a batch
};

struct FlexibleCase {
  Workload workload;
  LoopNames loops;
  Architecture arch;  // with a flexibility; buffer and array are called Buffer and Array
};

struct FlexibleOptions {
  SpaceKind kind = SpaceKind::Ruby;
  std::uint64_t most_mappings = 20'000;  // on an array of any shape
  bool tiles_of_pes = false;             // the tile is that of Local, a memory of each PE
};

// The architecture with a flexibility written as that of --flex.
Architecture with_flexibility(const std::string& arch, const std::string& line);

// Convolutions of all sorts and matrix products; two or three memories outside
// the array, other fan-outs around and in it, slow ports, tensors that pass by.
FlexibleCase random_flexible_case(std::uint64_t seed, const FlexibleOptions& options);

std::string text_of(const FlexibleCase& flexible);

// Calls with every mapping on an array of any shape that the accelerator can be set to, whether
// it fits or not.
void for_each_that_runs(const FlexibleCase& flexible, SpaceKind kind,
                        const std::function<void(const Mapping&, const Score&)>& call);

// The same of all mappings, even and uneven, with the evaluator of each one's storage points.
// False if there are more than so many on an array of any shape.
bool for_each_uneven_that_runs(const FlexibleCase& flexible, SpaceKind kind,
                               std::uint64_t most_mappings,
                               const std::function<void(const Evaluator&, const Mapping&)>& call);

// The best mappings of all that the accelerator can be set to: every mapping on
// an array of any shape, held against what docs/flexibility.md says of the axes.
// Shares no code with settings.
BruteForce flexible_brute_force(const FlexibleCase& flexible, SpaceKind kind);

// Why the accelerator cannot be set to run a mapping; empty if it can.
std::string why_not_run(const FlexibleCase& flexible, const Mapping& mapping);

// The problem with an array that is large enough for every shape.
Problem unshaped_problem(const FlexibleCase& flexible);

}  // namespace tilewright::testing
