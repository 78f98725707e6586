#include "certificate/target.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

// Numbers beyond Int128 are as good as unreachable.
Int128 small(const BigUint& number) {
  if (number.bit_count() > 126) return Target::kUnreachable;
  return number.wide();
}

BigUint power(const BigUint& base, int exponent) {
  BigUint result(1);
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

// The least number whose power is not below `number`, by halving.
Int128 rounded_up_root(const BigUint& number, int exponent) {
  Int128 below = -1;  // its power is too small, or it is no number
  Int128 enough = Target::kUnreachable;
  while (enough - below > 1) {
    const Int128 middle = below + (enough - below) / 2;
    (power(big(middle), exponent) < number ? below : enough) = middle;
  }
  return enough;
}

}  // namespace

BigUint value_of(Objective objective, const Cost& cost) {
  return power(big(cost.energy), objective.energy) * power(big(cost.cycles), objective.cycles);
}

int value_decimals(Objective objective, const Energies& energies) {
  return objective.energy * energies.decimals;
}

std::string value_text(Objective objective, const Energies& energies, const Cost& cost) {
  return decimal_text(value_of(objective, cost), value_decimals(objective, energies));
}

std::int64_t fewest_instances(const Terms& terms, Int128 cycles) {
  const Compute& compute = terms.problem->arch().compute();
  const Int128 each = times(cycles / compute.cycles, compute.macs);
  return each == 0 ? 1 : narrow(ceil_div(Int128{terms.macs}, each));
}

Target make_target(Objective objective, const BigUint& bound, const Cost& cost,
                   const Terms& terms) {
  if (bound != value_of(objective, cost)) return {objective, bound, std::nullopt};
  return {objective, bound, cost, fewest_instances(terms, cost.cycles)};
}

Target::Target(Objective objective, const BigUint& bound, std::optional<Cost> reached,
               std::int64_t needed)
    : objective_(objective), bound_(bound), reached_(reached), needed_(needed) {}

Target::Least Target::least_energy(Int128 cycles) const {
  const BigUint taken = power(big(cycles), objective_.cycles);
  if (objective_.energy == 0) {
    if (taken == bound_ && reached_) return {reached_->energy, true};
    return {taken < bound_ ? kUnreachable : 0, false};
  }
  // energy^a * cycles^b >= bound: the rounded-up root of the rounded-up quotient.
  BigUint quotient = bound_;
  const bool divides = objective_.cycles == 0 || quotient.divide(taken).is_zero();
  if (!divides) quotient += BigUint(1);
  if (objective_.energy == 1) return {small(quotient), divides};
  const Int128 root = rounded_up_root(quotient, objective_.energy);
  const bool exact =
      divides && root < kUnreachable && power(big(root), objective_.energy) == quotient;
  return {root, exact};
}

bool Target::wins_tie(Int128 cycles, std::int64_t instances) const {
  if (!reached_ || cycles > reached_->cycles) return false;
  return cycles < reached_->cycles || std::max(instances, needed_) < reached_->instances;
}

Int128 Target::energy_needed(Int128 cycles, std::int64_t instances) const {
  Answer& known = answers_[static_cast<std::size_t>(cycles % 61)];
  if (cycles == known.cycles && instances == known.instances) return known.energy;
  const Least least = least_energy(cycles);
  const bool better = least.ties && wins_tie(cycles, instances);
  known = {cycles, instances, least.energy + (better ? 1 : 0)};
  return known.energy;
}

}  // namespace tilewright::certificate
