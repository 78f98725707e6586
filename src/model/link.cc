#include "model/link.h"

namespace tilewright::model {

MovingLoop find_moving_loop(const Frame& frame, int tensor, int memory) {
  const std::uint32_t relevant = frame.compiled().tensor[static_cast<std::size_t>(tensor)].relevant;
  const int loops = frame.loop_count();
  MovingLoop moving;
  for (int i = frame.first_loop_outside(memory); i < loops; ++i) {
    const FrameLoop& loop = frame.loop(i);
    if (loop.slot != moving.slot) moving.inside = 0;
    moving.slot = loop.slot;
    if (((relevant >> loop.dim) & 1U) != 0) {
      moving.dim = loop.dim;
      moving.from_here = frame.ordinary_iterations(i);
      moving.outside = frame.ordinary_iterations(i + 1);
      return moving;
    }
    moving.inside |= 1U << loop.dim;
  }
  return {};
}

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled where needed
LinkCounter::LinkCounter(const Frame& frame, int tensor, int parent, int child,
                         const MovingLoop& moving, bool want_busiest)
    : frame_(frame),
      c_(frame.compiled()),
      tensor_(c_.tensor[static_cast<std::size_t>(tensor)]),
      parent_slot_(c_.memory[static_cast<std::size_t>(parent)].slot),
      child_slot_(c_.slots),
      child_memory_(child == kCompute ? c_.memories : child),
      first_fanout_(c_.memory[static_cast<std::size_t>(parent)].fanouts_outside),
      end_fanout_(c_.fanouts),
      no_memory_(child == kCompute),
      want_busiest_(want_busiest),
      moving_(moving) {
  if (!no_memory_) {
    child_slot_ = c_.memory[static_cast<std::size_t>(child)].slot;
    end_fanout_ = c_.memory[static_cast<std::size_t>(child)].fanouts_outside;
  }
  ordinary_ = ordinary_words();
  if (frame.special() == 0) return;
  hold_spatial_digits();
  find_inner_loops();
  count_relevant();
}

bool LinkCounter::shares(int fanout) const {
  const FanoutTable& table = c_.fanout[static_cast<std::size_t>(fanout)];
  return tensor_.output ? table.reduction : table.multicast;
}

Words LinkCounter::entering() const {
  Words words{ordinary_ * frame_.ordinary_instances(end_fanout_), ordinary_};
  if (frame_.special() == 0) return words;
  const auto child = static_cast<std::size_t>(child_held_);
  words.all *= irrelevant(0) * relevant_[0] * sharing_windows_[0];
  if (want_busiest_) {
    words.busiest *= irrelevant(held_[child]) * relevant_[child] * sharing_windows_[child];
  }
  return words;
}

Words LinkCounter::shared_words(int merge_from) const {
  if (first_fanout_ == end_fanout_) return entering();
  std::int64_t per_parent = ordinary_;
  std::uint32_t merged = 0;
  for (int f = first_fanout_; f < end_fanout_; ++f) {
    const bool merge = f >= merge_from && shares(f);
    per_parent *= ordinary_copies(f, merge);
    if (merge) merged |= 3U << c_.fanout[static_cast<std::size_t>(f)].slot;
  }
  Words words{per_parent * frame_.ordinary_instances(first_fanout_), per_parent};
  if (frame_.special() == 0) return words;
  const auto parent = static_cast<std::size_t>(parent_held_);
  const Words windows = merged_windows(merge_from);
  words.all *= irrelevant(merged) * relevant_[0] * windows.all;
  if (want_busiest_) {
    words.busiest *= irrelevant(merged | held_[parent]) * relevant_[parent] * windows.busiest;
  }
  return words;
}

// Per child instance: iterations outside the moving loop, times the tile at its
// start and what is new at its further steps.
std::int64_t LinkCounter::ordinary_words() const {
  if (no_memory_) return frame_.ordinary_iterations(0);
  const std::uint32_t special = frame_.special();
  std::int64_t words = 1;
  bool counted_run = false;  // the moving loop's iterations are in a window's words
  for (const Window& window : tensor_.windows) {
    if ((window.dim_bits() & special) != 0) continue;
    words *= window_words(window);
    counted_run = counted_run || is_moved(window);
  }
  words *= counted_run ? moving_.outside : moving_.from_here;
  for (std::uint32_t rest = tensor_.alone & ~special; rest != 0; rest &= rest - 1) {
    words *= frame_.extent(child_slot_, __builtin_ctz(rest));
  }
  return words;
}

// A window's words over one run of the moving loop, or one tile if that loop
// leaves the window where it is.
std::int64_t LinkCounter::window_words(const Window& window) const {
  Extents extents;
  for (int i = 0; i < window.dim_count(); ++i) {
    extents[static_cast<std::size_t>(i)] = frame_.extent(child_slot_, window.dim(i));
  }
  const std::int64_t start = window.size(extents);
  if (!is_moved(window)) return start;
  const std::int64_t bound = frame_.mapping().bound(moving_.slot, DimId{moving_.dim});
  return start + (bound - 1) * tile_words(window, extents, true);
}

std::int64_t LinkCounter::ordinary_copies(int fanout, bool merge) const {
  const std::uint32_t dims = frame_.unrolled_dims(fanout) & ~frame_.special();
  if (!merge) return frame_.unrolled_product(fanout, dims);
  std::int64_t copies = frame_.unrolled_product(fanout, dims & tensor_.alone);
  for (const Window& window : tensor_.windows) {
    const std::uint32_t shared = dims & window.dim_bits();
    if (shared == 0) continue;
    if ((shared & (shared - 1)) == 0) {
      copies *= frame_.unrolled(fanout, __builtin_ctz(shared));
      continue;
    }
    Extents counts{};
    Extents strides{};
    const int inside = c_.fanout[static_cast<std::size_t>(fanout)].slot + 2;
    for (int i = 0; i < window.dim_count(); ++i) {
      counts[static_cast<std::size_t>(i)] = frame_.unrolled(fanout, window.dim(i));
      strides[static_cast<std::size_t>(i)] = frame_.extent(inside, window.dim(i));
    }
    copies *= window.distinct_starts(counts, strides);
  }
  return copies;
}

}  // namespace tilewright::model
