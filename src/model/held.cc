#include "model/held.h"

#include "model/counts.h"

namespace tilewright::model {
namespace {

class HeldCounter {
 public:
  HeldCounter(const Frame& frame, const TensorTable& tensor, int memory)
      : frame_(frame),
        c_(frame.compiled()),
        tensor_(tensor),
        memory_(memory),
        slot_(c_.memory[static_cast<std::size_t>(memory)].slot),
        fanouts_(c_.memory[static_cast<std::size_t>(memory)].fanouts_outside) {}

  Words count() const {
    const std::uint32_t special = frame_.special();
    // Of the ordinary dimensions, per instance: the tile, and the loops that
    // move it elsewhere.
    const std::uint32_t dims = tensor_.alone & ~special;
    std::int64_t share = 1;
    for (std::uint32_t rest = dims; rest != 0; rest &= rest - 1) {
      share *= frame_.extent(slot_, __builtin_ctz(rest));
    }
    for (int i = frame_.first_loop_outside(memory_); i < frame_.loop_count(); ++i) {
      const FrameLoop& loop = frame_.loop(i);
      share *= ((dims >> loop.dim) & 1U) != 0 ? loop.bound : 1;
    }
    Words words{1, share};
    for (const Window& window : tensor_.windows) {
      if ((window.dim_bits() & special) == 0) words.busiest *= busiest_window(window);
    }
    // Ordinary dimensions give every instance the same number.
    words.all = words.busiest * frame_.ordinary_instances(fanouts_);
    if (special != 0) count_special(words);
    return words;
  }

 private:
  // A special dimension that is relevant: its indices; an irrelevant one: its
  // instances; windows: what their index reaches.
  void count_special(Words& words) const {
    const std::uint32_t special = frame_.special();
    for (std::uint32_t rest = special & ~tensor_.relevant; rest != 0; rest &= rest - 1) {
      words.all *= frame_.places(memory_, __builtin_ctz(rest));
    }
    for (std::uint32_t rest = special & tensor_.alone; rest != 0; rest &= rest - 1) {
      const int dim = __builtin_ctz(rest);
      words.all *= c_.size[static_cast<std::size_t>(dim)];
      const std::int64_t full = frame_.tile(slot_, dim);
      const std::int64_t missing = full - frame_.last_tile(memory_, dim);
      const bool last = frame_.busiest_has_last(memory_, dim);
      words.busiest *= frame_.steps_of_busiest(memory_, dim) * full - (last ? missing : 0);
    }
    for (const Window& window : tensor_.windows) {
      if ((window.dim_bits() & special) == 0) continue;
      words.busiest *= busiest_window(window);
      words.all *= all_windows(window);
    }
  }

  // Product of a dimension's spatial bounds outside the level.
  std::int64_t unrolled_outside(int dim) const {
    std::int64_t product = 1;
    for (int f = 0; f < fanouts_; ++f) product *= frame_.unrolled(f, dim);
    return product;
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
    for (int i = 0; i < window.dim_count(); ++i) instances *= unrolled_outside(window.dim(i));
    if (instances == 1) return busiest_window(window);
    std::array<ClassList, kMaxWindowDims> classes;
    for (int i = 0; i < window.dim_count(); ++i) {
      list_classes(window.dim(i), classes[static_cast<std::size_t>(i)]);
    }
    Extents instance{};
    return scan_classes(window, classes.data(), instance, 0);
  }

  // Instances that hold equally many indices of a dimension. Their sets are
  // shifted copies of each other: the end of the dimension takes the last ones
  // away. The counts differ by the places where an instance's digits can leave
  // those of the last index, two for each slot at most.
  struct InstanceClass {
    std::int64_t number;  // of the first one
    std::int64_t indices;
    std::int64_t instances;
  };
  struct ClassList {
    int count = 0;
    std::array<InstanceClass, 4 * kMaxFanouts + 2> items;
  };

