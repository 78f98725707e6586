#include "certificate/held.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/bits.h"

namespace tilewright::certificate {

std::int64_t amount_of(const Capacity& capacity, const Memory& memory, const Tensor& tensor,
                       Int128 words) {
  const bool bits = capacity.unit == Capacity::Unit::Bits;
  const Int128 width = bits ? (static_cast<Int128>(tensor.bits) + memory.word_bits - 1) /
                                  memory.word_bits * memory.word_bits
                            : 1;
  // What is too much for any capacity stays so.
  return static_cast<std::int64_t>(std::min(wide_product(width, words), Int128{kCountLimit} + 1));
}

std::int64_t room_of(const Capacity& capacity, const Memory& memory) {
  if (capacity.unit == Capacity::Unit::Unlimited) return std::int64_t{1} << 62;
  return memory.double_buffered ? capacity.amount / 2 : capacity.amount;
}

Held::Words Held::ever_held(int tensor, int memory) const {
  const int slot = terms_.problem->use(MemoryId{memory}).slot;
  const Parts& parts = terms_.parts[at(tensor)];
  if (terms_.problem->arch().accounting == Accounting::Timeloop && !parts.plain) {
    const Int128 share = timeloop_share(tensor, memory);
    return {Count(share) * used_instances(nest_, slot), share};
  }
  Words held{1, 1};
  for (int d = 0; d < terms_.problem->dim_count(); ++d) {
    if (contains(parts.relevant, d)) continue;
    held.all *= nest_.combinations(d, slot, [&](int s) { return !nest_.is_temporal(s); });
  }
  for (const int d : parts.alone) {
    held.all *= nest_.size(d);
    held.first *= nest_.combinations(d, terms_.problem->slot_count(),
                                     [&](int s) { return s >= slot || nest_.is_temporal(s); });
  }
  for (const Window& window : parts.windows) {
    const Words one = window_held(window, slot);
    held.all *= one.all;
    held.first *= one.first;
  }
  return held;
}

// The indices of each instance, dimension by dimension; instances with the same
// pattern of indices hold equally many elements.
Held::Words Held::window_held(const Window& window, int slot) const {
  using Pattern = std::vector<std::int64_t>;
  std::vector<std::map<Pattern, std::int64_t>> patterns;
  std::vector<Pattern> first;
  for (const int dim : window.dims()) {
    std::map<Pattern, Pattern> of_instance;
    for (std::int64_t index = 0; index < nest_.size(dim); ++index) {
      Pattern place;
      for (int s = 0; s < slot; ++s) {
        if (nest_.is_temporal(s) || nest_.bound(s, dim) == 1) continue;
        place.push_back(index / nest_.stride(s, dim) % nest_.bound(s, dim));
      }
      Pattern& held = of_instance[place];
      held.push_back(held.empty() ? index : index - held.front());
    }
    std::map<Pattern, std::int64_t> counts;
    for (auto& [place, held] : of_instance) {
      held.front() = 0;
      ++counts[held];
    }
    first.push_back(of_instance.begin()->second);  // all digits 0
    patterns.push_back(std::move(counts));
  }
  Words result{0, window.size_of_sets(first)};
  std::vector<Pattern> chosen(patterns.size());
  const auto choose = [&](const auto& self, std::size_t from, Count times) -> void {
    if (from == patterns.size()) {
      result.all += times * window.size_of_sets(chosen);
      return;
    }
    for (const auto& [pattern, count] : patterns[from]) {
      chosen[from] = pattern;
      self(self, from + 1, times * count);
    }
  };
  choose(choose, 0, 1);
  return result;
}

// Timeloop's share of the bounding box, from the outermost memory in.
Int128 Held::timeloop_share(int tensor, int memory) const {
  if (!is_perfect(*terms_.problem, nest_.mapping())) {
    throw Unverifiable("an output seen through windows, with remainders, counted as Timeloop does");
  }
  const auto slot = [&](int m) { return terms_.problem->use(MemoryId{m}).slot; };
  BigUint share = big(box_words(tensor, slot(0)));
  for (int m = 1; m <= memory; ++m) {
    share *= big(box_words(tensor, slot(m)));
    share.divide(big(box_words(tensor, slot(m - 1) + 1)));
  }
  return share.wide();
}

// The bounding box of what the slots from one on reach over.
Int128 Held::box_words(int tensor, int from) const {
  const Parts& parts = terms_.parts[at(tensor)];
  Count words = 1;
  for (const int d : parts.alone) words *= std::min(nest_.extent(from, d), nest_.size(d));
  for (const Window& window : parts.windows) {
    Extents tile;
    for (const int d : window.dims())
      tile.push_back(std::min(nest_.extent(from, d), nest_.size(d)));
    words *= window.size(tile);
  }
  return words;
}

// One tile; at the outermost keeper all it ever serves.
Int128 Held::words_to_hold(int tensor, int memory) const {
  bool home = true;
  for (int m = 0; m < memory; ++m) home = home && !keeps(m, tensor);
  if (home && memory > 0 && terms_.problem->arch().accounting == Accounting::Exact) {
    return ever_held(tensor, memory).first;
  }
  return box_words(tensor, terms_.problem->use(MemoryId{memory}).slot);
}

// Calls visit(capacity, memory, amount, tensor) for all that take more room than there is until it
// returns false; the tensor is nothing where several share the room.
template <typename Visit>
bool Held::for_each_overflow(Visit visit) const {
  const Problem& problem = *terms_.problem;
  const auto compare = [&](const Capacity& capacity, const Memory& memory, Int128 amount,
                           const Tensor* tensor) {
    return amount <= room_of(capacity, memory) || visit(capacity, memory, amount, tensor);
  };
  Int128 together = 0;  // of all storage points of a memory
  for (int m = 0; m < problem.memory_count(); ++m) {
    const Memory& memory = problem.memory(MemoryId{m});
    if (first_point(problem, m) == m) together = 0;
    for (int t = 0; t < problem.tensor_count(); ++t) {
      if (!keeps(m, t)) continue;
      const Tensor& tensor = problem.workload().tensor(TensorId{t});
      const auto own = problem.partition(MemoryId{m}, TensorId{t});
      const Capacity& capacity = own ? *own : memory.capacity;
      if (capacity.unit == Capacity::Unit::Unlimited) continue;
      const std::int64_t amount = amount_of(capacity, memory, tensor, words_to_hold(t, m));
      if (!own) together += amount;
      if (own && !compare(capacity, memory, amount, &tensor)) return false;
    }
    const bool is_last = m + 1 == problem.memory_count() || first_point(problem, m + 1) == m + 1;
    if (is_last && !compare(memory.capacity, memory, together, nullptr)) return false;
  }
  return true;
}

bool Held::fits() const {
  return for_each_overflow([](const auto&...) { return false; });
}

std::vector<std::string> Held::overflows() const {
  std::vector<std::string> found;
  for_each_overflow(
      [&](const Capacity& capacity, const Memory& memory, Int128 amount, const Tensor* tensor) {
        const std::int64_t needed = narrowed(amount);
        const std::vector<std::string> amounts =
            in_one_unit(capacity.unit, {needed, needed - room_of(capacity, memory)});
        found.push_back(fmt::format("the mapping needs {} in {}{}, {} too many", amounts[0],
                                    memory_name(memory), tensor ? " for " + tensor->name : "",
                                    amounts[1]));
        return true;
      });
  return found;
}

}  // namespace tilewright::certificate
