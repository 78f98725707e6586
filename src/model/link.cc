#include "model/link.h"

namespace tilewright::model {

LinkCounter::LinkCounter(const Frame& frame, int tensor, int parent, int child)
    : frame_(frame),
      c_(frame.compiled()),
      tensor_(c_.tensor[static_cast<std::size_t>(tensor)]),
      parent_slot_(c_.memory[static_cast<std::size_t>(parent)].slot),
      child_slot_(child == kCompute ? c_.slots : c_.memory[static_cast<std::size_t>(child)].slot),
      first_loop_(child == kCompute ? 0 : frame.first_loop_outside(child)),
      moving_(first_loop_),
      no_memory_(child == kCompute) {
  if (!no_memory_) {
    const int loops = frame.loop_count();
    while (moving_ < loops && ((tensor_.relevant >> frame.loop(moving_).dim) & 1U) == 0) ++moving_;
    if (moving_ < loops) moving_dim_ = frame.loop(moving_).dim;
  }
  while (first_fanout_ < c_.fanouts &&
         c_.fanout[static_cast<std::size_t>(first_fanout_)].slot < parent_slot_) {
    ++first_fanout_;
  }
  end_fanout_ = first_fanout_;
  while (end_fanout_ < c_.fanouts &&
         c_.fanout[static_cast<std::size_t>(end_fanout_)].slot < child_slot_) {
    ++end_fanout_;
  }
}

bool LinkCounter::shares(int fanout) const {
  const FanoutTable& table = c_.fanout[static_cast<std::size_t>(fanout)];
  return tensor_.output ? table.reduction : table.multicast;
}

// Slots whose digits are held at 0: the spatial ones outside a slot, if the
// busiest instance alone is meant.
std::uint32_t LinkCounter::outside(Scope scope, int slot) const {
  return scope == Scope::Busiest ? c_.spatial_slots & ((1U << slot) - 1U) : 0U;
}

std::uint32_t LinkCounter::fanout_bits(int from, int to) const {
  std::uint32_t bits = 0;
  for (int f = from; f < to; ++f) bits |= 3U << c_.fanout[static_cast<std::size_t>(f)].slot;
  return bits;
}

// What one iteration of the moving loop advances its dimension by.
std::int64_t LinkCounter::step_of_moving_loop() const {
  return frame_.extent(frame_.loop(moving_).slot + 1, moving_dim_);
}

std::int64_t LinkCounter::entering(Scope scope) const {
  std::int64_t words = ordinary_words();
  if (scope == Scope::All) words *= frame_.ordinary_instances(child_slot_);
  if (frame_.special() == 0) return words;
  const std::uint32_t zero = outside(scope, child_slot_);
  for (std::uint32_t rest = frame_.special(); rest != 0; rest &= rest - 1) {
    const int dim = __builtin_ctz(rest);
    const bool in_window = ((tensor_.relevant & ~tensor_.alone) >> dim) & 1U;
    if (!in_window) words *= special_alone(dim, zero);
  }
  for (const Window& window : tensor_.windows) {
    if ((window.dim_bits() & frame_.special()) != 0) words *= special_window(window, zero);
  }
  return words;
}

std::int64_t LinkCounter::shared_words(Scope scope, int merge_from) const {
  std::int64_t words = ordinary_words();
  for (int f = first_fanout_; f < end_fanout_; ++f) {
    words *= ordinary_copies(f, f >= merge_from && shares(f));
  }
  if (scope == Scope::All) words *= frame_.ordinary_instances(parent_slot_);
  if (frame_.special() == 0) return words;
  const std::uint32_t zero = outside(scope, parent_slot_);
  std::uint32_t merged = 0;
  for (int f = std::max(first_fanout_, merge_from); f < end_fanout_; ++f) {
    if (shares(f)) merged |= fanout_bits(f, f + 1);
  }
  for (std::uint32_t rest = frame_.special(); rest != 0; rest &= rest - 1) {
    const int dim = __builtin_ctz(rest);
    const bool relevant = (tensor_.relevant >> dim) & 1U;
    if (!relevant) words *= special_alone(dim, zero | merged);
    if (relevant && ((tensor_.alone >> dim) & 1U) != 0) words *= special_alone(dim, zero);
  }
  for (const Window& window : tensor_.windows) {
    if ((window.dim_bits() & frame_.special()) == 0) continue;
    words *= can_merge(window, merge_from) ? merged_window(window, zero, merge_from)
                                           : special_window(window, zero);
  }
  return words;
}

// --- ordinary dimensions: products of bounds ----------------------------------

// Per child instance: iterations outside the moving loop, times the tile at its
// start and what is new at its further steps.
std::int64_t LinkCounter::ordinary_words() const {
  const std::uint32_t special = frame_.special();
  if (no_memory_) return frame_.ordinary_iterations(0);
  std::int64_t words = frame_.ordinary_iterations(moving_);
  for (std::uint32_t rest = tensor_.alone & ~special; rest != 0; rest &= rest - 1) {
    words *= frame_.extent(child_slot_, __builtin_ctz(rest));
  }
  for (const Window& window : tensor_.windows) {
    if ((window.dim_bits() & special) != 0) continue;
    const bool moves = moving_dim_ >= 0 && ((window.dim_bits() >> moving_dim_) & 1U) != 0;
    if (moves) words /= frame_.loop(moving_).bound;
    words *= window_words(window);
  }
  return words;
}

// A window's words over one run of the moving loop, or one tile if that loop
// leaves the window where it is.
std::int64_t LinkCounter::window_words(const Window& window) const {
  Extents extents{};
  for (int i = 0; i < window.dim_count(); ++i) {
    extents[static_cast<std::size_t>(i)] = frame_.extent(child_slot_, window.dim(i));
  }
  const std::int64_t start = window.size(extents);
  const int moving = moving_dim_ < 0 ? -1 : window.position_of(moving_dim_);
  if (moving < 0) return start;
  return start + (frame_.loop(moving_).bound - 1) * tile_words(window, extents, true);
}

std::int64_t LinkCounter::ordinary_copies(int fanout, bool merge) const {
  const std::uint32_t ordinary = c_.all_dims & ~frame_.special();
  const int slot = c_.fanout[static_cast<std::size_t>(fanout)].slot;
  const std::uint32_t separate = merge ? tensor_.alone & ordinary : ordinary;
  std::int64_t copies = 1;
  for (std::uint32_t rest = separate; rest != 0; rest &= rest - 1) {
    copies *= frame_.unrolled(fanout, __builtin_ctz(rest));
  }
  if (!merge) return copies;
  for (const Window& window : tensor_.windows) {
    if ((window.dim_bits() & frame_.special()) != 0) continue;
    Extents counts{};
    Extents strides{};
    std::int64_t product = 1;
    int unrolled = 0;
    for (int i = 0; i < window.dim_count(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      counts[k] = frame_.unrolled(fanout, window.dim(i));
      strides[k] = frame_.extent(slot + 2, window.dim(i));
      product *= counts[k];
      unrolled += counts[k] > 1 ? 1 : 0;
    }
    copies *= unrolled < 2 ? product : window.distinct_starts(counts, strides);
  }
  return copies;
}

// --- special dimensions: digits -------------------------------------------------

// A dimension on its own: an irrelevant one contributes its iterations outside
// the moving loop, a relevant one the words of its tiles.
std::int64_t LinkCounter::special_alone(int dim, std::uint32_t zero) const {
  if (((tensor_.relevant >> dim) & 1U) == 0) {
    for (int i = first_loop_; !no_memory_ && i < moving_; ++i) {
      if (frame_.loop(i).dim == dim) zero |= 1U << frame_.loop(i).slot;
    }
    return frame_.combinations(dim, child_slot_, zero);
  }
  const std::int64_t tiles = frame_.combinations(dim, child_slot_, zero);
  const std::int64_t full = frame_.tile(child_slot_, dim);
  const std::int64_t missing = full - frame_.last_tile(child_slot_, dim);
  if (missing == 0 || !frame_.counts_last(dim, child_slot_, zero)) return tiles * full;
  return tiles * full - missing;
}

std::int64_t LinkCounter::tile_words(const Window& window, const Extents& extents,
                                     bool moved) const {
  if (no_memory_) return 1;
  if (!moved) return window.size(extents);
  return window.new_elements(extents, window.position_of(moving_dim_),
                             frame_.tile(child_slot_, moving_dim_), step_of_moving_loop());
}

std::int64_t LinkCounter::special_window(const Window& window, std::uint32_t zero) const {
  Extents extents{};
  return window_tiles(window, zero, 0, extents, false);
}

// Sums the words of a window's tiles, dimension by dimension: each has full
// tiles and perhaps a smaller last one; the moving one has starts and steps.
std::int64_t LinkCounter::window_tiles(const Window& window, std::uint32_t zero, int at,
                                       Extents& extents, bool moved) const {
  if (at == window.dim_count()) return tile_words(window, extents, moved);
  const int dim = window.dim(at);
  const std::int64_t full = frame_.tile(child_slot_, dim);
  const std::int64_t last = frame_.last_tile(child_slot_, dim);
  const auto sum = [&](std::uint32_t held, bool then_moved, std::int64_t excluded,
                       bool last_excluded) {
    const std::int64_t tiles = frame_.combinations(dim, child_slot_, held) - excluded;
    const bool with_last =
        last != full && !last_excluded && frame_.counts_last(dim, child_slot_, held);
    std::int64_t words = 0;
    if (tiles > (with_last ? 1 : 0)) {
      extents[static_cast<std::size_t>(at)] = full;
      words +=
          (tiles - (with_last ? 1 : 0)) * window_tiles(window, zero, at + 1, extents, then_moved);
    }
    if (with_last) {
      extents[static_cast<std::size_t>(at)] = last;
      words += window_tiles(window, zero, at + 1, extents, then_moved);
    }
    return words;
  };
  if (dim != moving_dim_) return sum(zero, moved, 0, false);
  const std::uint32_t start = zero | 1U << frame_.loop(moving_).slot;
  const std::int64_t starts = frame_.combinations(dim, child_slot_, start);
  return sum(start, false, 0, false) +
         sum(zero, true, starts, frame_.counts_last(dim, child_slot_, start));
}

}  // namespace tilewright::model
