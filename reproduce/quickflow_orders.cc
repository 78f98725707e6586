#include "reproduce/quickflow_orders.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/thread_pool.h"
#include "mappers/quickflow/orders.h"
#include "reproduce/common.h"

namespace tilewright::reproduce {

namespace {

std::uint32_t loops_at(const Problem& problem, MemoryId memory, const Mapping& mapping) {
  std::uint32_t loops = 0;
  for (int d = 0; d < problem.dim_count(); ++d) {
    if (mapping.bound(problem.use(memory).slot, DimId{d}) > 1) loops |= 1U << d;
  }
  return loops;
}

std::vector<DimId> list_of(std::uint32_t dims) {
  std::vector<DimId> list;
  for (; dims != 0; dims &= dims - 1) list.push_back(DimId{__builtin_ctz(dims)});
  return list;
}

}  // namespace

double OrderCheck::classes_per_choice() const {
  return choices == 0 ? 1 : static_cast<double>(classes) / static_cast<double>(choices);
}

double OrderCheck::classes_per_memory() const {
  const std::uint64_t all = classes + (memories - choices);
  return memories == 0 ? 1 : static_cast<double>(all) / static_cast<double>(memories);
}

void OrderCheck::add(const OrderCheck& other) {
  checked += other.checked;
  skipped += other.skipped;
  combinations += other.combinations;
  memories += other.memories;
  choices += other.choices;
  classes += other.classes;
  largest_difference = std::max(largest_difference, other.largest_difference);
}

OrderTrial::OrderTrial(const Evaluator& evaluator, const Restrictions& restrictions,
                       std::uint64_t most)
    : evaluator_(evaluator),
      restrictions_(restrictions),
      most_(most),
      known_(static_cast<std::size_t>(evaluator.problem().memory_count())),
      at_(known_.size()) {}

void OrderTrial::check(const Mapping& mapping) {
  std::uint64_t combinations = 1;
  bool too_many = false;
  for (std::size_t m = 0; m < at_.size(); ++m) {
    at_[m] = &orders_at(MemoryId{static_cast<int>(m)}, mapping);
    const std::uint64_t orders = at_[m]->size();
    ++result_.memories;
    result_.choices += orders > 1 ? 1 : 0;
    result_.classes += orders > 1 ? orders : 0;
    too_many = too_many || combinations > most_ / orders;
    if (!too_many) combinations *= orders;
  }
  if (too_many) {
    ++result_.skipped;
    return;
  }
  Mapping reordered = mapping;
  const double least = least_edp(0, reordered);
  const double difference = std::abs(evaluator_.score(mapping).edp() / least - 1);
  ++result_.checked;
  result_.combinations += combinations;
  result_.largest_difference = std::max(result_.largest_difference, difference);
}

const std::vector<OrderTrial::Order>& OrderTrial::orders_at(MemoryId memory,
                                                            const Mapping& mapping) {
  auto& known = known_[static_cast<std::size_t>(index_of(memory))];
  const std::uint32_t loops = loops_at(evaluator_.problem(), memory, mapping);
  const auto found = known.find(loops);
  if (found != known.end()) return found->second;
  return known.emplace(loops, list_orders(memory, loops, mapping)).first->second;
}

std::vector<OrderTrial::Order> OrderTrial::list_orders(MemoryId memory, std::uint32_t loops,
                                                       const Mapping& mapping) const {
  std::vector<Order> orders;
  if (restrictions_.outermost(memory).empty() && restrictions_.innermost(memory).empty()) {
    const auto reuse = reuse_at(evaluator_.problem(), memory);
    for (const OrderClass& one : order_classes(loops, reuse)) {
      std::uint32_t outside = loops;
      for (const DimId dim : one.innermost_first) outside &= ~(1U << index_of(dim));
      orders.push_back(list_of(outside));
      orders.back().insert(orders.back().end(), one.innermost_first.rbegin(),
                           one.innermost_first.rend());
    }
    return orders;
  }
  // Constraints may allow only some orders of a class: all that they allow are tried.
  Order order = list_of(loops);
  do {
    Mapping reordered = mapping;
    reordered.set_order(memory, order);
    if (restrictions_.broken_by(evaluator_.problem(), reordered).empty()) orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

// Over all orders of the memories from this one inwards.
double OrderTrial::least_edp(int memory, Mapping& mapping) const {
  if (memory == mapping.memory_count()) return evaluator_.score(mapping).edp();
  double least = std::numeric_limits<double>::infinity();
  for (const Order& order : *at_[static_cast<std::size_t>(memory)]) {
    mapping.set_order(MemoryId{memory}, order);
    least = std::min(least, least_edp(memory + 1, mapping));
  }
  return least;
}

OrderCheck check_orders(const ReadySpace& space, const std::vector<Mapping>& mappings,
                        std::uint64_t most, const Options& options) {
  ThreadPool pool(options.threads);
  std::vector<OrderTrial> trials;
  for (int i = 0; i < pool.workers(); ++i) {
    trials.emplace_back(space.evaluator, space.restrictions, most);
  }
  pool.parallel_for(mappings.size(), [&](int worker, std::size_t i) {
    if (is_cancelled(options)) return false;
    trials[static_cast<std::size_t>(worker)].check(mappings[i]);
    return true;
  });
  OrderCheck all;
  for (const OrderTrial& trial : trials) all.add(trial.result());
  return all;
}

}  // namespace tilewright::reproduce
