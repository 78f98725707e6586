// What einsums take at least, in groups and in any plan.
#pragma once

#include <vector>

#include "certificate/plan_nests.h"

namespace tilewright::certificate {

// What einsums take at least: their nests with everything resident, and what is done afterwards.
class PlanFloors {
 public:
  // Throws Expired when it is cancelled.
  PlanFloors(const PlanSpace& space, const PlanTimes& times, Int128 limit,
             const Deadline& deadline);

  // Inside the shared memory, and afterwards.
  const PlanTotal& alone(int einsum) const { return alone_[at(einsum)]; }
  // With one load of each tensor that does not pass on the chip inside the group.
  PlanTotal in_group(const EinsumRun& group, int einsum) const;
  PlanTotal group(const EinsumRun& group) const;
  // With one load of those tensors alone that no einsum hands on, in any plan.
  const PlanTotal& in_any_plan(int einsum) const { return in_any_plan_[at(einsum)]; }
  PlanTotal in_any_plan(int first, int end) const;  // of several einsums

 private:
  template <typename IsLoaded>
  PlanTotal with_loads(int einsum, IsLoaded is_loaded) const;

  const PlanSpace& space_;
  const PlanTimes& times_;
  std::vector<PlanTotal> alone_, in_any_plan_;  // by einsum
};

}  // namespace tilewright::certificate
