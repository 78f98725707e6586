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
  // The extent of the last tile that starts at a slot.
  std::int64_t last_tile(int slot, int dim) const {
    const std::int64_t full = extent(slot, dim);
    return (c_.size[static_cast<std::size_t>(dim)] - 1) % full + 1;
  }
  // Bounds of a fan-out's two axes together.
  std::int64_t unrolled(int fanout, int dim) const {
    const int slot = c_.fanout[static_cast<std::size_t>(fanout)].slot;
    return m_.bounds(slot)[dim] * m_.bounds(slot + 1)[dim];
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
  // Instances that the ordinary dimensions' spatial bounds outside a slot make.
  std::int64_t ordinary_instances(int slot) const;

  // For special dimensions: how many combinations of a dimension's digits in
  // the slots outside `end_slot` occur, when the digits of the slots in `zero`
  // (bit per slot) are held at 0.
  std::int64_t combinations(int dim, int end_slot, std::uint32_t zero) const;
  // Whether the combination of the last index is one of them.
  bool counts_last(int dim, int end_slot, std::uint32_t zero) const;
  int digit_slot_count(int dim) const { return digit_count_[static_cast<std::size_t>(dim)]; }
  // Innermost first.
  const DigitSlot& digit_slot(int dim, int i) const {
    return digits_[static_cast<std::size_t>(dim)][static_cast<std::size_t>(i)];
  }

  // Instances of a level that take part (slot_count() means compute).
  std::int64_t instances(int slot) const;

 private:
  void lay_out_extents();
  void lay_out_loops();
  void find_special();
  void lay_out_digits(int dim);

  const Compiled& c_;
  const Mapping& m_;
  std::uint32_t special_ = 0;
  int loop_count_ = 0;
  // The tables are left uninitialised where the problem is smaller than they.
  std::array<std::array<std::int64_t, kMaxDims>, kMaxSlots + 1> extent_;
  std::array<FrameLoop, kMaxMemories * kMaxDims> loops_;
  std::array<std::int64_t, kMaxMemories * kMaxDims + 1> iterations_;
  std::array<int, kMaxMemories> first_outside_;
  std::array<int, kMaxDims> digit_count_;
  std::array<std::array<DigitSlot, kMaxSlots>, kMaxDims> digits_;
};

}  // namespace tilewright::model
