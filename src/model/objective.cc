#include <bit>

#include "tilewright/model.h"

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
  for (int i = 0; i < objective.cycles; ++i) value *= as_double(score.cycles);
  for (int i = 0; i > objective.cycles; --i) value /= as_double(score.cycles);
  return value;
}

bool is_better(Objective objective, const Score& a, const Score& b) {
  // Where energy has no part in it, cycles are whole numbers that need no rounding.
  const double first_of_a = objective.energy > 0 ? rounded(value_of(objective, a)) : 0;
  const double first_of_b = objective.energy > 0 ? rounded(value_of(objective, b)) : 0;
  if (first_of_a != first_of_b) return first_of_a < first_of_b;
  if (a.cycles != b.cycles) return a.cycles < b.cycles;
  const double energy_of_a = rounded(a.energy_pj);
  const double energy_of_b = rounded(b.energy_pj);
  if (energy_of_a != energy_of_b) return energy_of_a < energy_of_b;
  return a.instances < b.instances;
}

}  // namespace tilewright
