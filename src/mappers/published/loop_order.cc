#include "mappers/published/loop_order.h"

#include <algorithm>

namespace tilewright::published {

const Mapping& LoopAllocator::allocate(std::span<const PrimeLoop> innermost_first) {
  const Problem& problem = task_.evaluator.problem();
  mapping_ = start_;
  std::span<const PrimeLoop> left = innermost_first;
  for (int m = problem.memory_count() - 1; m > 0; --m) {
    const int slot = problem.use(MemoryId{m}).slot;
    std::size_t taken = 0;
    while (taken < left.size() && take(slot, left[taken])) ++taken;
    order_loops(MemoryId{m}, left.first(taken));
    left = left.subspan(taken);
  }
  order_loops(MemoryId{0}, left);
  return mapping_;
}

// Moves a loop in from the outermost memory, if it may be there and everything fits.
bool LoopAllocator::take(int slot, const PrimeLoop& loop) {
  const std::int64_t inside = mapping_.bound(slot, loop.dim);
  const std::int64_t outside = mapping_.bound(0, loop.dim);
  if (inside * loop.bound > task_.restrictions.limits(slot, loop.dim).most) return false;
  mapping_.set_bound(slot, loop.dim, inside * loop.bound);
  mapping_.set_bound(0, loop.dim, outside / loop.bound);
  if (task_.evaluator.score(mapping_).verdict.fits()) return true;
  mapping_.set_bound(slot, loop.dim, inside);
  mapping_.set_bound(0, loop.dim, outside);
  return false;
}

// A memory has one loop of a dimension: it stands where the innermost of several would.
void LoopAllocator::order_loops(MemoryId memory, std::span<const PrimeLoop> innermost_first) {
  std::vector<DimId> dims;
  for (const PrimeLoop& loop : innermost_first) {
    if (std::find(dims.begin(), dims.end(), loop.dim) == dims.end()) dims.push_back(loop.dim);
  }
  std::reverse(dims.begin(), dims.end());
  // Dimensions without a loop come last and do not matter, unless a constraint gave them one.
  set_allowed_order(task_, memory, std::move(dims), mapping_);
}

std::optional<double> try_order(const MappingTask& task, std::span<const PrimeLoop> innermost_first,
                                LoopAllocator& allocator, SearchLog& log) {
  const Mapping& mapping = allocator.allocate(innermost_first);
  if (!is_allowed(task, mapping)) return std::nullopt;
  const Score score = log.note(mapping);
  if (!score.verdict.fits()) return std::nullopt;
  return value_of(task.objective, score);
}

}  // namespace tilewright::published