  void list_classes(int dim, ClassList& list) const {
    const std::int64_t instances = unrolled_outside(dim);
    for (std::int64_t number = 0; number < instances; ++number) {
      std::int64_t indices = 0;
      for (std::int64_t i = 0; i < c_.size[static_cast<std::size_t>(dim)]; ++i) {
        indices += belongs(dim, i, number) ? 1 : 0;
      }
      int at = 0;
      while (at < list.count && list.items[static_cast<std::size_t>(at)].indices != indices) ++at;
      if (at == list.count) {
        list.items[static_cast<std::size_t>(list.count++)] = {number, indices, 0};
      }
      ++list.items[static_cast<std::size_t>(at)].instances;
    }
  }

  std::int64_t scan_classes(const Window& window, const ClassList* classes, Extents& instance,
                            int at) const {
    if (at == window.dim_count()) return scan(window, instance);
    std::int64_t words = 0;
    for (int i = 0; i < classes[at].count; ++i) {
      const InstanceClass& item = classes[at].items[static_cast<std::size_t>(i)];
      instance[static_cast<std::size_t>(at)] = item.number;
      words += item.instances * scan_classes(window, classes, instance, at + 1);
    }
    return words;
  }

  // Whether an index of a dimension belongs to the instance with this number
  // (its spatial digits outside the level, as one mixed-radix number).
  bool belongs(int dim, std::int64_t index, std::int64_t instance) const {
    if (index < 0 || index >= c_.size[static_cast<std::size_t>(dim)]) return false;
    for (int f = fanouts_; f-- > 0;) {
      const int slot = c_.fanout[static_cast<std::size_t>(f)].slot;
      const std::int64_t bound = frame_.unrolled(f, dim);
      if (index / frame_.extent(slot + 2, dim) % bound != instance % bound) return false;
      instance /= bound;
    }
    return true;
  }

  // Distinct values of the window's index over the instance's indices, by
  // looking at each value in reach. The largest dimension comes last: whether
  // it can make up the rest of a value is seen without trying its indices.
  std::int64_t scan(const Window& window, const Extents& instance) const {
    Order order{};
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (int i = 0; i < window.dim_count(); ++i) {
      const std::int64_t c = window.signed_coefficient(i);
      (c < 0 ? lowest : highest) += c * (size_of(window, i) - 1);
      int at = i;
      for (;
           at > 0 && size_of(window, order[static_cast<std::size_t>(at - 1)]) > size_of(window, i);
           --at) {
        order[static_cast<std::size_t>(at)] = order[static_cast<std::size_t>(at - 1)];
      }
      order[static_cast<std::size_t>(at)] = i;
    }
    std::int64_t count = 0;
    for (std::int64_t value = lowest; value <= highest; ++value) {
      count += is_reached(window, instance, order, 0, value) ? 1 : 0;
    }
    return count;
  }

  using Order = std::array<int, kMaxWindowDims>;

  std::int64_t size_of(const Window& window, int i) const {
    return c_.size[static_cast<std::size_t>(window.dim(i))];
  }

  bool is_reached(const Window& window, const Extents& instance, const Order& order, int at,
                  std::int64_t value) const {
    const int i = order[static_cast<std::size_t>(at)];
    const std::int64_t c = window.signed_coefficient(i);
    const std::int64_t which = instance[static_cast<std::size_t>(i)];
    if (at + 1 == window.dim_count()) {
      return value % c == 0 && belongs(window.dim(i), value / c, which);
    }
    for (std::int64_t index = 0; index < size_of(window, i); ++index) {
      if (belongs(window.dim(i), index, which) &&
          is_reached(window, instance, order, at + 1, value - c * index)) {
        return true;
      }
    }
    return false;
  }

  const Frame& frame_;
  const Compiled& c_;
  const TensorTable& tensor_;
  int memory_;
  int slot_;
  int fanouts_;  // outside the level
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

Words ever_held(const Frame& frame, int tensor, int memory) {
  const Compiled& c = frame.compiled();
  const TensorTable& table = c.tensor[static_cast<std::size_t>(tensor)];
  if (c.boxes && !table.windows.empty()) {
    const std::int64_t share = timeloop_share(frame, tensor, memory);
    return {share * frame.instances(memory), share};
  }
  return HeldCounter(frame, table, memory).count();
}

}  // namespace tilewright::model
