#include "mapspace/order.h"

#include <algorithm>
#include <array>

namespace tilewright::mapspace {

std::vector<OrderPlan> order_plans(const Problem& problem, const Restrictions& restrictions) {
  std::vector<OrderPlan> plans;
  for (int m = 0; m < problem.memory_count(); ++m) {
    const MemoryId memory{m};
    OrderPlan plan{memory, problem.use(memory).slot, {}, {}, {}};
    const auto may_loop = [&](DimId dim) { return restrictions.limits(plan.slot, dim).most > 1; };
    for (const DimId dim : restrictions.outermost(memory)) {
      if (may_loop(dim)) plan.outermost.push_back(dim);
    }
    for (const DimId dim : restrictions.innermost(memory)) {
      if (may_loop(dim)) plan.innermost.push_back(dim);
    }
    for (int d = 0; d < problem.dim_count(); ++d) {
      const DimId dim{d};
      if (!may_loop(dim) || contains(plan.outermost, dim) || contains(plan.innermost, dim))
        continue;
      plan.free.push_back(dim);
    }
    if (plan.outermost.empty() && plan.free.empty() && plan.innermost.empty()) continue;
    plans.push_back(std::move(plan));
  }
  return plans;
}

int free_loops(const OrderPlan& plan, const Mapping& mapping) {
  int loops = 0;
  for (const DimId dim : plan.free) loops += mapping.bound(plan.slot, dim) > 1 ? 1 : 0;
  return loops;
}

void write_order(const OrderPlan& plan, std::uint64_t index, Mapping& mapping) {
  std::array<DimId, kMaxDims> order;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled
  std::size_t loops = 0;
  const auto add_looped = [&](const std::vector<DimId>& dims) {
    for (const DimId dim : dims) {
      if (mapping.bound(plan.slot, dim) > 1) order[loops++] = dim;
    }
  };
  add_looped(plan.outermost);
  const std::size_t first = loops;
  add_looped(plan.free);
  // The digits of the index in the factorial base say which of the remaining
  // loops comes next.
  for (std::size_t place = first; place + 1 < loops; ++place) {
    const std::uint64_t left = loops - place;
    const auto chosen = order.begin() + static_cast<std::ptrdiff_t>(place + index % left);
    index /= left;
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(place), chosen, chosen + 1);
  }
  add_looped(plan.innermost);
  mapping.set_order(plan.memory, std::span(order.data(), loops));
}

}  // namespace tilewright::mapspace
