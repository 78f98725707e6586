// Special windows whose tiles may coincide in different instances below a
// fan-out: two of their dimensions are unrolled there, as along the diagonals
// of an array that holds p and r.
//
// In one step, the instances of a dimension that are active are the first so
// many in the order of their digits, all with full tiles but perhaps the last.
// Steps with equal numbers form a class. Within a class a fan-out's branches
// are regular (everything inside active and full) except perhaps the last;
// branches share a read if they start at the same element and both dimensions
// are regular, or irregular, in both.

#include "model/link.h"

namespace tilewright::model {

bool LinkCounter::can_merge(const Window& window, int merge_from) const {
  for (int f = std::max(first_fanout_, merge_from); f < end_fanout_; ++f) {
    const std::uint32_t unrolled = frame_.unrolled_dims(f) & window.dim_bits();
    if ((unrolled & (unrolled - 1)) != 0 && shares(f)) return true;
  }
  return false;
}

// All windows that can share below some fan-out of the link; from fan-out
// `merge_from` on they do.
Words LinkCounter::merged_windows(int merge_from) const {
  Words words{1, 1};
  for (const Window& window : tensor_.windows) {
    if ((window.dim_bits() & frame_.special()) == 0 || !can_merge(window, first_fanout_)) continue;
    words.all *= merged_window(window, 0, merge_from);
    if (want_busiest_) {
      words.busiest *= merged_window(window, spatial_outside(parent_slot_), merge_from);
    }
  }
  return words;
}

std::int64_t LinkCounter::merged_window(const Window& window, std::uint32_t zero,
                                        int merge_from) const {
  std::array<ClassList, kMaxWindowDims> lists;
  for (int i = 0; i < window.dim_count(); ++i) {
    list_classes(window.dim(i), zero, lists[static_cast<std::size_t>(i)]);
  }
  Shape shape;
  return merged_classes(window, lists.data(), 0, shape, merge_from);
}

// Compares the digits of a step with those of the dimension's last index, from
// the outermost slot in; the first difference decides how many instances are
// active, whatever the digits further in.
void LinkCounter::list_classes(int dim, std::uint32_t zero, ClassList& list) const {
  const std::uint32_t places = spatial_outside(child_slot_) & ~spatial_outside(parent_slot_);
  const int moving_slot = dim == moving_.dim ? moving_.slot : -1;
  std::int64_t inner_steps = 1;   // combinations of the step digits inside
  std::int64_t inner_starts = 1;  // ... with the moving loop at its start
  std::int64_t inner_places = 1;
  const int count = frame_.digit_slot_count(dim);
  for (int i = 0; i < count; ++i) {
    const DigitSlot& at = frame_.digit_slot(dim, i);
    if (at.slot >= child_slot_) continue;
    if (((places >> at.slot) & 1U) != 0) {
      inner_places *= at.bound;
    } else if (((zero >> at.slot) & 1U) == 0) {
      inner_steps *= at.bound;
      if (at.slot != moving_slot) inner_starts *= at.bound;
    }
  }
  std::int64_t before = 0;   // places up to the last index's digits so far
  bool start_so_far = true;  // the moving loop's digit, if passed, was 0
  bool moving_is_inside = moving_slot >= 0 && moving_slot < child_slot_;
  const auto add = [&](std::int64_t steps, std::int64_t starts, std::int64_t active) {
    list.add({starts, active, false, false});
    list.add({steps - starts, active, true, false});
  };
  for (int i = count; i-- > 0;) {
    const DigitSlot& at = frame_.digit_slot(dim, i);
    if (at.slot >= child_slot_) continue;
    if (((places >> at.slot) & 1U) != 0) {
      inner_places /= at.bound;
      before = before * at.bound + at.digit;
      continue;
    }
    const bool held = ((zero >> at.slot) & 1U) != 0;
    const bool is_moving = at.slot == moving_slot;
    if (!held) inner_steps /= at.bound;
    if (!held && !is_moving) inner_starts /= at.bound;
    const std::int64_t lower = held ? (at.digit > 0 ? 1 : 0) : at.digit;
    const std::int64_t higher = held ? 0 : at.bound - 1 - at.digit;
    const std::int64_t active_lower = (before + 1) * inner_places;
    const std::int64_t active_higher = before * inner_places;
    if (is_moving) {
      moving_is_inside = false;
      add(lower * inner_steps, lower > 0 ? inner_steps : 0, active_lower);
      add(higher * inner_steps, 0, active_higher);
      start_so_far = at.digit == 0;
    } else {
      const std::int64_t starts = moving_is_inside ? inner_starts : start_so_far ? inner_steps : 0;
      add(lower * inner_steps, lower * starts, active_lower);
      add(higher * inner_steps, higher * starts, active_higher);
    }
    if (held && at.digit > 0) return;  // the last index itself is not among the steps
  }
  const bool clipped = frame_.last_tile(child_memory_, dim) != frame_.tile(child_slot_, dim);
  list.add({1, before + 1, !start_so_far, clipped});
}

std::int64_t LinkCounter::merged_classes(const Window& window, const ClassList* lists, int at,
                                         Shape& shape, int merge_from) const {
  if (at == window.dim_count()) return merged_words(window, shape, first_fanout_, merge_from);
  std::int64_t words = 0;
  const bool moved_before = shape.moved;
  for (int i = 0; i < lists[at].count; ++i) {
    const StepClass& item = lists[at].items[static_cast<std::size_t>(i)];
    shape.active[static_cast<std::size_t>(at)] = item.active;
    shape.clipped[static_cast<std::size_t>(at)] = item.clipped;
    shape.moved = moved_before || item.moved;
    words += item.steps * merged_classes(window, lists, at + 1, shape, merge_from);
  }
  shape.moved = moved_before;
  return words;
}

// What one step costs outside a fan-out, given what is active below it.
std::int64_t LinkCounter::merged_words(const Window& window, const Shape& shape, int fanout,
                                       int merge_from) const {
  if (fanout == end_fanout_) {
    Extents extents{};
    for (int i = 0; i < window.dim_count(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      extents[k] = shape.clipped[k] ? frame_.last_tile(child_memory_, window.dim(i))
                                    : frame_.tile(child_slot_, window.dim(i));
    }
    return tile_words(window, extents, shape.moved);
  }
  Shape inside = shape;
  Extents counts{};
  return merged_branches(window, shape, fanout, merge_from, 0, inside, counts);
}

std::int64_t LinkCounter::merged_branches(const Window& window, const Shape& shape, int fanout,
                                          int merge_from, int at, Shape& inside,
                                          Extents& counts) const {
  if (at == window.dim_count()) {
    std::int64_t branches = 1;
    if (fanout >= merge_from && shares(fanout)) {
      Extents strides{};
      const int slot = c_.fanout[static_cast<std::size_t>(fanout)].slot;
      for (int i = 0; i < window.dim_count(); ++i) {
        strides[static_cast<std::size_t>(i)] = frame_.extent(slot + 2, window.dim(i));
      }
      branches = window.distinct_starts(counts, strides);
    } else {
      for (int i = 0; i < window.dim_count(); ++i) branches *= counts[static_cast<std::size_t>(i)];
    }
    return branches * merged_words(window, inside, fanout + 1, merge_from);
  }
  const auto k = static_cast<std::size_t>(at);
  std::int64_t per_branch = 1;
  for (int f = fanout + 1; f < end_fanout_; ++f) per_branch *= frame_.unrolled(f, window.dim(at));
  const std::int64_t regular = (shape.active[k] - (shape.clipped[k] ? 1 : 0)) / per_branch;
  const std::int64_t rest = shape.active[k] - regular * per_branch;
  std::int64_t words = 0;
  if (regular > 0) {
    inside.active[k] = per_branch;
    inside.clipped[k] = false;
    counts[k] = regular;
    words += merged_branches(window, shape, fanout, merge_from, at + 1, inside, counts);
  }
  if (rest > 0) {
    inside.active[k] = rest;
    inside.clipped[k] = shape.clipped[k];
    counts[k] = 1;
    words += merged_branches(window, shape, fanout, merge_from, at + 1, inside, counts);
  }
  return words;
}

}  // namespace tilewright::model
