#include "certificate/step_bound.h"

#include <algorithm>

namespace tilewright::certificate {

StepBound::StepBound(const Context& context) : context_(context), known_(at(context.memories())) {
  if (context.is_perfect()) return;
  for (int m = 0; m < context.memories(); ++m) {
    bool unrolls = false;
    for (int d = 0; d < context.dims(); ++d) {
      unrolls = unrolls || context.unrolled(d, m, m + 1) > 1;
    }
    if (!unrolls) continue;
    for (int d = 0; d < context.dims(); ++d) {
      known_[at(m)].emplace_back(context.chain(d).classes.size(), 0);
    }
  }
}

// The fan-outs just inside the memory deal out tiles; the first branch has one of every so many,
// and of what is left at the end of the dimension the first. Further in and further out, an even
// share at least.
std::int64_t StepBound::steps_at(int memory, int dim, std::int64_t inside) const {
  const std::int64_t size = context_.size(dim);
  const std::int64_t tile = inside / context_.unrolled(dim, memory, memory + 1);
  const std::int64_t further_in = context_.unrolled(dim, memory + 1, context_.memories());
  const Count whole = Count(size / inside) * ceil_div(tile, further_in);
  const Count steps = whole + ceil_div(std::min(tile, size % inside), further_in);
  return ceil_div(narrow(steps), context_.unrolled(dim, -1, memory));
}

std::int64_t StepBound::steps(int memory, int dim, int extents) const {
  constexpr std::int64_t kMostTried = 64;
  std::int64_t& known = known_[at(memory)][at(dim)][at(extents)];
  if (known > 0) return known;
  const std::int64_t size = context_.size(dim);
  const std::int64_t by = context_.unrolled(dim, memory, memory + 1);
  const ExtentClass& one = context_.chain(dim).classes[at(extents)];
  const std::int64_t first = ceil_div(one.least, by) * by;
  // The first of all extents that reach the end of the dimension takes the fewest steps.
  const std::int64_t last = std::min(one.most, std::max(first, size + by - 1));
  known = ceil_div(size, context_.unrolled(dim, -1, context_.memories()));
  if (first > last || (last - first) / by >= kMostTried) return known;
  std::int64_t least = steps_at(memory, dim, first);
  for (std::int64_t inside = first + by; inside <= last; inside += by) {
    least = std::min(least, steps_at(memory, dim, inside));
  }
  known = std::max(known, least);
  return known;
}

Int128 StepBound::cycles(int memory, const int* extents, int longer) const {
  Count product = 1;
  for (int d = 0; d < context_.dims(); ++d) {
    product *= steps(memory, d, extents[d]) + (d == longer ? 1 : 0);
  }
  const Compute& compute = context_.problem().arch().compute();
  return cycles_for(ceil_div(Int128{product}, compute.macs), {1, compute.cycles});
}

}  // namespace tilewright::certificate
