#include "model/frame.h"

namespace tilewright::model {

// The tables are filled as far as the problem reaches.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
Frame::Frame(const Compiled& compiled, const Mapping& mapping) : c_(compiled), m_(mapping) {
  lay_out_extents();
  find_special();
  lay_out_loops();
}

void Frame::lay_out_extents() {
  extent_[static_cast<std::size_t>(c_.slots)].fill(1);
  for (int s = c_.slots; s-- > 0;) {
    const std::int64_t* bounds = m_.bounds(s);
    const auto& inner = extent_[static_cast<std::size_t>(s) + 1];
    auto& outer = extent_[static_cast<std::size_t>(s)];
    for (int d = 0; d < c_.dims; ++d) {
      outer[static_cast<std::size_t>(d)] = inner[static_cast<std::size_t>(d)] * bounds[d];
    }
  }
}

void Frame::find_special() {
  for (int d = 0; d < c_.dims; ++d) {
    if (extent(0, d) != c_.size[static_cast<std::size_t>(d)]) {
      special_ |= c_.partners[static_cast<std::size_t>(d)];
    }
  }
  if (special_ == 0) return;
  // Windows of different tensors may chain dimensions together.
  for (std::uint32_t before = 0; before != special_;) {
    before = special_;
    for (int d = 0; d < c_.dims; ++d) {
      if (((special_ >> d) & 1U) != 0) special_ |= c_.partners[static_cast<std::size_t>(d)];
    }
  }
  for (int d = 0; d < c_.dims; ++d) {
    if (((special_ >> d) & 1U) != 0) lay_out_digits(d);
  }
}

void Frame::lay_out_digits(int dim) {
  int count = 0;
  std::int64_t rest = c_.size[static_cast<std::size_t>(dim)] - 1;
  for (int s = c_.slots; s-- > 0;) {
    const std::int64_t bound = m_.bounds(s)[dim];
    if (bound == 1) continue;
    digits_[static_cast<std::size_t>(dim)][static_cast<std::size_t>(count++)] = {bound,
                                                                                 rest % bound, s};
    rest /= bound;
  }
  digit_count_[static_cast<std::size_t>(dim)] = count;
}

void Frame::lay_out_loops() {
  for (int memory = c_.memories; memory-- > 0;) {
    const int slot = c_.memory[static_cast<std::size_t>(memory)].slot;
    const std::int64_t* bounds = m_.bounds(slot);
    const std::uint8_t* order = m_.order(MemoryId{memory});
    first_outside_[static_cast<std::size_t>(memory)] = loop_count_;
    for (int position = c_.dims; position-- > 0;) {
      const int dim = order[position];
      if (bounds[dim] > 1) {
        loops_[static_cast<std::size_t>(loop_count_++)] = {bounds[dim], dim, slot};
      }
    }
  }
  // first_outside_ holds where each memory's own loops begin; those outside
  // it begin where the next memory's begin.
  for (int memory = c_.memories; memory-- > 1;) {
    first_outside_[static_cast<std::size_t>(memory)] =
        first_outside_[static_cast<std::size_t>(memory) - 1];
  }
  first_outside_[0] = loop_count_;
  std::int64_t product = 1;
  iterations_[static_cast<std::size_t>(loop_count_)] = 1;
  for (int i = loop_count_; i-- > 0;) {
    const FrameLoop& loop = loops_[static_cast<std::size_t>(i)];
    if (((special_ >> loop.dim) & 1U) == 0) product *= loop.bound;
    iterations_[static_cast<std::size_t>(i)] = product;
  }
}

std::int64_t Frame::ordinary_instances(int slot) const {
  std::int64_t product = 1;
  for (int f = 0; f < c_.fanouts && c_.fanout[static_cast<std::size_t>(f)].slot < slot; ++f) {
    for (int d = 0; d < c_.dims; ++d) {
      if (((special_ >> d) & 1U) == 0) product *= unrolled(f, d);
    }
  }
  return product;
}

std::int64_t Frame::combinations(int dim, int end_slot, std::uint32_t zero) const {
  std::int64_t all = 1;         // of the slots seen so far, digits free
  std::int64_t up_to_last = 1;  // those not beyond the last index
  const auto& digits = digits_[static_cast<std::size_t>(dim)];
  const int count = digit_count_[static_cast<std::size_t>(dim)];
  for (int i = 0; i < count; ++i) {
    const DigitSlot& at = digits[static_cast<std::size_t>(i)];
    if (at.slot >= end_slot) continue;
    if (((zero >> at.slot) & 1U) != 0) {
      if (at.digit > 0) up_to_last = all;
    } else {
      up_to_last += at.digit * all;
      all *= at.bound;
    }
  }
  return up_to_last;
}

bool Frame::counts_last(int dim, int end_slot, std::uint32_t zero) const {
  const auto& digits = digits_[static_cast<std::size_t>(dim)];
  for (int i = 0; i < digit_count_[static_cast<std::size_t>(dim)]; ++i) {
    const DigitSlot& at = digits[static_cast<std::size_t>(i)];
    if (at.slot < end_slot && ((zero >> at.slot) & 1U) != 0 && at.digit != 0) return false;
  }
  return true;
}

std::int64_t Frame::instances(int slot) const {
  std::int64_t product = ordinary_instances(slot);
  for (std::uint32_t rest = special_; rest != 0; rest &= rest - 1) {
    product *= combinations(__builtin_ctz(rest), slot, c_.temporal_slots);
  }
  return product;
}

}  // namespace tilewright::model
