#include "certificate/frames.h"

namespace tilewright::certificate {

std::vector<int> fanout_slots(const Problem& problem) {
  std::vector<int> slots;
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].kind == SlotKind::SpatialY) slots.push_back(s);
  }
  return slots;
}

std::vector<int> fanout_places(const Problem& problem) {
  std::vector<int> places;
  int memories = 0;
  for (const Slot& slot : problem.slots()) {
    if (slot.is_temporal()) ++memories;
    if (slot.kind == SlotKind::SpatialY) places.push_back(memories);
  }
  return places;
}

}  // namespace tilewright::certificate
