#include "mapspace/flat_space.h"

namespace tilewright {

FlatSpace::FlatSpace(const Problem& p, SpaceKind k, const Restrictions& r)
    : problem(p),
      kind(k),
      restrictions(r),
      dims(p.dim_count()),
      slots(p.slot_count()),
      tensors(p.tensor_count()) {
  for (int d = 0; d < dims; ++d) sizes[at(d)] = problem.workload().dim(DimId{d}).size;
  for (int s = 0; s < slots; ++s) {
    const Slot& slot = problem.slots()[at(s)];
    if (tilewright::may_leave_remainder(kind, slot)) uneven_slots |= 1U << s;
    if (slot.is_temporal()) continue;
    spatial_slots |= 1U << s;
    instances[at(s)] = problem.instances_along(s);
    if (slot.kind == SlotKind::SpatialY) {
      fanouts.push_back({s, restrictions.least_instances(slot.level)});
    }
  }
}

Chain chain_of(const Mapping& mapping, int dim) {
  Chain bounds;  // NOLINT(cppcoreguidelines-pro-type-member-init): as far as there are slots
  const int slots = mapping.slot_count();
  const int dims = mapping.dim_count();
  const std::int64_t* bound = mapping.bounds(0) + dim;
  for (int s = 0; s < slots; ++s, bound += dims) bounds[at(s)] = *bound;
  return bounds;
}

void set_chain(const Chain& bounds, int dim, Mapping& mapping) {
  const int slots = mapping.slot_count();
  for (int s = 0; s < slots; ++s) mapping.set_bound(s, DimId{dim}, bounds[at(s)]);
}

}  // namespace tilewright
