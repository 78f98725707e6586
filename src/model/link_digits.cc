// Special dimensions of a link: counts by digits.

#include "model/link.h"

namespace tilewright::model {

void LinkCounter::hold_spatial_digits() {
  held_[0] = 0;
  held_count_ = 1;
  if (!want_busiest_) return;
  const auto index_of_set = [this](std::uint32_t slots) {
    for (int i = 0; i < held_count_; ++i) {
      if (held_[static_cast<std::size_t>(i)] == slots) return i;
    }
    held_[static_cast<std::size_t>(held_count_)] = slots;
    return held_count_++;
  };
  child_held_ = index_of_set(spatial_outside(child_slot_));
  parent_held_ = index_of_set(spatial_outside(parent_slot_));
}

void LinkCounter::find_inner_loops() {
  // Slots without a loop of the dimension have no digit to hold.
  const std::uint32_t between =
      no_memory_ ? 0 : temporal_outside(child_slot_) & ~slots_up_to(moving_.slot);
  for (int d = 0; d < c_.dims; ++d) {
    const bool inside = ((moving_.inside >> d) & 1U) != 0;
    inner_slots_[static_cast<std::size_t>(d)] = between | (inside ? 1U << moving_.slot : 0U);
  }
}

// An irrelevant dimension contributes its iterations outside the moving loop.
std::int64_t LinkCounter::irrelevant(std::uint32_t zero) const {
  std::int64_t words = 1;
  for (std::uint32_t rest = frame_.special() & ~tensor_.relevant; rest != 0; rest &= rest - 1) {
    const int dim = __builtin_ctz(rest);
    words *=
        frame_.combinations(dim, child_memory_, zero | inner_slots_[static_cast<std::size_t>(dim)]);
  }
  return words;
}

void LinkCounter::count_relevant() {
  relevant_.fill(1);
  sharing_windows_.fill(1);
  const std::uint32_t special = frame_.special();
  for (std::uint32_t rest = special & tensor_.alone; rest != 0; rest &= rest - 1) {
    multiply_alone(__builtin_ctz(rest));
  }
  for (const Window& window : tensor_.windows) {
    if ((window.dim_bits() & special) == 0) continue;
    const Counts words = special_window(window);
    Counts& product = can_merge(window, first_fanout_) ? sharing_windows_ : relevant_;
    for (int h = 0; h < held_count_; ++h) {
      product[static_cast<std::size_t>(h)] *= words[static_cast<std::size_t>(h)];
    }
  }
}

// Combinations of a dimension's digits outside the child with one of the sets
// of slots held at 0; those of the child's own set are in the frame's tables.
std::int64_t LinkCounter::held_combinations(int dim, int held) const {
  if (held == 0) return frame_.combinations(dim, child_memory_, 0);
  if (held == child_held_) return frame_.steps_of_busiest(child_memory_, dim);
  return frame_.combinations(dim, child_memory_, held_[static_cast<std::size_t>(held)]);
}

bool LinkCounter::held_last(int dim, int held) const {
  if (held == 0) return true;
  if (held == child_held_) return frame_.busiest_has_last(child_memory_, dim);
  return frame_.counts_last(dim, child_memory_, held_[static_cast<std::size_t>(held)]);
}

// A relevant dimension contributes the words of its tiles.
void LinkCounter::multiply_alone(int dim) {
  relevant_[0] *= c_.size[static_cast<std::size_t>(dim)];
  if (held_count_ == 1) return;
  const std::int64_t full = frame_.tile(child_slot_, dim);
  const std::int64_t missing = full - frame_.last_tile(child_memory_, dim);
  for (int h = 1; h < held_count_; ++h) {
    const std::int64_t words = held_combinations(dim, h) * full;
    relevant_[static_cast<std::size_t>(h)] *= held_last(dim, h) ? words - missing : words;
  }
}

std::int64_t LinkCounter::tile_words(const Window& window, const Extents& extents,
                                     bool moved) const {
  if (no_memory_) return 1;
  if (!moved) return window.size(extents);
  // One iteration of the moving loop goes on by all that is inside it.
  const std::int64_t step = frame_.extent(moving_.slot + 1, moving_.dim);
  return window.new_elements(extents, window.position_of(moving_.dim),
                             frame_.tile(child_slot_, moving_.dim), step);
}

// Full tiles and perhaps a smaller last one, at starts and at further steps of
// the moving loop.
LinkCounter::TileCounts LinkCounter::count_tiles(int dim) const {
  TileCounts counts;
  const bool uneven = frame_.last_tile(child_memory_, dim) != frame_.tile(child_slot_, dim);
  for (int i = 0; i < held_count_; ++i) {
    const auto h = static_cast<std::size_t>(i);
    const std::int64_t all = held_combinations(dim, i);
    const bool last = uneven && held_last(dim, i);
    std::int64_t starts = all;
    bool last_starts = last;
    if (dim == moving_.dim) {
      const std::uint32_t at_start = held_[h] | 1U << moving_.slot;
      starts = frame_.combinations(dim, child_memory_, at_start);
      last_starts = last && frame_.counts_last(dim, child_memory_, at_start);
    }
    counts[0][1][h] = last_starts ? 1 : 0;
    counts[0][0][h] = starts - counts[0][1][h];
    counts[1][1][h] = last && !last_starts ? 1 : 0;
    counts[1][0][h] = all - starts - counts[1][1][h];
  }
  return counts;
}

LinkCounter::Counts LinkCounter::special_window(const Window& window) const {
  if (no_memory_) {  // each tile is one element
    Counts words;
    words.fill(1);
    for (int h = 0; h < held_count_; ++h) {
      for (int i = 0; i < window.dim_count(); ++i) {
        words[static_cast<std::size_t>(h)] *= held_combinations(window.dim(i), h);
      }
    }
    return words;
  }
  std::array<TileCounts, kMaxWindowDims> counts;
  for (int i = 0; i < window.dim_count(); ++i) {
    counts[static_cast<std::size_t>(i)] = count_tiles(window.dim(i));
  }
  Counts tiles;
  tiles.fill(1);
  Counts sum{};
  Extents extents{};
  sum_tiles(window, counts.data(), 0, extents, false, tiles, sum);
  return sum;
}

// Goes through the kinds of tiles dimension by dimension and adds up how many
// there are of each combination times its words.
void LinkCounter::sum_tiles(const Window& window, const TileCounts* counts, int at,
                            Extents& extents, bool moved, const Counts& tiles, Counts& sum) const {
  if (at == window.dim_count()) {
    const std::int64_t words = tile_words(window, extents, moved);
    for (int h = 0; h < held_count_; ++h) {
      sum[static_cast<std::size_t>(h)] += tiles[static_cast<std::size_t>(h)] * words;
    }
    return;
  }
  const int dim = window.dim(at);
  const int kinds = dim == moving_.dim ? 2 : 1;
  for (int moves = 0; moves < kinds; ++moves) {
    for (int last = 0; last < 2; ++last) {
      const Counts& these =
          counts[at][static_cast<std::size_t>(moves)][static_cast<std::size_t>(last)];
      // Whoever holds digits has no tile that all instances together lack.
      if (these[0] == 0) continue;
      Counts product;
      for (int h = 0; h < held_count_; ++h) {
        product[static_cast<std::size_t>(h)] =
            tiles[static_cast<std::size_t>(h)] * these[static_cast<std::size_t>(h)];
      }
      extents[static_cast<std::size_t>(at)] =
          last != 0 ? frame_.last_tile(child_memory_, dim) : frame_.tile(child_slot_, dim);
      sum_tiles(window, counts, at + 1, extents, moved || moves != 0, product, sum);
    }
  }
}

}  // namespace tilewright::model
