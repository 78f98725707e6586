#include "certificate/target.h"

namespace tilewright::certificate {

namespace {

// Numbers beyond Int128 are as good as unreachable.
Int128 small(const BigUint& number) {
  if (number.bit_count() > 126) return Target::kUnreachable;
  const std::uint64_t high = number.high_bits(64);
  const BigUint low = number - [&] {
    BigUint shifted(high);
    shifted *= std::uint64_t{1} << 32U;
    shifted *= std::uint64_t{1} << 32U;
    return shifted;
  }();
  return (static_cast<Int128>(high) << 64) | low.small().value_or(0);
}

}  // namespace

BigUint value_of(Objective objective, const Cost& cost) {
  switch (objective) {
    case Objective::Energy:
      return big(cost.energy);
    case Objective::Latency:
      return {static_cast<std::uint64_t>(cost.cycles)};
    case Objective::Edp:
      break;
  }
  return big(cost.energy) * BigUint(static_cast<std::uint64_t>(cost.cycles));
}

Target::Target(Objective objective, const BigUint& bound, std::optional<Int128> tie_energy)
    : objective_(objective), bound_(bound), tie_energy_(tie_energy) {}

Int128 Target::energy_needed(std::int64_t cycles) const {
  if (cycles == known_cycles_) return known_energy_;
  const BigUint taken(static_cast<std::uint64_t>(cycles));
  Int128 needed = 0;
  if (objective_ == Objective::Energy) needed = small(bound_);
  if (objective_ == Objective::Latency) {
    if (taken < bound_) needed = kUnreachable;
    if (taken == bound_) needed = tie_energy_.value_or(0);
  }
  if (objective_ == Objective::Edp) {
    BigUint quotient = bound_;
    const BigUint rest = quotient.divide(taken);
    needed = small(rest.is_zero() ? quotient : quotient + BigUint(1));
  }
  known_cycles_ = cycles;
  known_energy_ = needed;
  return needed;
}

}  // namespace tilewright::certificate
