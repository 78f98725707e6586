#include "mappers/optimal/cost.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

bool covers(const Cost& a, const Cost& b) { return a.energy <= b.energy && a.cycles <= b.cycles; }

// A product of 192 bits at most.
struct Product {
  __extension__ unsigned __int128 high = 0;
  std::uint64_t low = 0;
};

Product product(Int128 a, std::int64_t b) {
  __extension__ using Wide = unsigned __int128;
  const auto wide = static_cast<Wide>(a);
  const auto factor = static_cast<Wide>(b);
  const Wide low = (wide & ~std::uint64_t{0}) * factor;
  return {(wide >> 64U) * factor + (low >> 64U), static_cast<std::uint64_t>(low)};
}

}  // namespace

bool is_product_less(Int128 a, std::int64_t b, Int128 c, std::int64_t d) {
  const Product left = product(a, b);
  const Product right = product(c, d);
  return left.high != right.high ? left.high < right.high : left.low < right.low;
}

bool Goal::is_improved_by(const Cost& cost) const {
  if (aim_) return costs_.empty() || is_less(*aim_, cost, costs_.front());
  return std::none_of(costs_.begin(), costs_.end(),
                      [&](const Cost& known) { return covers(known, cost); });
}

void Goal::add(const Cost& cost) {
  std::erase_if(costs_, [&](const Cost& known) { return aim_ || covers(cost, known); });
  costs_.push_back(cost);
}

Units Goal::energy_limit(std::int64_t cycles, std::int64_t instances, const Scale& scale) const {
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
    if (aim_->objective == Objective::Energy) {
      limit = energy + (tie ? 1 : 0);
    } else if (aim_->objective == Objective::Edp) {
      // Leakage may make it larger than any table holds.
      constexpr Int128 kLargest = static_cast<Int128>(1) << 125;
      limit = energy > kLargest / known.cycles
                  ? kNever
                  : (energy * known.cycles + cycles - 1) / cycles + (tie ? 1 : 0);
    } else if (known.cycles <= cycles) {
      // Where latency is the objective, energy decides only between equals.
      limit = known.cycles < cycles ? 0 : energy + (tie ? 1 : 0);
    }
  }
  return static_cast<Units>(std::min<Int128>(limit, kNever));
}

}  // namespace tilewright::optimal
