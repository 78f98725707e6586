#include "model/held.h"

#include "model/counts.h"

namespace tilewright::model {
namespace {

class HeldCounter {
 public:
  HeldCounter(const Frame& frame, const TensorTable& tensor, int slot)
      : frame_(frame), c_(frame.compiled()), tensor_(tensor), slot_(slot) {}

  std::int64_t count(Scope scope) const {
    std::int64_t words = 1;
    for (int d = 0; d < c_.dims; ++d) {
      const bool relevant = ((tensor_.relevant >> d) & 1U) != 0;
      if (relevant && ((tensor_.alone >> d) & 1U) == 0) continue;  // in a window
      words *= alone(d, relevant, scope);
    }
    for (const Window& window : tensor_.windows) {
      words *= scope == Scope::Busiest ? busiest_window(window) : all_windows(window);
    }
    return words;
  }

 private:
  bool is_special(int dim) const { return ((frame_.special() >> dim) & 1U) != 0; }

  // Product of a dimension's spatial bounds outside the level.
  std::int64_t unrolled_outside(int dim) const {
    std::int64_t product = 1;
    for (int f = 0; f < c_.fanouts && c_.fanout[static_cast<std::size_t>(f)].slot < slot_; ++f) {
      product *= frame_.unrolled(f, dim);
    }
    return product;
  }

  // A relevant dimension: its indices. An irrelevant one: its instances.
  std::int64_t alone(int dim, bool relevant, Scope scope) const {
    const std::int64_t size = c_.size[static_cast<std::size_t>(dim)];
    if (scope == Scope::All) {
      if (relevant) return size;
      return is_special(dim) ? frame_.combinations(dim, slot_, c_.temporal_slots)
                             : unrolled_outside(dim);
    }
    if (!relevant) return 1;
    if (!is_special(dim)) return size / unrolled_outside(dim);
    const std::uint32_t zero = c_.spatial_slots & ((1U << slot_) - 1U);
    const std::int64_t full = frame_.tile(slot_, dim);
    const std::int64_t missing = full - frame_.last_tile(slot_, dim);
    const std::int64_t words = frame_.combinations(dim, slot_, zero) * full;
    return missing != 0 && frame_.counts_last(dim, slot_, zero) ? words - missing : words;
  }

  std::int64_t busiest_window(const Window& window) const {
    Extents sizes{};
    bool unrolled = false;
    for (int i = 0; i < window.dim_count(); ++i) {
      sizes[static_cast<std::size_t>(i)] = c_.size[static_cast<std::size_t>(window.dim(i))];
      unrolled = unrolled || unrolled_outside(window.dim(i)) > 1;
    }
    if (!unrolled) return window.size(sizes);
    const Extents first{};
    return scan(window, first);
  }

  std::int64_t all_windows(const Window& window) const {
    std::int64_t instances = 1;
    bool special = false;
    for (int i = 0; i < window.dim_count(); ++i) {
      instances *= unrolled_outside(window.dim(i));
      special = special || is_special(window.dim(i));
    }
    // Without remainders all instances hold shifted copies of the same set.
    if (!special || instances == 1) return busiest_window(window) * instances;
    Extents instance{};
    return scan_instances(window, instance, 0);
  }

  std::int64_t scan_instances(const Window& window, Extents& instance, int at) const {
    if (at == window.dim_count()) return scan(window, instance);
    std::int64_t words = 0;
    std::int64_t& number = instance[static_cast<std::size_t>(at)];
    const std::int64_t count = unrolled_outside(window.dim(at));
    for (number = 0; number < count; ++number) {
      words += scan_instances(window, instance, at + 1);
    }
    return words;
  }

  // Whether an index of a dimension belongs to the instance with this number
  // (its spatial digits outside the level, as one mixed-radix number).
  bool belongs(int dim, std::int64_t index, std::int64_t instance) const {
    if (index < 0 || index >= c_.size[static_cast<std::size_t>(dim)]) return false;
    for (int f = c_.fanouts; f-- > 0;) {
      const int slot = c_.fanout[static_cast<std::size_t>(f)].slot;
      if (slot >= slot_) continue;
      const std::int64_t bound = frame_.unrolled(f, dim);
      if (index / frame_.extent(slot + 2, dim) % bound != instance % bound) return false;
      instance /= bound;
    }
    return true;
  }

  // Distinct values of the window's index over the instance's indices, by
  // looking at each value in reach.
  std::int64_t scan(const Window& window, const Extents& instance) const {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (int i = 0; i < window.dim_count(); ++i) {
      const std::int64_t c = window.signed_coefficient(i);
      const std::int64_t last = c * (c_.size[static_cast<std::size_t>(window.dim(i))] - 1);
      (c < 0 ? lowest : highest) += last;
    }
    std::int64_t count = 0;
    for (std::int64_t value = lowest; value <= highest; ++value) {
      count += is_reached(window, instance, 0, value) ? 1 : 0;
    }
    return count;
  }

  bool is_reached(const Window& window, const Extents& instance, int at, std::int64_t value) const {
    const std::int64_t c = window.signed_coefficient(at);
    const int dim = window.dim(at);
    const std::int64_t which = instance[static_cast<std::size_t>(at)];
    if (at + 1 == window.dim_count()) {
      return value % c == 0 && belongs(dim, value / c, which);
    }
    const std::int64_t size = c_.size[static_cast<std::size_t>(dim)];
    for (std::int64_t i = 0; i < size; ++i) {
      if (belongs(dim, i, which) && is_reached(window, instance, at + 1, value - c * i))
        return true;
    }
    return false;
  }

  const Frame& frame_;
  const Compiled& c_;
  const TensorTable& tensor_;
  int slot_;
};

// Timeloop's share of the tensor that an instance sees: the share of the next
// outer memory, times this tile, over the tiles laid side by side in space.
std::int64_t timeloop_share(const Frame& frame, int tensor, int memory) {
  const Compiled& c = frame.compiled();
  std::int64_t share = tile_words(frame, tensor, c.memory[0].slot);
  for (int m = 1; m <= memory; ++m) {
    const int slot = c.memory[static_cast<std::size_t>(m)].slot;
    const int outer = c.memory[static_cast<std::size_t>(m) - 1].slot + 1;
    share = static_cast<std::int64_t>(static_cast<Int128>(share) * tile_words(frame, tensor, slot) /
                                      tile_words(frame, tensor, outer));
  }
  return share;
}

}  // namespace

std::int64_t ever_held(const Frame& frame, int tensor, int memory, Scope scope) {
  const Compiled& c = frame.compiled();
  const TensorTable& table = c.tensor[static_cast<std::size_t>(tensor)];
  const int slot = c.memory[static_cast<std::size_t>(memory)].slot;
  if (c.boxes && !table.windows.empty()) {
    const std::int64_t share = timeloop_share(frame, tensor, memory);
    return scope == Scope::Busiest ? share : share * frame.instances(slot);
  }
  return HeldCounter(frame, table, slot).count(scope);
}

}  // namespace tilewright::model
