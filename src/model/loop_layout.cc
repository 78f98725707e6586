#include "model/loop_layout.h"

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
template <typename Number>
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
LoopLayout<Number>::LoopLayout(const Compiled& compiled, const Mapping& mapping)
    : c_(compiled), m_(mapping), imperfect_(compiled.by_digits) {
  lay_out_extents();
  find_imperfect();
  lay_out_fanouts();
  lay_out_loops();
  find_outer_keepers();
}

template <typename Number>
void LoopLayout<Number>::lay_out_extents() {
  extent_[at(c_.slots)].fill(1);
  for (int s = c_.slots; s-- > 0;) {
    const std::int64_t* bounds = m_.bounds(s);
    const auto& inner = extent_[at(s) + 1];
    auto& outer = extent_[at(s)];
    for (int d = 0; d < c_.dims; ++d) outer[at(d)] = inner[at(d)] * bounds[d];
  }
}

template <typename Number>
void LoopLayout<Number>::find_imperfect() {
  for (int d = 0; d < c_.dims; ++d) {
    const auto k = at(d);
    const bool uneven = extent(0, d) != c_.size[k];
    imperfect_ |= c_.partners[k] & (uneven ? ~0U : 0U);
  }
  for (const int dim : members(imperfect_)) lay_out_digits(dim);
}

template <typename Number>
void LoopLayout<Number>::lay_out_digits(int dim) {
  const auto d = at(dim);
  DigitSlot* next = digits_[d].data();
  std::int64_t rest = c_.size[d] - 1;
  std::int64_t last = 1;
  const auto note = [&](int memory) {
    const auto m = at(memory);
    last_[m][d] = last;
    tiles_[m][d] = rest + 1;
    first_digit_[m][d] = static_cast<int>(next - digits_[d].data());
  };
  note(c_.memories);
  std::uint32_t slots = 0;
  std::uint32_t nonzero = 0;
  const std::int64_t* bound = m_.bounds(c_.slots) + dim;
  for (int s = c_.slots; s-- > 0;) {
    bound -= c_.dims;
    if (*bound > 1) {
      const std::int64_t outer = quotient(rest, *bound);
      const std::int64_t digit = rest - outer * *bound;
      const std::uint32_t bit = 1U << s;
      *next++ = {*bound, digit, s, bit};
      slots |= bit;
      nonzero |= digit > 0 ? bit : 0;
      last += digit * extent(s + 1, dim);
      rest = outer;
    }
    const int memory = c_.memory_at[at(s)];
    if (memory >= 0) note(memory);
  }
  digit_count_[d] = static_cast<int>(next - digits_[d].data());
  digit_slots_[d] = slots;
  nonzero_slots_[d] = nonzero;
  for (int i = 0; i < kDigitGroup; ++i) next[i] = {1, 0, -1, 0};
  follow_last_index(dim);
}

// Counts combinations from the outermost slot in, noting the state at each
// memory: how many are below the last index's digits so far, and whether that
// prefix itself is allowed.
template <typename Number>
void LoopLayout<Number>::follow_last_index(int dim) {
  const auto d = at(dim);
  struct Count {
    std::int64_t below = 0;
    std::int64_t equal = 1;  // 0 or 1
    void pass(const DigitSlot& slot, bool held) {
      below = held ? below + (slot.digit > 0 ? equal : 0) : below * slot.bound + equal * slot.digit;
      if (held && slot.digit > 0) equal = 0;
    }
  };
  Count steps;      // spatial digits held at 0
  Count instances;  // temporal ones
  int next = digit_count_[d];
  for (int memory = 0; memory <= c_.memories; ++memory) {
    const auto m = at(memory);
    while (next > first_digit_[m][d]) {
      const DigitSlot& slot = digits_[d][at(--next)];
      const bool spatial = (c_.spatial_slots & slot.bit) != 0;
      steps.pass(slot, spatial);
      instances.pass(slot, !spatial);
    }
    steps_[m][d] = steps.below + steps.equal;
    dim_instances_[m][d] = instances.below + instances.equal;
  }
}

