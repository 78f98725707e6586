// One mapping laid out for counting: extents of tiles, loops from the inside
// out, and for dimensions with remainders the digits of their last index.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bits.h"
#include "model/compiled.h"

namespace tilewright::model {

struct TemporalLoop {
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

// The slots outside a slot, as bits. (The shift takes 64 bits, for with all slots
// in use the compute level stands at slot 32.)
constexpr std::uint32_t slots_before(int slot) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << slot) - 1U);
}

// Dimensions are perfect if their bounds multiply to their size and so do those
// of all their partners in windows; counts of perfect dimensions are products of
// bounds. The others are imperfect and counted by digits.
//
// Wherever a memory is asked for, the number of memories stands for the compute
// level.
//
// What belongs to one dimension, or one window, has 64 bits. Products over dimensions are of type
// Number: 64 bits, or 128 for problems whose counts need them.
template <typename Number>
class LoopLayout {
 public:
  LoopLayout(const Compiled& compiled, const Mapping& mapping);

  const Compiled& compiled() const { return c_; }
  const Mapping& mapping() const { return m_; }
  std::uint32_t imperfect() const { return imperfect_; }

  // The product of a dimension's bounds from a slot on. It is what one step of the
  // slots outside covers, not clipped to the dimension's size.
  std::int64_t extent(int slot, int dim) const { return extent_[at(slot)][at(dim)]; }
  // The extent of the largest tile that starts at a slot.
  std::int64_t tile(int slot, int dim) const {
    return std::min(extent(slot, dim), c_.size[at(dim)]);
  }
  // The extent of the last tile of a memory, of an imperfect dimension.
  std::int64_t last_tile(int memory, int dim) const { return last_[at(memory)][at(dim)]; }
  // The product of a dimension's bounds on a fan-out's two axes, and the dimensions
  // where it exceeds 1.
  std::int64_t unrolled(int fanout, int dim) const { return unrolled_[at(fanout)][at(dim)]; }
  std::uint32_t unrolled_dims(int fanout) const { return unrolled_dims_[at(fanout)]; }
  // Instances that all bounds of an axis ask for.
  Number used_x(int fanout) const { return used_x_[at(fanout)]; }
  Number used_y(int fanout) const { return used_y_[at(fanout)]; }
  // The product of what a fan-out unrolls of some dimensions.
  Number unrolled_product(int fanout, std::uint32_t dims) const {
    Number product = 1;
    for (const int dim : members(dims & unrolled_dims(fanout))) product *= unrolled(fanout, dim);
    return product;
  }

  // Temporal loops with more than one iteration, innermost first.
  int loop_count() const { return loop_count_; }
  const TemporalLoop& loop(int i) const { return loops_[at(i)]; }
  // The first loop outside a memory.
  int first_loop_outside(int memory) const { return first_outside_[at(memory)]; }
  // Iterations of the perfect loops from i outwards.
  Number perfect_iterations(int i) const { return iterations_[at(i)]; }
  // Instances that the perfect dimensions make under the first fan-outs.
  Number perfect_instances(int fanouts) const { return instances_[at(fanouts)]; }

  // Tensors (bit each) that some memory outside this one keeps.
  std::uint32_t kept_outside(int memory) const { return kept_outside_[at(memory)]; }

  // How many combinations of an imperfect dimension's digits in the slots outside
  // a memory occur, when the digits of the slots in `zero` (bit per slot, all of
  // them outside the memory) are held at 0.
  std::int64_t combinations(int dim, int memory, std::uint32_t zero) const;
  // Whether the combination of the last index is one of them.
  bool has_last(int dim, std::uint32_t zero) const { return (nonzero_slots_[at(dim)] & zero) == 0; }
  int digit_slot_count(int dim) const { return digit_count_[at(dim)]; }
  // They stand innermost first.
  const DigitSlot& digit_slot(int dim, int i) const { return digits_[at(dim)][at(i)]; }
  int first_digit_outside(int memory, int dim) const { return first_digit_[at(memory)][at(dim)]; }

  // With all spatial slots held at 0, the combinations are the steps of the busiest instance;
  std::int64_t busiest_steps(int memory, int dim) const { return steps_[at(memory)][at(dim)]; }
  // with all temporal slots held at 0, they are the instances that the dimension makes.
  std::int64_t instances(int memory, int dim) const { return dim_instances_[at(memory)][at(dim)]; }

  // Instances of a memory that take part.
  Number instances(int memory) const;

 private:
  void lay_out_extents();
  void lay_out_loops();
  void find_outer_keepers();
  void find_imperfect();
  void lay_out_digits(int dim);
  void lay_out_fanouts();
  void follow_last_index(int dim);

  const Compiled& c_;
  const Mapping& m_;
  std::uint32_t imperfect_;
  int loop_count_ = 0;
  // The tables are left uninitialised where the problem is smaller than they.
  std::array<std::array<std::int64_t, kMaxDims>, kMaxSlots + 1> extent_;
  std::array<TemporalLoop, kMaxMemories * kMaxDims + 1> loops_;  // one spare to write into
  std::array<Number, kMaxMemories * kMaxDims + 1> iterations_;
  std::array<int, kMaxMemories> first_outside_;
  std::array<std::uint32_t, kMaxFanouts> unrolled_dims_;
  std::array<Number, kMaxFanouts> used_x_, used_y_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxFanouts> unrolled_;
  std::array<Number, kMaxFanouts + 1> instances_;  // perfect dimensions
  std::array<int, kMaxDims> digit_count_;
  std::array<std::uint32_t, kMaxDims> digit_slots_;    // bit per slot in digits_
  std::array<std::uint32_t, kMaxDims> nonzero_slots_;  // bit per slot whose digit is not 0
  // Lists end with idle entries, so that they can be read in groups.
  static constexpr int kDigitGroup = 4;
  std::array<std::array<DigitSlot, kMaxSlots + kDigitGroup>, kMaxDims> digits_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> last_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> tiles_;  // outside a memory
  std::array<std::array<int, kMaxDims>, kMaxMemories + 1> first_digit_;     // outside a memory
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> steps_;
  std::array<std::array<std::int64_t, kMaxDims>, kMaxMemories + 1> dim_instances_;
  std::array<std::uint32_t, kMaxMemories> kept_outside_;
};

extern template class LoopLayout<std::int64_t>;
extern template class LoopLayout<Int128>;

}  // namespace tilewright::model
