// Imperfect dimensions of a link: counts by digits.

#include "model/link.h"

namespace tilewright::model {

template <typename Number>
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled where needed
DigitCounter<Number>::DigitCounter(const Link<Number>& link)
    : link_(link), layout_(link.layout), child_(link.child_number) {
  slots_inside_ = link.to_compute ? 0
                                  : ~link.compiled.spatial_slots & slots_before(link.child.slot) &
                                        ~slots_before(link.moving.slot + 1);
  hold(0);
  if (link.busiest_wanted) {
    child_held_ = hold(link.spatial_outside(link.child));
    parent_held_ = hold(link.spatial_outside(link.parent));
  }
  relevant_.fill(1);
  sharing_windows_.fill(1);
  const std::uint32_t imperfect = layout_.imperfect();
  for (const int dim : members(imperfect & link.tensor.alone)) multiply_alone(dim);
  for (const Window& window : link.tensor.windows) {
    if ((window.dim_bits() & imperfect) == 0) continue;
    const Counts words = window_words(window);
    Counts& product = can_merge(link, window) ? sharing_windows_ : relevant_;
    for (int h = 0; h < held_count_; ++h) product[at(h)] *= words[at(h)];
  }
}

template <typename Number>
int DigitCounter<Number>::hold(std::uint32_t slots) {
  for (int h = 0; h < held_count_; ++h) {
    if (held_[at(h)] == slots) return h;
  }
  held_[at(held_count_)] = slots;
  return held_count_++;
}

template <typename Number>
Words<Number> DigitCounter<Number>::entering() const {
  const std::size_t child = at(child_held_);
  Words<Number> words{irrelevant(0) * relevant_[0] * sharing_windows_[0], 1};
  if (link_.busiest_wanted) {
    words.busiest = irrelevant(held_[child]) * relevant_[child] * sharing_windows_[child];
  }
  return words;
}

template <typename Number>
Words<Number> DigitCounter<Number>::shared(std::uint32_t merged, int merge_from) const {
  const std::size_t parent = at(parent_held_);
  const Words<Number> windows = merged_windows(link_, merge_from);
  Words<Number> words{irrelevant(merged) * relevant_[0] * windows.all, 1};
  if (link_.busiest_wanted) {
    words.busiest = irrelevant(merged | held_[parent]) * relevant_[parent] * windows.busiest;
  }
  return words;
}

// An irrelevant dimension contributes its iterations outside the moving loop.
template <typename Number>
Number DigitCounter<Number>::irrelevant(std::uint32_t zero) const {
  Number words = 1;
  for (const int dim : members(layout_.imperfect() & ~link_.tensor.relevant)) {
    const bool inside = contains(link_.moving.inside, dim);
    const std::uint32_t inner = slots_inside_ | (inside ? 1U << link_.moving.slot : 0U);
    words *= layout_.combinations(dim, child_, zero | inner);
  }
  return words;
}

// Combinations of a dimension's digits outside the child with one of the sets
// of slots held at 0; those of the child's own set are in the layout's tables.
template <typename Number>
std::int64_t DigitCounter<Number>::combinations(int dim, int held) const {
  if (held == child_held_ && held != 0) return layout_.busiest_steps(child_, dim);
  return layout_.combinations(dim, child_, held_[at(held)]);
}

// A relevant dimension contributes the words of its tiles.
template <typename Number>
void DigitCounter<Number>::multiply_alone(int dim) {
  relevant_[0] *= link_.compiled.size[at(dim)];
  if (held_count_ == 1) return;
  const std::int64_t full = layout_.tile(link_.child.slot, dim);
  const std::int64_t missing = full - layout_.last_tile(child_, dim);
  for (int h = 1; h < held_count_; ++h) {
    const std::int64_t words = combinations(dim, h) * full;
    relevant_[at(h)] *= layout_.has_last(dim, held_[at(h)]) ? words - missing : words;
  }
}

// Full tiles and perhaps a smaller last one, at starts and at further steps of
// the moving loop.
template <typename Number>
typename DigitCounter<Number>::TileCounts DigitCounter<Number>::count_tiles(int dim) const {
  TileCounts counts;
  const bool uneven = layout_.last_tile(child_, dim) != layout_.tile(link_.child.slot, dim);
  for (int held = 0; held < held_count_; ++held) {
    const std::size_t h = at(held);
    const std::int64_t all = combinations(dim, held);
    const bool last = uneven && layout_.has_last(dim, held_[h]);
    std::int64_t starts = all;
    bool last_starts = last;
    if (dim == link_.moving.dim) {
      const std::uint32_t at_start = held_[h] | 1U << link_.moving.slot;
      starts = layout_.combinations(dim, child_, at_start);
      last_starts = last && layout_.has_last(dim, at_start);
    }
    counts[0][1][h] = last_starts ? 1 : 0;
    counts[0][0][h] = starts - counts[0][1][h];
    counts[1][1][h] = last && !last_starts ? 1 : 0;
    counts[1][0][h] = all - starts - counts[1][1][h];
  }
  return counts;
}

template <typename Number>
typename DigitCounter<Number>::Counts DigitCounter<Number>::window_words(
    const Window& window) const {
  Counts words;
  if (link_.to_compute) {  // each tile is one element
    words.fill(1);
    for (int h = 0; h < held_count_; ++h) {
      for (int i = 0; i < window.dim_count(); ++i) words[at(h)] *= combinations(window.dim(i), h);
    }
    return words;
  }
  std::array<TileCounts, kMaxWindowDims> counts;
  for (int i = 0; i < window.dim_count(); ++i) counts[at(i)] = count_tiles(window.dim(i));
  Counts tiles;
  tiles.fill(1);
  words.fill(0);
  Extents extents{};
  sum_tiles(window, counts.data(), 0, extents, false, tiles, words);
  return words;
}

// Goes through the kinds of tiles dimension by dimension and adds up how many
// there are of each combination times its words.
template <typename Number>
void DigitCounter<Number>::sum_tiles(const Window& window, const TileCounts* counts, int position,
                                     Extents& extents, bool moved, const Counts& tiles,
                                     Counts& sum) const {
  if (position == window.dim_count()) {
    const Number words = link_.tile_words(window, extents, moved);
    for (int h = 0; h < held_count_; ++h) sum[at(h)] += tiles[at(h)] * words;
    return;
  }
  const int dim = window.dim(position);
  const int kinds = dim == link_.moving.dim ? 2 : 1;
  for (int moves = 0; moves < kinds; ++moves) {
    for (int last = 0; last < 2; ++last) {
      const Counts& these = counts[position][at(moves)][at(last)];
      // Whoever holds digits has no tile that all instances together lack.
      if (these[0] == 0) continue;
      Counts product;
      for (int h = 0; h < held_count_; ++h) product[at(h)] = tiles[at(h)] * these[at(h)];
      extents[at(position)] =
          last != 0 ? layout_.last_tile(child_, dim) : layout_.tile(link_.child.slot, dim);
      sum_tiles(window, counts, position + 1, extents, moved || moves != 0, product, sum);
    }
  }
}

template class DigitCounter<std::int64_t>;
template class DigitCounter<Int128>;

}  // namespace tilewright::model
