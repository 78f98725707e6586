#include "order_sets.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tilewright::study {

namespace {

std::size_t common_length(const std::vector<InnerLoops>& all) {
  std::size_t length = all.front().size();
  for (const InnerLoops& loops : all) {
    const auto differs = std::mismatch(loops.begin(), loops.end(), all.front().begin()).first;
    length = std::min(length, static_cast<std::size_t>(differs - loops.begin()));
  }
  return length;
}

}  // namespace

OrderSets::OrderSets(std::vector<ConvOrder> orders, LoopSet trivial)
    : orders_(std::move(orders)), trivial_(trivial) {
  std::vector<int> every(orders_.size());
  std::iota(every.begin(), every.end(), 0);
  intern(every);
  for (const int order : every) single_.push_back(intern({order}));
}

InnerLoops OrderSets::inner_loops(int order, LoopSet loops) const {
  InnerLoops inner;
  const ConvOrder& outer_first = orders_[at(order)];
  for (auto loop = outer_first.rbegin(); loop != outer_first.rend(); ++loop) {
    if ((loops & loop_bit(*loop)) != 0) inner.push_back(*loop);
  }
  return inner;
}

std::vector<InnerLoops> OrderSets::different(Id set, LoopSet loops) const {
  std::set<InnerLoops> found;
  for (const int order : sets_[at(set)]) found.insert(inner_loops(order, loops));
  return {found.begin(), found.end()};
}

OrderSets::Id OrderSets::intern(std::vector<int> orders) {
  const auto [known, is_new] = known_.try_emplace(orders, static_cast<Id>(sets_.size()));
  if (!is_new) return known->second;
  std::vector<InnerLoops> inner;
  for (const int order : orders) inner.push_back(inner_loops(order, kAllLoops & ~trivial_));
  inner.front().resize(common_length(inner));
  decided_.push_back(inner.front());
  sets_.push_back(std::move(orders));
  return known->second;
}

const std::vector<OrderSets::Id>& OrderSets::parts(Id set, LoopSet ignored) {
  const LoopSet loops = kAllLoops & ~(trivial_ | ignored);
  const auto [known, is_new] = parts_.try_emplace({set, loops});
  if (!is_new) return known->second;
  const std::vector<int> orders = sets_[at(set)];
  std::vector<InnerLoops> inner;
  for (const int order : orders) inner.push_back(inner_loops(order, loops));
  const std::size_t length = common_length(inner);
  if (length == inner.front().size()) return known->second;
  std::map<ConvDim, std::vector<int>> by_next;
  for (std::size_t i = 0; i < orders.size(); ++i) by_next[inner[i][length]].push_back(orders[i]);
  for (auto& [next, part] : by_next) known->second.push_back(intern(std::move(part)));
  return known->second;
}

}  // namespace tilewright::study
