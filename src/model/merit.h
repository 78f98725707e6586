// What decides which of two scores is better, worked out once for each: for searches that compare
// scores again and again.
#pragma once

#include <bit>
#include <cstdint>

#include "tilewright/model.h"

namespace tilewright {

// A score that fits has one. The smaller one is better: by the objective, then as is_better() says.
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

namespace merit {

// To the nearest of the numbers without the last 12 of 52 binary digits, so that what
// differs by rounding alone is equal; unlike a tolerance this stays an order. The number
// must not be negative.
inline double rounded(double value) {
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 12U;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + kUnit / 2) & ~(kUnit - 1));
}

// The conversion of 128 bits takes its time, and most counts do not need them.
inline double as_double(Int128 cycles) {
  const auto narrow = static_cast<std::int64_t>(cycles);
  return narrow == cycles ? static_cast<double>(narrow) : static_cast<double>(cycles);
}

// What value_of() gives.
inline double value(Objective objective, const Score& score) {
  double value = 1;
  for (int i = 0; i < objective.energy; ++i) value *= score.energy_pj;
  if (objective.cycles == 0) return value;
  const double cycles = as_double(score.cycles);
  for (int i = 0; i < objective.cycles; ++i) value *= cycles;
  for (int i = 0; i > objective.cycles; --i) value /= cycles;
  return value;
}

}  // namespace merit

inline Merit merit_of(Objective objective, const Score& score) {
  // Where energy has no part in it, cycles are whole numbers that need no rounding.
  return {objective.energy > 0 ? merit::rounded(merit::value(objective, score)) : 0, score.cycles,
          merit::rounded(score.energy_pj), score.instances};
}

}  // namespace tilewright
