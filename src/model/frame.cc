#include "model/frame.h"

namespace tilewright::model {
namespace {

// Divides in 32 bits where that is enough: several times faster on many
// machines, and sizes of dimensions are small.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) != 0) return a / b;
  return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
}

}  // namespace

// The tables are filled as far as the problem reaches.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
Frame::Frame(const Compiled& compiled, const Mapping& mapping) : c_(compiled), m_(mapping) {
  lay_out_extents();
  find_special();
  lay_out_fanouts();
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
    const auto k = static_cast<std::size_t>(d);
    const bool uneven = extent(0, d) != c_.size[k];
    special_ |= c_.partners[k] & (uneven ? ~0U : 0U);
  }
  for (std::uint32_t rest = special_; rest != 0; rest &= rest - 1) {
    lay_out_digits(__builtin_ctz(rest));
  }
}

void Frame::lay_out_digits(int dim) {
  const auto d = static_cast<std::size_t>(dim);
  DigitSlot* next = digits_[d].data();
  std::int64_t rest = c_.size[d] - 1;
  std::int64_t last = 1;
  const auto note = [&](int memory) {
    const auto m = static_cast<std::size_t>(memory);
    last_[m][d] = last;
    tiles_[m][d] = rest + 1;
    first_digit_[m][d] = static_cast<int>(next - digits_[d].data());
  };
  note(c_.memories);
  const std::int64_t* bound = m_.bounds(c_.slots) + dim;
  for (int s = c_.slots; s-- > 0;) {
    bound -= c_.dims;
    if (*bound > 1) {
      const std::int64_t outer = quotient(rest, *bound);
      const std::int64_t digit = rest - outer * *bound;
      *next++ = {*bound, digit, s, 1U << s};
      last += digit * extent(s + 1, dim);
      rest = outer;
    }
    const int memory = c_.memory_at[static_cast<std::size_t>(s)];
    if (memory >= 0) note(memory);
  }
  digit_count_[d] = static_cast<int>(next - digits_[d].data());
  for (int i = 0; i < kDigitGroup; ++i) next[i] = {1, 0, -1, 0};
  follow_last_index(dim);
}

// Counts combinations from the outermost slot in, noting the state at each
// memory: how many are below the last index's digits so far, and whether that
// prefix itself is allowed.
void Frame::follow_last_index(int dim) {
  const auto d = static_cast<std::size_t>(dim);
  struct Count {
    std::int64_t below = 0;
    std::int64_t equal = 1;  // 0 or 1
    void pass(const DigitSlot& at, bool held) {
      below = held ? below + (at.digit > 0 ? equal : 0) : below * at.bound + equal * at.digit;
      if (held && at.digit > 0) equal = 0;
    }
  };
  Count steps;   // spatial digits held at 0
  Count places;  // temporal ones
  int next = digit_count_[d];
  for (int memory = 0; memory <= c_.memories; ++memory) {
    const auto m = static_cast<std::size_t>(memory);
    const int slot = memory < c_.memories ? c_.memory[m].slot : c_.slots;
    while (next > 0 && digits_[d][static_cast<std::size_t>(next - 1)].slot < slot) {
      const DigitSlot& at = digits_[d][static_cast<std::size_t>(--next)];
      const bool spatial = (c_.spatial_slots & at.bit) != 0;
      steps.pass(at, spatial);
      places.pass(at, !spatial);
    }
    steps_[m][d] = steps.below + steps.equal;
    places_[m][d] = places.below + places.equal;
    const auto last = static_cast<std::uint32_t>(steps.equal) << dim;
    busiest_last_[m] = (busiest_last_[m] & ~(1U << dim)) | last;
  }
}

// True if all bounds of a slot are 1.
bool Frame::is_idle(int slot) const {
  const auto& outer = extent_[static_cast<std::size_t>(slot)];
  const auto& inner = extent_[static_cast<std::size_t>(slot) + 1];
  std::int64_t difference = 0;
  for (int d = 0; d < c_.dims; ++d) {
    difference |= outer[static_cast<std::size_t>(d)] ^ inner[static_cast<std::size_t>(d)];
  }
  return difference == 0;
}

