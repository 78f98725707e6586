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

Target::Target(Objective objective, const BigUint& bound, std::optional<Cost> reached)
    : objective_(objective), bound_(bound), reached_(reached) {}

Target::Least Target::least_energy(std::int64_t cycles) const {
  const BigUint taken(static_cast<std::uint64_t>(cycles));
  switch (objective_) {
    case Objective::Energy:
      return {small(bound_), true};
    case Objective::Latency:
      if (taken == bound_ && reached_) return {reached_->energy, true};
      return {taken < bound_ ? kUnreachable : 0, false};
    case Objective::Edp:
      break;
  }
  BigUint quotient = bound_;
  const bool equal = quotient.divide(taken).is_zero();
  return {small(equal ? quotient : quotient + BigUint(1)), equal};
}

bool Target::wins_tie(std::int64_t cycles, std::int64_t instances) const {
  if (!reached_ || cycles > reached_->cycles) return false;
  return cycles < reached_->cycles || instances < reached_->instances;
}

Int128 Target::energy_needed(std::int64_t cycles, std::int64_t instances) const {
  if (cycles == known_cycles_ && instances == known_instances_) return known_energy_;
  const Least least = least_energy(cycles);
  known_cycles_ = cycles;
  known_instances_ = instances;
  known_energy_ = least.energy + (least.ties && wins_tie(cycles, instances) ? 1 : 0);
  return known_energy_;
}

}  // namespace tilewright::certificate
