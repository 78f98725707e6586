#include <bit>

#include "model/merit.h"

namespace tilewright {

namespace {

// To the nearest of the numbers without the last 12 of 52 binary digits, so that what
// differs by rounding alone is equal; unlike a tolerance this stays an order. The number
// must not be negative.
double rounded(double value) {
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 12U;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + kUnit / 2) & ~(kUnit - 1));
}

// The conversion of 128 bits takes its time, and most counts do not need them.
double as_double(Int128 cycles) {
  const auto narrow = static_cast<std::int64_t>(cycles);
  return narrow == cycles ? static_cast<double>(narrow) : static_cast<double>(cycles);
}

}  // namespace

double value_of(Objective objective, const Score& score) {
  double value = 1;
  for (int i = 0; i < objective.energy; ++i) value *= score.energy_pj;
  if (objective.cycles == 0) return value;
  const double cycles = as_double(score.cycles);
  for (int i = 0; i < objective.cycles; ++i) value *= cycles;
  for (int i = 0; i > objective.cycles; --i) value /= cycles;
  return value;
}

Merit merit_of(Objective objective, const Score& score) {
  // Where energy has no part in it, cycles are whole numbers that need no rounding.
  return {objective.energy > 0 ? rounded(value_of(objective, score)) : 0, score.cycles,
          rounded(score.energy_pj), score.instances};
}

bool is_better(Objective objective, const Score& a, const Score& b) {
  return merit_of(objective, a) < merit_of(objective, b);
}

}  // namespace tilewright