void Frame::lay_out_loops() {
  FrameLoop* next = loops_.data();
  for (int memory = c_.memories; memory-- > 0;) {
    const int slot = c_.memory[static_cast<std::size_t>(memory)].slot;
    const std::int64_t* bounds = m_.bounds(slot);
    const std::uint8_t* order = m_.order(MemoryId{memory});
    first_outside_[static_cast<std::size_t>(memory)] = static_cast<int>(next - loops_.data());
    if (is_idle(slot)) continue;
    for (int position = c_.dims; position-- > 0;) {
      const int dim = order[position];
      // Written in any case, kept if it is a loop: no branch to mispredict.
      *next = {bounds[dim], dim, slot};
      next += bounds[dim] > 1 ? 1 : 0;
    }
  }
  loop_count_ = static_cast<int>(next - loops_.data());
  // first_outside_ holds where each memory's own loops begin; those outside
  // it begin where the next memory's begin.
  for (int memory = c_.memories; memory-- > 1;) {
    first_outside_[static_cast<std::size_t>(memory)] =
        first_outside_[static_cast<std::size_t>(memory) - 1];
  }
  first_outside_[0] = loop_count_;
  std::uint32_t kept = 0;
  for (int memory = 0; memory < c_.memories; ++memory) {
    kept_outside_[static_cast<std::size_t>(memory)] = kept;
    kept |= m_.kept(MemoryId{memory});
  }
  std::int64_t product = 1;
  iterations_[static_cast<std::size_t>(loop_count_)] = 1;
  for (int i = loop_count_; i-- > 0;) {
    const FrameLoop& loop = loops_[static_cast<std::size_t>(i)];
    if (((special_ >> loop.dim) & 1U) == 0) product *= loop.bound;
    iterations_[static_cast<std::size_t>(i)] = product;
  }
}

void Frame::lay_out_fanouts() {
  instances_[0] = 1;
  for (int f = 0; f < c_.fanouts; ++f) {
    const auto k = static_cast<std::size_t>(f);
    const std::int64_t* y = m_.bounds(c_.fanout[k].slot);
    const std::int64_t* x = m_.bounds(c_.fanout[k].slot + 1);
    std::uint32_t bits = 0;
    std::int64_t all_x = 1;
    std::int64_t all_y = 1;
    for (int d = 0; d < c_.dims; ++d) {
      const std::int64_t both = x[d] * y[d];
      all_x *= x[d];
      all_y *= y[d];
      unrolled_[k][static_cast<std::size_t>(d)] = both;
      bits |= (both > 1 ? 1U : 0U) << d;
    }
    unrolled_dims_[k] = bits;
    used_x_[k] = all_x;
    used_y_[k] = all_y;
    instances_[k + 1] = instances_[k] * unrolled_product(f, ~special_);
  }
}

std::int64_t Frame::combinations(int dim, int memory, std::uint32_t zero) const {
  const auto d = static_cast<std::size_t>(dim);
  const auto end = static_cast<std::size_t>(memory);
  if (zero == 0) return tiles_[end][d];
  std::int64_t all = 1;         // of the slots seen so far, digits free
  std::int64_t up_to_last = 1;  // those not beyond the last index
  const DigitSlot* group = digits_[d].data() + first_digit_[end][d];
  const DigitSlot* const stop = digits_[d].data() + digit_count_[d];
  for (; group < stop; group += kDigitGroup) {
    for (int i = 0; i < kDigitGroup; ++i) {
      const DigitSlot& at = group[i];
      const bool held = (zero & at.bit) != 0;
      const std::int64_t if_held = at.digit > 0 ? all : up_to_last;
      const std::int64_t if_free = up_to_last + at.digit * all;
      up_to_last = held ? if_held : if_free;
      all *= held ? 1 : at.bound;
    }
  }
  return up_to_last;
}

bool Frame::counts_last(int dim, int memory, std::uint32_t zero) const {
  const auto d = static_cast<std::size_t>(dim);
  const int first = first_digit_[static_cast<std::size_t>(memory)][d];
  for (int i = first; zero != 0 && i < digit_count_[d]; ++i) {
    const DigitSlot& at = digits_[d][static_cast<std::size_t>(i)];
    if (((zero >> at.slot) & 1U) != 0 && at.digit != 0) return false;
  }
  return true;
}

std::int64_t Frame::instances(int memory) const {
  const bool compute = memory == c_.memories;
  std::int64_t product = ordinary_instances(
      compute ? c_.fanouts : c_.memory[static_cast<std::size_t>(memory)].fanouts_outside);
  for (std::uint32_t rest = special_; rest != 0; rest &= rest - 1) {
    product *= places(memory, __builtin_ctz(rest));
  }
  return product;
}

}  // namespace tilewright::model
