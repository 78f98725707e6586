#include "mappers/optimal/energy_limit.h"

#include <algorithm>

namespace tilewright::optimal {

EnergyLimit::EnergyLimit(const Subproblem& sub, const Goal& goal, Int128 cycles,
                         std::int64_t instances)
    : sub_(&sub),
      goal_(&goal),
      cycles_(std::max(cycles, sub.solver().least_cycles)),
      instances_(instances),
      units_(with_cycles(cycles_)) {}

Units EnergyLimit::with_cycles(Int128 cycles) const {
  const Scale& scale = sub_->solver().scale;
  const Units limit = goal_->energy_limit(cycles, instances_, scale);
  const Units leakage = scale.table(sub_->leakage(cycles));
  return limit >= kNever ? kNever : std::max<Units>(limit - leakage, 0);
}

Units EnergyLimit::with_steps(Int128 steps) const {
  const Int128 cycles = sub_->cycles_of(steps);
  return cycles <= cycles_ ? units_ : with_cycles(cycles);
}

}  // namespace tilewright::optimal
