#include "certificate/nest.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::certificate {

Nest::Nest(const Problem& problem, const Mapping& mapping)
    : problem_(&problem),
      mapping_(&mapping),
      strides_(at(problem.slot_count() * problem.dim_count())) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    Count stride = 1;
    for (int s = problem.slot_count(); s-- > 0;) {
      strides_[at(s * problem.dim_count() + d)] = narrow(stride);
      stride *= bound(s, d);
    }
  }
}

Loop Nest::innermost_loop(int slot, std::uint32_t dims) const {
  for (int m = problem_->memory_count(); m-- > 0;) {
    const int here = problem_->use(MemoryId{m}).slot;
    if (here >= slot) continue;
    for (int i = problem_->dim_count(); i-- > 0;) {
      const int dim = mapping_->order(MemoryId{m})[i];
      if (contains(dims, dim) && bound(here, dim) > 1) return {here, dim};
    }
  }
  return {};
}

bool Nest::is_outside(int slot, int dim, const Loop& loop) const {
  if (slot != loop.slot) return slot < loop.slot;
  int m = 0;
  while (problem_->use(MemoryId{m}).slot != slot) ++m;
  const std::uint8_t* order = mapping_->order(MemoryId{m});
  const std::uint8_t* end = order + problem_->dim_count();
  return std::find(order, end, dim) < std::find(order, end, loop.dim);
}

}  // namespace tilewright::certificate
