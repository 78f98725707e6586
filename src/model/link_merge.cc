// Imperfect windows whose tiles may coincide in different instances below a
// fan-out: two of their dimensions are unrolled there, as along the diagonals
// of an array that holds p and r.
//
// In one step, the instances of a dimension that are active are the first so
// many in the order of their digits, all with full tiles but perhaps the last.
// Steps with equal numbers form a class. Within a class a fan-out's branches
// are regular (everything inside active and full) except perhaps the last;
// branches share a read if they start at the same element and both dimensions
// are regular, or irregular, in both. Below a fan-out that shares halos, tiles
// need not be alike: the different elements of all of them are counted.

#include <optional>
#include <utility>
#include <vector>

#include "model/link.h"

namespace tilewright::model {
namespace {

// Steps of one dimension with equal numbers of active instances.
struct StepClass {
  std::int64_t steps;
  std::int64_t active;  // instances below the parent, the first so many
  bool moved;           // a further step of the moving loop, not a start
  bool clipped;         // the last of the active ones has a last, smaller tile
};

struct ClassList {
  int count = 0;
  std::array<StepClass, 4 * kMaxSlots + 1> items;

  void add(const StepClass& item) {
    if (item.steps > 0 && item.active > 0) items[at(count++)] = item;
  }
  // So many steps, some of which are starts of the moving loop.
  void add(std::int64_t steps, std::int64_t starts, std::int64_t active) {
    add({starts, active, false, false});
    add({steps - starts, active, true, false});
  }
};

// Compares the digits of steps with those of the last index, from the outermost
// slot in; the digits of some slots are held at 0.
class StepComparison {
 public:
  explicit StepComparison(std::uint32_t zero) : zero_(zero) {}

  // Adds a slot, innermost first, before any is passed.
  void add(const DigitSlot& slot) { inner_ *= is_held(slot) ? 1 : slot.bound; }

  // Steps that agree with the last index so far and differ at this slot.
  struct Different {
    std::int64_t below = 0, above = 0;
  };
  Different pass(const DigitSlot& slot) {
    if (!agrees_) return {};
    if (is_held(slot)) {
      agrees_ = slot.digit == 0;
      return {agrees_ ? 0 : inner_, 0};
    }
    inner_ /= slot.bound;
    return {slot.digit * inner_, (slot.bound - 1 - slot.digit) * inner_};
  }
  // Whether some step agrees with the last index in all slots passed.
  bool agrees() const { return agrees_; }

 private:
  bool is_held(const DigitSlot& slot) const { return (zero_ & slot.bit) != 0; }

  std::uint32_t zero_;
  std::int64_t inner_ = 1;  // combinations of the digits inside
  bool agrees_ = true;
};

// The first difference between a step's digits and those of the dimension's last
// index decides how many instances are active, whatever the digits further in.
template <typename Number>
void list_classes(const Link<Number>& link, int dim, std::uint32_t zero, ClassList& list) {
  const LoopLayout<Number>& layout = link.layout;
  const std::uint32_t spatial =
      link.spatial_outside(link.child) & ~link.spatial_outside(link.parent);
  const std::uint32_t moving = dim == link.moving.dim ? 1U << link.moving.slot : 0U;
  StepComparison steps(zero);
  StepComparison starts(zero | moving);
  std::int64_t inner = 1;   // instances inside the slot
  std::int64_t before = 0;  // number of the last index's instance, by the digits seen so far
  const int first = layout.first_digit_outside(link.child_number, dim);
  for (int i = first; i < layout.digit_slot_count(dim); ++i) {
    const DigitSlot& slot = layout.digit_slot(dim, i);
    if ((spatial & slot.bit) != 0) {
      inner *= slot.bound;
    } else {
      steps.add(slot);
      starts.add(slot);
    }
  }
  for (int i = layout.digit_slot_count(dim); i-- > first;) {
    const DigitSlot& slot = layout.digit_slot(dim, i);
    if ((spatial & slot.bit) != 0) {
      inner /= slot.bound;
      before = before * slot.bound + slot.digit;
      continue;
    }
    const auto all = steps.pass(slot);
    const auto at_start = starts.pass(slot);
    list.add(all.below, at_start.below, (before + 1) * inner);
    list.add(all.above, at_start.above, before * inner);
  }
  if (!steps.agrees()) return;
  const bool clipped =
      layout.last_tile(link.child_number, dim) != layout.tile(link.child.slot, dim);
  list.add({1, before + 1, !starts.agrees(), clipped});
}

// One window of a link, whose tiles merge from some fan-out on.
template <typename Number>
class WindowMerger {
 public:
  WindowMerger(const Link<Number>& link, const Window& window, int merge_from)
      : link_(link), window_(window), merge_from_(merge_from) {}

  // The digits of the slots in `zero` are held at 0.
  Number words(std::uint32_t zero) const {
    std::array<ClassList, kMaxWindowDims> lists;
    for (int i = 0; i < window_.dim_count(); ++i) {
      list_classes(link_, window_.dim(i), zero, lists[at(i)]);
    }
    Active active;
    return sum_classes(lists.data(), 0, active);
  }

 private:
  // What is active of the window's dimensions in a step, below some fan-out.
  struct Active {
    Extents instances{};
    std::array<bool, kMaxWindowDims> clipped{};
    bool moved = false;
  };

  Number sum_classes(const ClassList* lists, int position, Active& active) const {
    if (position == window_.dim_count()) return words_below(active, link_.first_fanout());
    Number words = 0;
    const bool moved_before = active.moved;
    for (int i = 0; i < lists[position].count; ++i) {
      const StepClass& item = lists[position].items[at(i)];
      active.instances[at(position)] = item.active;
      active.clipped[at(position)] = item.clipped;
      active.moved = moved_before || item.moved;
      words += item.steps * sum_classes(lists, position + 1, active);
    }
    active.moved = moved_before;
    return words;
  }

