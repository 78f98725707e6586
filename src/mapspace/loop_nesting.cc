#include "mapspace/loop_nesting.h"

#include <algorithm>

namespace tilewright {

LoopNesting::LoopNesting(const Restrictions& restrictions, MemoryId memory,
                         std::span<const DimId> dims)
    : inside_(dims.size(), 0) {
  const std::uint32_t all = (1U << dims.size()) - 1U;
  const auto number_of = [&](DimId dim) {
    return std::find(dims.begin(), dims.end(), dim) - dims.begin();
  };
  // Gives each of a list, from the outside in, those after it; and returns them all.
  const auto chain = [&](const std::vector<DimId>& list) {
    std::uint32_t listed = 0;
    for (std::size_t i = list.size(); i-- > 0;) {
      const auto dim = static_cast<std::size_t>(number_of(list[i]));
      if (dim == dims.size()) continue;
      inside_[dim] |= listed;
      listed |= 1U << dim;
    }
    return listed;
  };
  const std::uint32_t outermost = chain(restrictions.outermost(memory));
  const std::uint32_t innermost = chain(restrictions.innermost(memory));
  for (const int dim : members(outermost)) inside_[at(dim)] |= all & ~outermost;
  for (const int dim : members(all & ~innermost)) inside_[at(dim)] |= innermost;
  is_free_ = std::all_of(inside_.begin(), inside_.end(), [](auto loops) { return loops == 0; });
}

}  // namespace tilewright
