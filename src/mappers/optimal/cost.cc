#include "mappers/optimal/cost.h"

#include <algorithm>
#include <cmath>

namespace tilewright::optimal {
namespace {

bool covers(const Cost& a, const Cost& b) { return a.energy <= b.energy && a.cycles <= b.cycles; }

__extension__ using Uint128 = unsigned __int128;

// A product of 256 bits at most.
struct Product {
  Uint128 high = 0, low = 0;
};

Product product(Int128 a, Int128 b) {
  const auto wide = static_cast<Uint128>(a);
  const auto factor = static_cast<Uint128>(b);
  const auto low_half = [](Uint128 number) { return number & ~std::uint64_t{0}; };
  const Uint128 low = low_half(wide) * low_half(factor);
  Uint128 middle = (wide >> 64U) * low_half(factor) + (low >> 64U);
  const Uint128 high = middle >> 64U;
  middle = low_half(middle);
  if (factor >> 64U == 0) return {high, middle << 64U | low_half(low)};
  middle += low_half(wide) * (factor >> 64U);
  return {high + (wide >> 64U) * (factor >> 64U) + (middle >> 64U), middle << 64U | low_half(low)};
}

double rounded_value(Objective objective, const Cost& cost) {
  return value_of(objective, {{}, static_cast<double>(cost.energy), cost.cycles, 0});
}

BigUint exact_value(Objective objective, const Cost& cost) {
  const BigUint energy = BigUint::of(cost.energy);
  const BigUint cycles = BigUint::of(cost.cycles);
  BigUint value(1);
  for (int i = 0; i < objective.energy; ++i) value *= energy;
  for (int i = 0; i < objective.cycles; ++i) value *= cycles;
  return value;
}

// The least energy at which so many cycles make the product no less than a known one has;
// rounded up, so that nothing of interest is left out.
Int128 energy_of_equals(Objective objective, Energy energy, Int128 known_cycles, Int128 cycles) {
  constexpr Int128 kLargest = static_cast<Int128>(1) << 125;
  if (objective == Objective::Edp) {
    if (energy <= kLargest / known_cycles) return (energy * known_cycles + cycles - 1) / cycles;
    BigUint equal = BigUint::of(energy) * BigUint::of(known_cycles);
    equal.divide(BigUint::of(cycles));
    // Leakage may make it larger than any table holds.
    return equal < BigUint(kNever) ? equal.wide() + 1 : Int128{kNever};
  }
  const double ratio = static_cast<double>(known_cycles) / static_cast<double>(cycles);
  const double power = static_cast<double>(objective.cycles) / objective.energy;
  const double equal = static_cast<double>(energy) * std::pow(ratio, power) * (1 + 1e-9) + 2;
  return equal < static_cast<double>(kNever) ? static_cast<Int128>(equal) : Int128{kNever};
}

}  // namespace

bool is_value_less(Objective objective, const Cost& a, const Cost& b) {
  if (objective == Objective::Edp) {
    const Product left = product(a.energy, a.cycles);
    const Product right = product(b.energy, b.cycles);
    return left.high != right.high ? left.high < right.high : left.low < right.low;
  }
  // Few values are as close as rounding; those are compared exactly.
  constexpr double kSure = 1e-12;
  const double left = rounded_value(objective, a);
  const double right = rounded_value(objective, b);
  if (left < right * (1 - kSure)) return true;
  if (right < left * (1 - kSure)) return false;
  return exact_value(objective, a) < exact_value(objective, b);
}

std::int64_t Work::least_instances(Int128 most_cycles) const {
  const Int128 each = most_cycles / cycles * macs_at_once;
  if (each <= 0) return 0;
  return static_cast<std::int64_t>(std::min<Int128>((macs + each - 1) / each, kCountLimit));
}

bool Goal::is_improved_by(const Cost& cost) const {
  if (aim_) return costs_.empty() || is_less(*aim_, cost, costs_.front());
  return std::none_of(costs_.begin(), costs_.end(),
                      [&](const Cost& known) { return covers(known, cost); });
}

void Goal::add(const Cost& cost) {
  std::erase_if(costs_, [&](const Cost& known) { return aim_ || covers(cost, known); });
  costs_.push_back(cost);
  if (aim_ && cost.instances <= work_.least_instances(cost.cycles)) costs_.back().instances = 0;
}

Units Goal::energy_limit(Int128 cycles, std::int64_t instances, const Scale& scale) const {
  Int128 limit = kNever;
  for (const Cost& known : costs_) {
    // Rounded up: nothing that is of interest may be left out.
    const Energy energy = (known.energy + scale.energy(1) - 1) >> scale.shift;
    if (!aim_) {
      if (known.cycles <= cycles) limit = std::min<Int128>(limit, energy);
      continue;
    }
    // What is as good by the objective, and better by the rest of the key.
    const bool fewer = known.cycles == cycles && instances < known.instances;
    const bool tie = aim_->settle_ties && (cycles < known.cycles || fewer);
    if (aim_->objective.cycles == 0) {
      limit = energy + (tie ? 1 : 0);
    } else if (aim_->objective.energy > 0) {
      limit = energy_of_equals(aim_->objective, energy, known.cycles, cycles) + (tie ? 1 : 0);
    } else if (known.cycles <= cycles) {
      // Where latency is the objective, energy decides only between equals.
      limit = known.cycles < cycles || aim_->only_value ? 0 : energy + (tie ? 1 : 0);
    }
  }
  return static_cast<Units>(std::min<Int128>(limit, kNever));
}

}  // namespace tilewright::optimal
