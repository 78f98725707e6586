#include "mappers/quickflow/ground.h"

#include <algorithm>

namespace tilewright::quickflow {

Ground::Ground(const Evaluator& e, SpaceKind k, const Restrictions& r)
    : evaluator(e),
      problem(e.problem()),
      kind(k),
      restrictions(r),
      dims(problem.dim_count()),
      slots(problem.slot_count()),
      tensors(problem.tensor_count()),
      boxes(problem.arch().accounting == Accounting::Timeloop) {
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
  for (int d = 0; d < dims; ++d) {
    sizes[at(d)] = problem.workload().dim(DimId{d}).size;
    for (int s = 0; s < slots; ++s) {
      if (limits(s, d).most > 1) open[at(d)] |= 1U << s;
    }
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    const int slot = problem.use(MemoryId{m}).slot;
    memories.push_back({slot, (spatial_slots & ((1U << slot) - 1U)) != 0,
                        room_of(problem, MemoryId{m}), restrictions.keep_always(MemoryId{m}),
                        restrictions.keep_allowed(MemoryId{m})});
  }
  std::uint32_t kept = 0;
  for (const OfMemory& memory : memories) {
    const bool home = (memory.keep_allowed & ~kept) != 0;
    only_model_knows = only_model_knows || (home && memory.under_fanout && memory.room.bounded);
    kept |= memory.keep_always;
  }
  for (const Tensor& tensor : problem.workload().tensors) {
    parts.push_back(*split_tensor(problem.workload(), tensor, boxes));
  }
}

bool Ground::is_chain(int dim, const Chain& bounds) const {
  std::int64_t left = size(dim);
  for (int s = slots; s-- > 0;) {
    const std::int64_t bound = bounds[at(s)];
    const BoundLimits& limit = limits(s, dim);
    if (bound < limit.least || bound > limit.most || bound > left) return false;
    if (bound == 1) continue;
    if (!may_leave_remainder(s) && left % bound != 0) return false;
    left = ceil_div(left, bound);
  }
  return left == 1;
}

}  // namespace tilewright::quickflow
