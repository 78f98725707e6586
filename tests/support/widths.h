// Problems in which tensors have widths of their own and memories charge by the bit.
#pragma once

#include "support/random_problem.h"

namespace tilewright::testing {

// The problem with other widths and such memories. Capacities stay what they are, in elements.
inline Problem with_widths(const Problem& problem, TestRng& rng) {
  Workload workload = problem.workload();
  for (Tensor& tensor : workload.tensors) tensor.bits = rng.pick<std::int64_t>({4, 8, 12, 32});
  Architecture arch = problem.arch();
  for (Level& level : arch.levels) {
    auto* memory = std::get_if<Memory>(&level);
    if (memory == nullptr || !rng.chance(80)) continue;
    memory->energy_of_bits = true;
    memory->word_bits = 8;
  }
  return Problem::create(workload, arch).value.value();
}

}  // namespace tilewright::testing