template <typename Number>
void LoopLayout<Number>::lay_out_loops() {
  TemporalLoop* next = loops_.data();
  for (int memory = c_.memories; memory-- > 0;) {
    const int slot = c_.memory[at(memory)].slot;
    const std::int64_t* bounds = m_.bounds(slot);
    const std::uint8_t* order = m_.order(MemoryId{memory});
    for (int position = c_.dims; position-- > 0;) {
      const int dim = order[position];
      // Written in any case, kept if it is a loop: no branch to mispredict.
      *next = {bounds[dim], dim, slot};
      next += bounds[dim] > 1 ? 1 : 0;
    }
    first_outside_[at(memory)] = static_cast<int>(next - loops_.data());
  }
  loop_count_ = first_outside_[0];
  iterations_[at(loop_count_)] = 1;
  const std::uint32_t imperfect = imperfect_;  // asked outside the loop, where it mostly is 0
  Number iterations = 1;
  for (int i = loop_count_; i-- > 0;) {
    const TemporalLoop& loop = loops_[at(i)];
    iterations *= imperfect != 0 && contains(imperfect, loop.dim) ? 1 : loop.bound;
    iterations_[at(i)] = iterations;
  }
}

template <typename Number>
void LoopLayout<Number>::find_outer_keepers() {
  std::uint32_t kept = 0;
  for (int memory = 0; memory < c_.memories; ++memory) {
    kept_outside_[at(memory)] = kept;
    kept |= m_.kept(MemoryId{memory});
  }
}

template <typename Number>
void LoopLayout<Number>::lay_out_fanouts() {
  instances_[0] = 1;
  for (int f = 0; f < c_.fanouts; ++f) {
    const auto k = at(f);
    const std::int64_t* y = m_.bounds(c_.fanout[k].slot);
    const std::int64_t* x = m_.bounds(c_.fanout[k].slot + 1);
    std::uint32_t bits = 0;
    Number all_x = 1;
    Number all_y = 1;
    for (int d = 0; d < c_.dims; ++d) {
      const std::int64_t both = x[d] * y[d];
      all_x *= x[d];
      all_y *= y[d];
      unrolled_[k][at(d)] = both;
      bits |= (both > 1 ? 1U : 0U) << d;
    }
    unrolled_dims_[k] = bits;
    used_x_[k] = all_x;
    used_y_[k] = all_y;
    instances_[k + 1] = instances_[k] * unrolled_product(f, ~imperfect_);
  }
}

template <typename Number>
std::int64_t LoopLayout<Number>::combinations(int dim, int memory, std::uint32_t zero) const {
  const std::size_t d = at(dim);
  const std::uint32_t held_slots = zero & digit_slots_[d];
  if (held_slots == 0) return tiles_[at(memory)][d];
  std::int64_t all = 1;         // of the slots seen so far, digits free
  std::int64_t up_to_last = 1;  // those not beyond the last index
  const DigitSlot* group = digits_[d].data() + first_digit_[at(memory)][d];
  const DigitSlot* const stop = digits_[d].data() + digit_count_[d];
  for (; group < stop; group += kDigitGroup) {
    for (int i = 0; i < kDigitGroup; ++i) {
      const DigitSlot& slot = group[i];
      const bool held = (held_slots & slot.bit) != 0;
      const std::int64_t if_held = slot.digit > 0 ? all : up_to_last;
      const std::int64_t if_free = up_to_last + slot.digit * all;
      up_to_last = held ? if_held : if_free;
      all *= held ? 1 : slot.bound;
    }
  }
  return up_to_last;
}

template <typename Number>
Number LoopLayout<Number>::instances(int memory) const {
  Number product = perfect_instances(c_.memory[at(memory)].fanouts_outside);
  for (const int dim : members(imperfect_)) product *= instances(memory, dim);
  return product;
}

template class LoopLayout<std::int64_t>;
template class LoopLayout<Int128>;

}  // namespace tilewright::model
