#include "optimal/cost.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

bool covers(const Cost& a, const Cost& b) { return a.energy <= b.energy && a.cycles <= b.cycles; }

}  // namespace

bool Goal::is_improved_by(const Cost& cost) const {
  if (objective_) return costs_.empty() || is_less(*objective_, cost, costs_.front());
  return std::none_of(costs_.begin(), costs_.end(),
                      [&](const Cost& known) { return covers(known, cost); });
}

void Goal::add(const Cost& cost) {
  std::erase_if(costs_, [&](const Cost& known) { return objective_ || covers(cost, known); });
  costs_.push_back(cost);
}

Units Goal::energy_limit(std::int64_t cycles) const {
  Int128 limit = kNever;
  for (const Cost& known : costs_) {
    if (objective_ == Objective::Energy) {
      limit = known.energy;
    } else if (objective_ == Objective::Edp) {
      limit = (static_cast<Int128>(known.energy) * known.cycles + cycles - 1) / cycles;
    } else if (known.cycles <= cycles) {
      // Where latency is the objective, energy decides only between equals.
      limit = objective_ && known.cycles < cycles ? 0 : std::min<Int128>(limit, known.energy);
    }
  }
  return static_cast<Units>(std::min<Int128>(limit, kNever));
}

}  // namespace tilewright::optimal