  // What one step costs outside a fan-out, given what is active below it.
  Number words_below(const Active& active, int fanout) const {
    Extents extents{};
    if (fanout < link_.end_fanout()) {
      if (fanout >= merge_from_ && link_.shares_halos(fanout)) {
        return words_together(active, fanout);
      }
      Active inside = active;
      return sum_branches(active, fanout, 0, inside, extents);
    }
    for (int i = 0; i < window_.dim_count(); ++i) {
      const int dim = window_.dim(i);
      extents[at(i)] = active.clipped[at(i)] ? link_.layout.last_tile(link_.child_number, dim)
                                             : link_.layout.tile(link_.child.slot, dim);
    }
    return link_.tile_words(window_, extents, active.moved);
  }

  // Different words of all instances inside a fan-out.
  std::int64_t words_together(const Active& active, int fanout) const {
    std::vector<TileRow> rows;
    for (int i = 0; i < window_.dim_count(); ++i) {
      const int dim = window_.dim(i);
      TileRow row;
      row.extent = link_.layout.tile(link_.child.slot, dim);
      const std::int64_t whole = active.instances[at(i)] - (active.clipped[at(i)] ? 1 : 0);
      for (std::int64_t n = 0; n < whole; ++n) row.starts.push_back(start_of(dim, fanout, n));
      if (active.clipped[at(i)]) {
        row.cut_start = start_of(dim, fanout, whole);
        row.cut_extent = link_.layout.last_tile(link_.child_number, dim);
      }
      rows.push_back(std::move(row));
    }
    if (!active.moved) return window_.elements_together(rows, std::nullopt);
    const MovingLoop<Number>& moving = link_.moving;
    return window_.elements_together(
        rows,
        TileMove{window_.position_of(moving.dim), link_.layout.tile(link_.child.slot, moving.dim),
                 link_.layout.extent(moving.slot + 1, moving.dim)});
  }

  // The first index of instance number n of those inside a fan-out, in the order of their digits.
  std::int64_t start_of(int dim, int fanout, std::int64_t n) const {
    std::int64_t start = 0;
    for (int f = link_.end_fanout(); f-- > fanout;) {
      const std::int64_t branches = link_.layout.unrolled(f, dim);
      start += n % branches * link_.layout.extent(link_.compiled.fanout[at(f)].slot + 2, dim);
      n /= branches;
    }
    return start;
  }

  Number sum_branches(const Active& active, int fanout, int position, Active& inside,
                      Extents& branches) const {
    if (position == window_.dim_count()) {
      return count_branches(fanout, branches) * words_below(inside, fanout + 1);
    }
    const std::size_t p = at(position);
    std::int64_t per_branch = 1;
    for (int f = fanout + 1; f < link_.end_fanout(); ++f) {
      per_branch *= link_.layout.unrolled(f, window_.dim(position));
    }
    const bool clipped = active.clipped[p];
    const std::int64_t regular = (active.instances[p] - (clipped ? 1 : 0)) / per_branch;
    const std::int64_t rest = active.instances[p] - regular * per_branch;
    const auto words_of = [&](std::int64_t count, std::int64_t instances, bool clips) {
      if (count == 0 || instances == 0) return Number{0};
      branches[p] = count;
      inside.instances[p] = instances;
      inside.clipped[p] = clips;
      return sum_branches(active, fanout, position + 1, inside, branches);
    };
    return words_of(regular, per_branch, false) + words_of(1, rest, clipped);
  }

  Number count_branches(int fanout, const Extents& branches) const {
    if (fanout >= merge_from_ && link_.shares(fanout)) {
      return link_.distinct_starts(window_, fanout, branches);
    }
    Number product = 1;
    for (int i = 0; i < window_.dim_count(); ++i) product *= branches[at(i)];
    return product;
  }

  const Link<Number>& link_;
  const Window& window_;
  int merge_from_;
};

// Whether the window is unrolled inside a fan-out of the link that shares halos.
template <typename Number>
bool meets_halos(const Link<Number>& link, const Window& window) {
  bool shared = false;
  for (int f = link.first_fanout(); f < link.end_fanout(); ++f) {
    shared = shared || link.shares_halos(f);
    if (shared && (link.layout.unrolled_dims(f) & window.dim_bits()) != 0) return true;
  }
  return false;
}

}  // namespace

template <typename Number>
bool can_merge(const Link<Number>& link, const Window& window) {
  if (link.tensor.shares_halos && meets_halos(link, window)) return true;
  for (int f = link.first_fanout(); f < link.end_fanout(); ++f) {
    const std::uint32_t unrolled = link.layout.unrolled_dims(f) & window.dim_bits();
    if ((unrolled & (unrolled - 1)) != 0 && link.shares(f)) return true;
  }
  return false;
}

template <typename Number>
Words<Number> merged_windows(const Link<Number>& link, int merge_from) {
  Words<Number> words{1, 1};
  for (const Window& window : link.tensor.windows) {
    if ((window.dim_bits() & link.layout.imperfect()) == 0 || !can_merge(link, window)) continue;
    const WindowMerger<Number> merger(link, window, merge_from);
    words.all *= merger.words(0);
    if (link.busiest_wanted) words.busiest *= merger.words(link.spatial_outside(link.parent));
  }
  return words;
}

template bool can_merge(const Link<std::int64_t>&, const Window&);
template bool can_merge(const Link<Int128>&, const Window&);
template Words<std::int64_t> merged_windows(const Link<std::int64_t>&, int);
template Words<Int128> merged_windows(const Link<Int128>&, int);

}  // namespace tilewright::model
