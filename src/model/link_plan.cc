#include "model/link_plan.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::model {

void LinkPlan::follow(const Mapping& mapping) {
  bool same = count_ >= 0;
  for (int m = 0; m < c_.memories; ++m) {
    const std::uint32_t kept = mapping.kept(MemoryId{m});
    same = same && kept_[at(m)] == kept;
    kept_[at(m)] = kept;
  }
  if (!same) make();
}

void LinkPlan::make() {
  simple_ = true;
  count_ = 0;
  ++version_;
  find_homes();
  for (int t = 0; t < c_.tensors; ++t) add_links(t);
}

void LinkPlan::find_homes() {
  std::uint32_t outside = 0;  // kept outside a memory
  for (int m = 0; m < c_.memories; ++m) {
    // The outermost memory holds whole tensors, which are its tiles; boxes count as tiles do.
    homes_[at(m)] = m == 0 || c_.bounding_boxes ? 0 : kept_[at(m)] & ~outside;
    outside |= kept_[at(m)];
    if (c_.memory[at(m)].fanouts_outside == 0) continue;
    for (const int tensor : members(homes_[at(m)])) {
      if (!c_.tensor[at(tensor)].windows.empty()) simple_ = false;
    }
  }
}

void LinkPlan::add_links(int tensor) {
  int child = c_.memories;
  for (int parent = c_.memories; parent-- > 0;) {
    if (!contains(kept_[at(parent)], tensor)) continue;
    const FlatMemory& outer = c_.memory[at(parent)];
    const LinkEnds ends{
        tensor, parent, child, c_.tensor[at(tensor)].output, outer.in_place, child == c_.memories};
    links_[at(count_++)] = {ends, outer.fanouts_outside, c_.memory[at(child)].fanouts_outside};
    child = parent;
  }
}

}  // namespace tilewright::model
