#include "certificate/stationary.h"

#include <algorithm>

#include "certificate/count.h"

namespace tilewright::certificate {

Int128 Stationary::cycles(Int128 compute_cycles, Int128 changes) const {
  return std::min(compute_cycles + wide_product(changes, cycles_per_change), kWideLimit);
}

Int128 Stationary::changes_for(Int128 words) const { return ceil_div(words, most_words); }

Int128 Stationary::words_for(Int128 compute_cycles, Int128 cycles) const {
  const Int128 more = std::max<Int128>(0, cycles - compute_cycles);
  const Int128 changes = ceil_div(more, cycles_per_change);
  return changes == 0 ? 0 : wide_product(changes - 1, most_words) + 1;
}

std::optional<Stationary> stationary_of(const Problem& problem) {
  const auto& array = problem.systolic();
  if (!array || array->cycles_per_change() == 0) return std::nullopt;
  Stationary found{index_of(array->tensor), index_of(array->memory), array->cycles_per_change(),
                   kCountLimit};
  const Memory& memory = problem.memory(array->memory);
  const Capacity capacity =
      problem.partition(array->memory, array->tensor).value_or(memory.capacity);
  if (capacity.unit == Capacity::Unit::Unlimited) return found;
  const std::int64_t each =
      amount_of(capacity, memory, problem.workload().tensor(array->tensor), 1);
  found.most_words = std::max<std::int64_t>(1, room_of(capacity, memory) / each);
  return found;
}

Int128 tile_changes(const Nest& nest, const Parts& parts, int memory) {
  const int slot = nest.problem().use(MemoryId{memory}).slot;
  const Loop moving = nest.innermost_loop(slot, parts.relevant);
  if (moving.slot < 0) return 1;
  Count changes = 1;
  for (int d = 0; d < nest.problem().dim_count(); ++d) {
    changes *= nest.combinations(d, slot, [&](int s) {
      const bool moves = s == moving.slot && d == moving.dim;
      return nest.is_temporal(s) && (moves || nest.is_outside(s, d, moving));
    });
  }
  return changes;
}

}  // namespace tilewright::certificate
