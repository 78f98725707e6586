#include <algorithm>
#include <map>

#include "mappers/quickflow/orders.h"
#include "workload/window.h"

namespace tilewright {
namespace {

TensorReuse reuse_of(const Workload& workload, const Tensor& tensor, bool boxes) {
  TensorReuse reuse;
  for (const Rank& rank : tensor.ranks) {
    std::uint32_t dims = 0;
    for (const Term& term : rank) dims |= 1U << index_of(term.dim);
    reuse.relevant |= dims;
    if (rank.size() > 1) reuse.sliding |= dims;
  }
  // Dimensions that meet in a rank may still reach every element once only.
  if (const auto parts = split_tensor(workload, tensor, boxes)) reuse.sliding &= ~parts->alone;
  return reuse;
}

// True if a memory inside this one may keep the tensor and get it from another,
// which need not be outside this one.
bool gets_tiles_inside(const Problem& problem, TensorId tensor, MemoryId memory) {
  int keepers = 0;
  int innermost = 0;
  for (int m = 0; m < problem.memory_count(); ++m) {
    if (((problem.use(MemoryId{m}).keep_allowed >> index_of(tensor)) & 1U) == 0) continue;
    ++keepers;
    innermost = m;
  }
  return keepers > 1 && innermost > index_of(memory);
}

// How far an order from the inside out has settled what each tensor reuses.
struct Settled {
  std::uint32_t used = 0;
  // Per tensor the loops inside the one that moves it, and that loop if it
  // slides (1 + its number, else 0); both -1 while the tensor is not moved.
  std::vector<std::pair<std::int64_t, int>> tensors;

  auto operator<=>(const Settled&) const = default;
};

Settled settle(Settled state, int dim, std::span<const TensorReuse> tensors) {
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (state.tensors[t].first >= 0 || ((tensors[t].relevant >> dim) & 1U) == 0) continue;
    const bool slides = ((tensors[t].sliding >> dim) & 1U) != 0;
    state.tensors[t] = {state.used, slides ? dim + 1 : 0};
  }
  state.used |= 1U << dim;
  return state;
}

}  // namespace

std::vector<TensorReuse> reuse_of(const Workload& workload) {
  std::vector<TensorReuse> all;
  for (const Tensor& tensor : workload.tensors) {
    all.push_back(reuse_of(workload, tensor, false));
  }
  return all;
}

std::vector<TensorReuse> reuse_at(const Problem& problem, MemoryId memory) {
  std::vector<TensorReuse> all;
  for (int t = 0; t < problem.tensor_count(); ++t) {
    if (!gets_tiles_inside(problem, TensorId{t}, memory)) continue;
    const bool boxes = problem.arch().accounting == Accounting::Timeloop;
    all.push_back(reuse_of(problem.workload(), problem.workload().tensor(TensorId{t}), boxes));
  }
  return all;
}

std::vector<OrderClass> order_classes(std::uint32_t dims, std::span<const TensorReuse> tensors) {
  const int count = __builtin_popcount(dims);
  // States by what they have settled; those that are settled in all respects
  // are classes, by that alone.
  std::map<Settled, OrderClass> states;
  std::map<std::vector<std::pair<std::int64_t, int>>, OrderClass> classes;
  Settled start;
  start.tensors.assign(tensors.size(), {-1, -1});
  states[start].orders = 1;
  for (int placed = 0; placed <= count; ++placed) {
    std::map<Settled, OrderClass> next;
    for (const auto& [state, orders] : states) {
      const bool done = std::none_of(state.tensors.begin(), state.tensors.end(),
                                     [](const auto& tensor) { return tensor.first < 0; });
      if (done || placed == count) {
        OrderClass& one = classes[state.tensors];
        if (one.orders == 0) one.innermost_first = orders.innermost_first;
        one.orders += orders.orders * factorial(count - placed);
        continue;
      }
      for (const int dim : members(dims & ~state.used)) {
        OrderClass& one = next[settle(state, dim, tensors)];
        if (one.orders == 0) {
          one.innermost_first = orders.innermost_first;
          one.innermost_first.push_back(DimId{dim});
        }
        one.orders += orders.orders;
      }
    }
    states = std::move(next);
  }
  std::vector<OrderClass> result;
  for (auto& [key, one] : classes) result.push_back(std::move(one));
  return result;
}

}  // namespace tilewright
