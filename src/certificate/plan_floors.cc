#include "certificate/plan_floors.h"

namespace tilewright::certificate {

PlanFloors::PlanFloors(const PlanSpace& space, const PlanTimes& times, Int128 limit,
                       const Deadline& deadline)
    : space_(space), times_(times) {
  for (int e = 0; e < space.einsums(); ++e) {
    const PlanEinsum& einsum = space.einsum(e);
    PlanTotal floor = nest_floor(space, times, e, limit, deadline);
    floor.energy =
        plus(floor.energy, certificate::times(einsum.afterwards, space.elements(einsum.output())));
    alone_.push_back(floor);
    in_any_plan_.push_back(with_loads(e, [&](int t) {
      const PlanTensor& tensor = einsum.tensors[at(t)];
      return tensor.handed_on < 0 || (tensor.is_output && space.always_leaves(tensor));
    }));
  }
}

template <typename IsLoaded>
PlanTotal PlanFloors::with_loads(int einsum, IsLoaded is_loaded) const {
  PlanTotal sum = alone(einsum);
  OpenTime time{narrow(sum.cycles), {}};
  const std::vector<PlanTensor>& tensors = space_.einsum(einsum).tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!tensors[t].shareable || !is_loaded(static_cast<int>(t))) continue;
    sum.energy = plus(sum.energy, space_.least_load(tensors[t]));
    times_.add_least(time, tensors[t]);
  }
  sum.cycles = times_.cycles(time);
  return sum;
}

PlanTotal PlanFloors::in_group(const EinsumRun& group, int einsum) const {
  return with_loads(einsum, [&](int t) {
    const bool leaves =
        space_.einsum(einsum).tensors[at(t)].is_output && space_.also_leaves(group, einsum);
    return leaves || !space_.is_inside(group, einsum, t);
  });
}

PlanTotal PlanFloors::group(const EinsumRun& group) const {
  PlanTotal sum;
  for (int e = group.first; e <= group.last; ++e) sum += in_group(group, e);
  return sum;
}

PlanTotal PlanFloors::in_any_plan(int first, int end) const {
  PlanTotal sum;
  for (int e = first; e < end; ++e) sum += in_any_plan(e);
  return sum;
}

}  // namespace tilewright::certificate
