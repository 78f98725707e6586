#include "model/counts.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

template <typename Number>
class FootprintCounter {
 public:
  FootprintCounter(const LoopLayout<Number>& layout, const FlatTensor& tensor, int memory)
      : layout_(layout),
        c_(layout.compiled()),
        tensor_(tensor),
        memory_(memory),
        slot_(c_.memory[at(memory)].slot),
        fanouts_(c_.memory[at(memory)].fanouts_outside) {}

  Words<Number> count() const {
    const std::uint32_t imperfect = layout_.imperfect();
    // Each instance has the tile of the perfect dimensions, and the loops that
    // move it elsewhere.
    const std::uint32_t dims = tensor_.alone & ~imperfect;
    Number share = 1;
    for (const int dim : members(dims)) share *= layout_.extent(slot_, dim);
    for (int i = layout_.first_loop_outside(memory_); i < layout_.loop_count(); ++i) {
      const TemporalLoop& loop = layout_.loop(i);
      share *= contains(dims, loop.dim) ? loop.bound : 1;
    }
    Words<Number> words{1, share};
    for (const Window& window : tensor_.windows) {
      if ((window.dim_bits() & imperfect) == 0) words.busiest *= busiest_window(window);
    }
    // Perfect dimensions give every instance the same number.
    words.all = words.busiest * layout_.perfect_instances(fanouts_);
    if (imperfect != 0) count_imperfect(words);
    return words;
  }

 private:
  // An imperfect dimension that is relevant: its indices; an irrelevant one: its
  // instances; windows: what their index reaches.
  void count_imperfect(Words<Number>& words) const {
    const std::uint32_t imperfect = layout_.imperfect();
    for (const int dim : members(imperfect & ~tensor_.relevant)) {
      words.all *= layout_.instances(memory_, dim);
    }
    for (const int dim : members(imperfect & tensor_.alone)) {
      words.all *= c_.size[at(dim)];
      const std::int64_t full = layout_.tile(slot_, dim);
      const std::int64_t missing = full - layout_.last_tile(memory_, dim);
      const bool last = layout_.has_last(dim, c_.spatial_slots & slots_before(slot_));
      words.busiest *= layout_.busiest_steps(memory_, dim) * full - (last ? missing : 0);
    }
    for (const Window& window : tensor_.windows) {
      if ((window.dim_bits() & imperfect) == 0) continue;
      words.busiest *= busiest_window(window);
      words.all *= all_windows(window);
    }
  }

  // Product of a dimension's spatial bounds outside the level.
  std::int64_t unrolled_outside(int dim) const {
    std::int64_t product = 1;
    for (int f = 0; f < fanouts_; ++f) product *= layout_.unrolled(f, dim);
    return product;
  }

  std::int64_t busiest_window(const Window& window) const {
    Extents sizes{};
    bool unrolled = false;
    for (int i = 0; i < window.dim_count(); ++i) {
      sizes[at(i)] = c_.size[at(window.dim(i))];
      unrolled = unrolled || unrolled_outside(window.dim(i)) > 1;
    }
    if (!unrolled) return window.size(sizes);
    return count_values(window, {});
  }

