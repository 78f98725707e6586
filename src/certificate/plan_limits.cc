#include "certificate/plan_limits.h"

#include <algorithm>

namespace tilewright::certificate {

void add_total(std::vector<PlanTotal>& totals, const PlanTotal& total) {
  const auto takes_no_more = [](const PlanTotal& a, const PlanTotal& b) {
    return a.energy <= b.energy && a.cycles <= b.cycles;
  };
  const bool known = std::any_of(totals.begin(), totals.end(),
                                 [&](const PlanTotal& one) { return takes_no_more(one, total); });
  if (known) return;
  std::erase_if(totals, [&](const PlanTotal& one) { return takes_no_more(total, one); });
  totals.push_back(total);
}

Int128 GroupLimit::energy(Int128 cycles) const {
  if (last_ && last_->cycles == cycles) return last_->energy;
  auto [found, added] = known_.try_emplace(cycles, 0);
  if (added) {
    for (const PlanTotal& before : before_) {
      found->second = std::max(found->second, energy_behind(before, cycles));
    }
  }
  last_ = PlanTotal{found->second, cycles};
  return found->second;
}

Int128 GroupLimit::energy_behind(const PlanTotal& before, Int128 cycles) const {
  const Int128 taken = plus(before.cycles, cycles);
  Int128 energy = target_.energy_needed(plus(taken, rest_.cycles), 1) - rest_.energy;
  for (const PlanTotal& total : behind_) {
    if (total.cycles <= taken) energy = std::min(energy, total.energy);
  }
  return energy - before.energy;
}

}  // namespace tilewright::certificate
