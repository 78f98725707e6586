#include <algorithm>

#include "tilewright/mapspace.h"

namespace tilewright {

namespace {

// What one element of a tensor takes, in the unit of a capacity.
std::int64_t element_size(const Problem& problem, MemoryId memory, TensorId tensor,
                          Capacity::Unit unit) {
  if (unit != Capacity::Unit::Bits) return 1;
  const std::int64_t word = problem.memory(memory).word_bits;
  return ceil_div(problem.workload().tensor(tensor).bits, word) * word;
}

// The most elements of a tensor that a memory can hold, if that is limited.
// Tensors that share its capacity have one element at least.
std::optional<std::int64_t> most_elements(const Problem& problem, MemoryId memory, TensorId tensor,
                                          std::uint32_t always_kept) {
  const auto partition = problem.partition(memory, tensor);
  const Capacity& capacity = partition ? *partition : problem.memory(memory).capacity;
  if (capacity.unit == Capacity::Unit::Unlimited) return std::nullopt;
  std::int64_t room =
      problem.memory(memory).double_buffered ? capacity.amount / 2 : capacity.amount;
  for (int t = 0; !partition && t < problem.tensor_count(); ++t) {
    const bool shares = ((always_kept >> t) & 1U) != 0 && TensorId{t} != tensor &&
                        !problem.partition(memory, TensorId{t});
    if (shares) room -= element_size(problem, memory, TensorId{t}, capacity.unit);
  }
  // Not even one element: the search will say so.
  return std::max<std::int64_t>(1, room / element_size(problem, memory, tensor, capacity.unit));
}

}  // namespace

void Restrictions::exclude_misfits(const Problem& problem) {
  for (int m = 0; m < problem.memory_count(); ++m) {
    const MemoryId memory{m};
    for (int t = 0; t < problem.tensor_count(); ++t) {
      if (((keep_always(memory) >> t) & 1U) == 0) continue;
      const auto most = most_elements(problem, memory, TensorId{t}, keep_always(memory));
      for (int d = 0; most && d < problem.dim_count(); ++d) {
        if (!is_relevant(problem.workload().tensor(TensorId{t}), DimId{d})) continue;
        ExtentLimit& limit = extents_[at(m * dims_ + d)];
        if (*most < limit.most) limit = {*most, TensorId{t}};
      }
    }
  }
}

}  // namespace tilewright