  Number all_windows(const Window& window) const {
    Number instances = 1;
    for (int i = 0; i < window.dim_count(); ++i) instances *= unrolled_outside(window.dim(i));
    if (instances == 1) return busiest_window(window);
    std::array<ClassList, kMaxWindowDims> classes;
    for (int i = 0; i < window.dim_count(); ++i) list_classes(window.dim(i), classes[at(i)]);
    Extents instance{};
    return sum_classes(window, classes.data(), instance, 0);
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
      for (std::int64_t i = 0; i < c_.size[at(dim)]; ++i) {
        indices += belongs(dim, i, number) ? 1 : 0;
      }
      int found = 0;
      while (found < list.count && list.items[at(found)].indices != indices) ++found;
      if (found == list.count) list.items[at(list.count++)] = {number, indices, 0};
      ++list.items[at(found)].instances;
    }
  }

  Number sum_classes(const Window& window, const ClassList* classes, Extents& instance,
                     int position) const {
    if (position == window.dim_count()) return count_values(window, instance);
    Number words = 0;
    for (int i = 0; i < classes[position].count; ++i) {
      const InstanceClass& item = classes[position].items[at(i)];
      instance[at(position)] = item.number;
      words += item.instances * sum_classes(window, classes, instance, position + 1);
    }
    return words;
  }

  // Whether an index of a dimension belongs to the instance with this number
  // (its spatial digits outside the level, as one mixed-radix number).
  bool belongs(int dim, std::int64_t index, std::int64_t instance) const {
    if (index < 0 || index >= c_.size[at(dim)]) return false;
    for (int f = fanouts_; f-- > 0;) {
      const int slot = c_.fanout[at(f)].slot;
      const std::int64_t bound = layout_.unrolled(f, dim);
      if (index / layout_.extent(slot + 2, dim) % bound != instance % bound) return false;
      instance /= bound;
    }
    return true;
  }

  // Distinct values of the window's index over the instance's indices, by
  // looking at each value in reach. The largest dimension comes last: whether
  // it can make up the rest of a value is seen without trying its indices.
  std::int64_t count_values(const Window& window, const Extents& instance) const {
    Order order{};
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (int i = 0; i < window.dim_count(); ++i) {
      const std::int64_t c = window.signed_coefficient(i);
      (c < 0 ? lowest : highest) += c * (size_of(window, i) - 1);
      order[at(i)] = i;
    }
    std::sort(order.begin(), order.begin() + window.dim_count(),
              [&](int a, int b) { return size_of(window, a) < size_of(window, b); });
    std::int64_t count = 0;
    for (std::int64_t value = lowest; value <= highest; ++value) {
      count += is_reached(window, instance, order, 0, value) ? 1 : 0;
    }
    return count;
  }

  using Order = std::array<int, kMaxWindowDims>;

  std::int64_t size_of(const Window& window, int i) const { return c_.size[at(window.dim(i))]; }

  bool is_reached(const Window& window, const Extents& instance, const Order& order, int position,
                  std::int64_t value) const {
    const int i = order[at(position)];
    const std::int64_t c = window.signed_coefficient(i);
    const std::int64_t which = instance[at(i)];
    if (position + 1 == window.dim_count()) {
      return value % c == 0 && belongs(window.dim(i), value / c, which);
    }
    for (std::int64_t index = 0; index < size_of(window, i); ++index) {
      if (belongs(window.dim(i), index, which) &&
          is_reached(window, instance, order, position + 1, value - c * index)) {
        return true;
      }
    }
    return false;
  }

  const LoopLayout<Number>& layout_;
  const Compiled& c_;
  const FlatTensor& tensor_;
  int memory_;
  int slot_;
  int fanouts_;  // outside the level
};

// a * b / c, rounded down. The product may have more bits than there are.
Int128 share_of(Int128 a, Int128 b, Int128 c) {
  Int128 product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c;
  BigUint share = BigUint::of(a) * BigUint::of(b);
  share.divide(BigUint::of(c));
  return share.wide();
}

// Timeloop's share of the tensor that an instance sees: the share of the next
// outer memory, times this tile, over the tiles laid side by side in space.
template <typename Number>
Number timeloop_share(const LoopLayout<Number>& layout, int tensor, int memory) {
  const Compiled& c = layout.compiled();
  Number share = tile_words(layout, tensor, c.memory[0].slot);
  for (int m = 1; m <= memory; ++m) {
    const int slot = c.memory[at(m)].slot;
    const int outer = c.memory[at(m) - 1].slot + 1;
    share = static_cast<Number>(
        share_of(share, tile_words(layout, tensor, slot), tile_words(layout, tensor, outer)));
  }
  return share;
}

}  // namespace

template <typename Number>
Words<Number> footprint(const LoopLayout<Number>& layout, int tensor, int memory) {
  const Compiled& c = layout.compiled();
  const FlatTensor& table = c.tensor[at(tensor)];
  if (c.bounding_boxes && !table.windows.empty()) {
    const Number share = timeloop_share(layout, tensor, memory);
    return {share * layout.instances(memory), share};
  }
  return FootprintCounter<Number>(layout, table, memory).count();
}

template Words<std::int64_t> footprint(const LoopLayout<std::int64_t>&, int, int);
template Words<Int128> footprint(const LoopLayout<Int128>&, int, int);

}  // namespace tilewright::model
