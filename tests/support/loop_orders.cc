#include "support/loop_orders.h"

#include <algorithm>

namespace tilewright::testing {
namespace {

void order_from(int memory, const Problem& problem, Mapping& mapping,
                const std::function<void(const Mapping&)>& visit) {
  if (memory == problem.memory_count()) {
    visit(mapping);
    return;
  }
  for (const LoopOrder& order : all_orders(loops_of(problem, mapping, MemoryId{memory}))) {
    set_order_from_inside(mapping, MemoryId{memory}, order);
    order_from(memory + 1, problem, mapping, visit);
  }
}

}  // namespace

std::vector<DimId> loops_of(const Problem& problem, const Mapping& mapping, MemoryId memory) {
  std::vector<DimId> loops;
  for (int d = 0; d < problem.dim_count(); ++d) {
    if (mapping.bound(problem.use(memory).slot, DimId{d}) > 1) loops.push_back(DimId{d});
  }
  return loops;
}

std::vector<LoopOrder> all_orders(std::vector<DimId> dims) {
  std::sort(dims.begin(), dims.end());
  std::vector<LoopOrder> orders;
  do {
    orders.push_back(dims);
  } while (std::next_permutation(dims.begin(), dims.end()));
  return orders;
}

void set_order_from_inside(Mapping& mapping, MemoryId memory, const LoopOrder& order) {
  LoopOrder all;
  for (int d = 0; d < mapping.dim_count(); ++d) {
    if (std::find(order.begin(), order.end(), DimId{d}) == order.end()) all.push_back(DimId{d});
  }
  all.insert(all.end(), order.rbegin(), order.rend());
  mapping.set_order(memory, all);
}

ReuseKey reuse_key(const LoopOrder& order, std::span<const TensorReuse> tensors) {
  ReuseKey key;
  for (const TensorReuse& tensor : tensors) {
    const auto has = [](std::uint32_t bits, DimId dim) {
      return ((bits >> index_of(dim)) & 1U) != 0;
    };
    ReuseTraits traits;
    const auto coupled = std::find_if(order.begin(), order.end(),
                                      [&](DimId dim) { return has(tensor.relevant, dim); });
    if (coupled != order.end()) {
      traits.position = static_cast<int>(coupled - order.begin());
      if (has(tensor.sliding, *coupled)) traits.affine_dim = index_of(*coupled);
      for (auto dim = order.begin(); dim != coupled; ++dim) traits.inside |= 1U << index_of(*dim);
    }
    key.push_back(traits);
  }
  return key;
}

std::uint64_t count_orders(const Problem& problem, const Mapping& mapping) {
  std::uint64_t count = 1;
  for (int m = 0; m < problem.memory_count(); ++m) {
    for (auto loops = loops_of(problem, mapping, MemoryId{m}).size(); loops > 1; --loops) {
      count *= loops;
    }
  }
  return count;
}

void for_each_order(const Problem& problem, Mapping mapping,
                    const std::function<void(const Mapping&)>& visit) {
  order_from(0, problem, mapping, visit);
}

}  // namespace tilewright::testing
