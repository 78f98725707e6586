// What decides which of two scores is better, worked out once for each: for searches that compare
// scores again and again.
#pragma once

#include "tilewright/model.h"

namespace tilewright {

// Of scores that fit. The smaller one is better: by the objective, then as is_better() says.
struct Merit {
  double value = 0;
  Int128 cycles = 0;
  double energy_pj = 0;
  std::int64_t instances = 0;

  bool operator<(const Merit& other) const {
    if (value != other.value) return value < other.value;
    if (cycles != other.cycles) return cycles < other.cycles;
    if (energy_pj != other.energy_pj) return energy_pj < other.energy_pj;
    return instances < other.instances;
  }
};

Merit merit_of(Objective objective, const Score& score);

}  // namespace tilewright
