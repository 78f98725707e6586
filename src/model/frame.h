// One mapping laid out for counting: extents of tiles, loops from the inside
// out, and for dimensions with remainders the digits of their last index.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/compiled.h"

namespace tilewright::model {

struct FrameLoop {
  std::int64_t bound;
  int dim;
  int slot;
};

// A slot in which a dimension has more than one iteration, and the digit that
// the dimension's last index has there.
struct DigitSlot {
  std::int64_t bound;
  std::int64_t digit;
  int slot;
  std::uint32_t bit;  // 1 << slot
};

// Dimensions are ordinary if their bounds multiply to their size and so do
// those of all their partners in windows; counts of ordinary dimensions are
// products of bounds. The others are special and counted by digits.
class Frame {
 public:
  Frame(const Compiled& compiled, const Mapping& mapping);

  const Compiled& compiled() const { return c_; }
  const Mapping& mapping() const { return m_; }
  std::uint32_t special() const { return special_; }

  // Product of a dimension's bounds from a slot on: what one step of the slots
  // outside it covers, not clipped to the dimension's size.
  std::int64_t extent(int slot, int dim) const {
    return extent_[static_cast<std::size_t>(slot)][static_cast<std::size_t>(dim)];
  }
  // The extent of the largest tile that starts at a slot.
  std::int64_t tile(int slot, int dim) const {
    return std::min(extent(slot, dim), c_.size[static_cast<std::size_t>(dim)]);
  }
  // The extent of the last tile of a memory, of a special dimension. Here and
  // below, the number of memories stands for the compute level.
  std::int64_t last_tile(int memory, int dim) const {
    return last_[static_cast<std::size_t>(memory)][static_cast<std::size_t>(dim)];
  }
  // Bounds of a fan-out's two axes together, and the dimensions where they
  // exceed 1.
  std::int64_t unrolled(int fanout, int dim) const {
    return unrolled_[static_cast<std::size_t>(fanout)][static_cast<std::size_t>(dim)];
  }
  std::uint32_t unrolled_dims(int fanout) const {
    return unrolled_dims_[static_cast<std::size_t>(fanout)];
  }
  // Instances that all bounds of an axis ask for.
  std::int64_t used_x(int fanout) const { return used_x_[static_cast<std::size_t>(fanout)]; }
  std::int64_t used_y(int fanout) const { return used_y_[static_cast<std::size_t>(fanout)]; }
  // Product of what a fan-out unrolls of some dimensions.
  std::int64_t unrolled_product(int fanout, std::uint32_t dims) const {
    std::int64_t product = 1;
    for (std::uint32_t rest = dims & unrolled_dims(fanout); rest != 0; rest &= rest - 1) {
      product *= unrolled(fanout, __builtin_ctz(rest));
    }
    return product;
  }

  // Temporal loops with more than one iteration, innermost first.
  int loop_count() const { return loop_count_; }
  const FrameLoop& loop(int i) const { return loops_[static_cast<std::size_t>(i)]; }
  // The first loop outside a memory.
  int first_loop_outside(int memory) const {
    return first_outside_[static_cast<std::size_t>(memory)];
  }
  // Iterations of the ordinary loops from i outwards.
  std::int64_t ordinary_iterations(int i) const { return iterations_[static_cast<std::size_t>(i)]; }
  // Instances that the ordinary dimensions make under the first fan-outs.
  std::int64_t ordinary_instances(int fanouts) const {
    return instances_[static_cast<std::size_t>(fanouts)];
  }

  // Tensors (bit each) that some memory outside this one keeps.
  std::uint32_t kept_outside(int memory) const {
    return kept_outside_[static_cast<std::size_t>(memory)];
  }

  // For special dimensions: how many combinations of a dimension's digits in
  // the slots outside a memory occur, when the digits of the slots in `zero`
  // (bit per slot) are held at 0.
  std::int64_t combinations(int dim, int memory, std::uint32_t zero) const;
  // Whether the combination of the last index is one of them.
  bool counts_last(int dim, int memory, std::uint32_t zero) const;
  int digit_slot_count(int dim) const { return digit_count_[static_cast<std::size_t>(dim)]; }
  // Innermost first.
  const DigitSlot& digit_slot(int dim, int i) const {
    return digits_[static_cast<std::size_t>(dim)][static_cast<std::size_t>(i)];
  }

  // The same for all spatial slots held at 0: the steps of the busiest instance.
  std::int64_t steps_of_busiest(int memory, int dim) const {
    return steps_[static_cast<std::size_t>(memory)][static_cast<std::size_t>(dim)];
  }
  bool busiest_has_last(int memory, int dim) const {
    return ((busiest_last_[static_cast<std::size_t>(memory)] >> dim) & 1U) != 0;
  }
  // And for all temporal slots: the instances that take part.
  std::int64_t places(int memory, int dim) const {
    return places_[static_cast<std::size_t>(memory)][static_cast<std::size_t>(dim)];
  }

  // Instances of a memory that take part.
  std::int64_t instances(int memory) const;

 private:
  void lay_out_extents();
  void lay_out_loops();
  bool is_idle(int slot) const;
  void find_special();
  void lay_out_digits(int dim);
  void lay_out_fanouts();
  void follow_last_index(int dim);

  const Compiled& c_;
  const Mapping& m_;
  std::uint32_t special_ = 0;
  int loop_count_ = 0;
  // The tables are left uninitialised where the problem is smaller than they.
  std::array<std::array<std::int64_t, kMaxDims>, kMaxSlots + 1> extent_;
  std::array<FrameLoop, kMaxMemories * kMaxDims + 1> loops_;  // one spare to write into
  std::array<std::int64_t, kMaxMemories * kMaxDims + 1> iterations_;
  std::array<int, kMaxMemories> first_outside_;
  std::array<std::uint32_t, kMaxFanouts> unrolled_dims_;
  std::array<std::int64_t, kMaxFanouts> used_x_, used_y_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxFanouts> unrolled_;
  std::array<std::int64_t, kMaxFanouts + 1> instances_;  // ordinary dimensions
  std::array<int, kMaxDims> digit_count_;
  // Lists end with idle entries, so that they can be read in groups.
  static constexpr int kDigitGroup = 4;
  std::array<std::array<DigitSlot, kMaxSlots + kDigitGroup>, kMaxDims> digits_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> last_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> tiles_;  // outside a memory
  std::array<std::array<int, kMaxDims>, kMaxMemories + 1> first_digit_;     // outside a memory
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> steps_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> places_;
  std::array<std::uint32_t, kMaxMemories + 1> busiest_last_;
  std::array<std::uint32_t, kMaxMemories> kept_outside_;
};

}  // namespace tilewright::model
