#include "certificate/link.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/window_count.h"

namespace tilewright::certificate {

LinkCount::LinkCount(const Nest& nest, const Parts& parts, bool output, int parent, int child)
    : nest_(nest),
      parts_(parts),
      output_(output),
      parent_slot_(nest.problem().use(MemoryId{parent}).slot),
      child_slot_(child == kCompute ? nest.problem().slot_count()
                                    : nest.problem().use(MemoryId{child}).slot),
      to_compute_(child == kCompute) {
  if (!to_compute_) moving_ = nest.innermost_loop(child_slot_, parts.relevant);
  int number = 0;
  for (int s = 0; s < child_slot_; ++s) {
    if (nest.problem().slots()[at(s)].kind != SlotKind::SpatialY) continue;
    if (s > parent_slot_) {
      fanouts_.push_back(number);
      fanout_slots_.push_back(s);
    }
    ++number;
  }
}

bool LinkCount::shares(int slot, std::size_t first) const {
  for (std::size_t i = first; i < fanout_slots_.size(); ++i) {
    if (slot != fanout_slots_[i] && slot != fanout_slots_[i] + 1) continue;
    return output_ ? fanout_at(slot).reduction : fanout_at(slot).multicast;
  }
  return false;
}

bool LinkCount::shares_halos(int slot) const { return !output_ && fanout_at(slot).shares_halos; }

const Fanout& LinkCount::fanout_at(int slot) const {
  const Slot& where = nest_.problem().slots()[at(slot)];
  return std::get<Fanout>(nest_.problem().arch().level(where.level));
}

Digit LinkCount::digit(int slot, int dim, Instances instances) const {
  if (nest_.is_temporal(slot)) {
    // Loops inside the moving loop cost nothing; without one, no loop does.
    // The multipliers ask anew in every step.
    const bool free = !to_compute_ && !(slot == moving_.slot && dim == moving_.dim) &&
                      !nest_.is_outside(slot, dim, moving_);
    return free ? Digit::Zero : Digit::Counted;
  }
  if (slot < parent_slot_) return instances == Instances::All ? Digit::Counted : Digit::Zero;
  return instances == Instances::FirstChild ? Digit::Zero : Digit::Kept;
}

Int128 LinkCount::words(Instances instances, std::size_t first) const {
  Count product = 1;
  for (int d = 0; d < nest_.problem().dim_count(); ++d) {
    const bool relevant = contains(parts_.relevant, d);
    if (relevant && std::count(parts_.alone.begin(), parts_.alone.end(), d) == 0) continue;
    // Branches that differ in an irrelevant dimension share; the one with digit
    // 0 has the most below it. Each index of a relevant one is moved once.
    const auto counted = [&](int slot) {
      if (slot >= child_slot_) return true;
      const Digit what = digit(slot, d, instances);
      if (what == Digit::Kept) return relevant || !shares(slot, first);
      return what == Digit::Counted;
    };
    const int end = relevant ? nest_.problem().slot_count() : child_slot_;
    product *= nest_.combinations(d, end, counted);
  }
  for (const Window& window : parts_.windows) {
    product *= WindowCount(*this, window, instances, first).words();
  }
  return product;
}

Int128 LinkCount::entering(Instances instances) const {
  return words(instances, fanout_slots_.size());
}

Int128 LinkCount::served(Instances instances) const { return words(instances, 0); }

Int128 LinkCount::arriving(std::size_t fanout) const { return words(Instances::All, fanout + 1); }

}  // namespace tilewright::certificate
