#include "mappers/optimal/held_elements.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

constexpr std::int64_t kMostSums = 1 << 14;  // that are gone through

// The places that some sum of the indices reaches, as bits.
class Sums {
 public:
  explicit Sums(std::int64_t most) : bits_(static_cast<std::size_t>((most + kBits) / kBits), 0) {
    bits_.front() = 1;
  }

  // Adds each of these steps, which all differ, to each place.
  void add(const std::vector<std::int64_t>& steps) {
    const std::vector<std::uint64_t> before = bits_;
    std::fill(bits_.begin(), bits_.end(), 0);
    for (const std::int64_t step : steps) {
      const auto words = static_cast<std::size_t>(step / kBits);
      const auto rest = static_cast<unsigned>(step % kBits);
      for (std::size_t i = words; i < bits_.size(); ++i) {
        bits_[i] |= before[i - words] << rest;
        if (rest > 0 && i > words) bits_[i] |= before[i - words - 1] >> (kBits - rest);
      }
    }
  }

  std::int64_t count() const {
    std::int64_t number = 0;
    for (const std::uint64_t word : bits_) number += __builtin_popcountll(word);
    return number;
  }

 private:
  static constexpr std::int64_t kBits = 64;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

HeldElements::HeldElements(const Subproblem& sub) : sub_(sub), solver_(sub.solver()) {
  const TensorShape& output = solver_.tensors.back();
  const bool by_extents = !solver_.boxes && solver_.uneven == 0 && !solver_.has_shared_rooms();
  if (!by_extents || solver_.reads_first_sums || solver_.wide) return;
  const auto is_unrolled = [&](int memory) {
    return std::any_of(output.windows.begin(), output.windows.end(),
                       [&](const Window& window) { return sub_.copies(window, memory) > 1; });
  };
  const int tensor = solver_.tensor_count - 1;
  for (int m = 1; m < solver_.memory_count; ++m) {
    const bool keeps = contains(sub_.placement().kept[at(m)], tensor);
    if (keeps && is_unrolled(m)) known_memories_ |= 1U << m;
  }
}

// The outermost memory inside the same fan-outs: what is between has loops alone, so over time the
// instances have all of its tiles.
int HeldElements::beside(int memory) const {
  while (sub_.fanouts_outside(memory - 1) == sub_.fanouts_outside(memory)) --memory;
  return memory;
}

std::uint32_t HeldElements::known_outside(int memory) const {
  std::uint32_t memories = 0;
  for (const int m : members(known_memories_)) {
    if (beside(m) == memory) memories |= 1U << m;
  }
  return memories;
}

Int128 HeldElements::most(int memory, const PerDim& tile, const BoundOf& bound_of) {
  std::vector<Int128> of_windows;
  for (const Window& window : solver_.tensors.back().windows) {
    Int128 number = sums_of(window, beside(memory), tile, bound_of);
    for (int i = 0; i < window.dim_count(); ++i) {
      const int d = window.dim(i);
      number = times(number, std::min(sub_.unrolled_outside(memory, d), solver_.size(d)));
    }
    of_windows.push_back(number);
  }
  return std::min(sub_.held_with(memory, of_windows), sub_.held_in_tiles(memory, tile));
}

// No other instance has more: the end of a dimension takes some of its last indices away.
std::int64_t HeldElements::sums_of(const Window& window, int memory, const PerDim& tile,
                                   const BoundOf& bound_of) {
  std::int64_t reach = 0;
  std::int64_t work = 1;
  for (int i = 0; i < window.dim_count(); ++i) {
    const std::int64_t size = solver_.size(window.dim(i));
    reach += std::abs(window.signed_coefficient(i)) * (size - 1);
    work = times(work, size);
  }
  if (reach >= kMostSums || work >= kMostSums) return work;
  key_.clear();
  for (int i = 0; i < window.dim_count(); ++i) {
    const int d = window.dim(i);
    key_.push_back(tile[at(d)]);
    for (int m = memory; m-- > 0;) key_.push_back(bound_of(m, d));
  }
  auto& known = known_[{&window, memory}];
  const auto found = known.find(key_);
  if (found != known.end()) return found->second;
  Sums sums(reach);
  for (int i = 0; i < window.dim_count(); ++i) {
    const std::int64_t coefficient = window.signed_coefficient(i);
    std::vector<std::int64_t> steps = indices_of(window.dim(i), memory, tile, bound_of);
    const std::int64_t last = steps.back();
    for (std::int64_t& step : steps) {
      step = coefficient > 0 ? coefficient * step : -coefficient * (last - step);
    }
    sums.add(steps);
  }
  return known.emplace(key_, sums.count()).first->second;
}

std::vector<std::int64_t> HeldElements::indices_of(int dim, int memory, const PerDim& tile,
                                                   const BoundOf& bound_of) const {
  const std::int64_t size = solver_.size(dim);
  std::vector<std::int64_t> indices;
  std::int64_t extent = std::min(tile[at(dim)], size);
  for (std::int64_t i = 0; i < extent; ++i) indices.push_back(i);
  extent = tile[at(dim)];
  for (int m = memory; m-- > 0;) {
    extent *= sub_.unrolled(sub_.fanouts_outside(m), sub_.fanouts_outside(m + 1), dim);
    const std::int64_t bound = bound_of(m, dim);
    const std::size_t inside = indices.size();
    for (std::int64_t digit = 1; digit < bound && digit * extent < size; ++digit) {
      for (std::size_t i = 0; i < inside; ++i) {
        const std::int64_t index = indices[i] + digit * extent;
        if (index < size) indices.push_back(index);
      }
    }
    extent *= bound;
  }
  return indices;
}

}  // namespace tilewright::optimal
