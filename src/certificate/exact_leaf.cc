#include "certificate/exact_leaf.h"

#include <algorithm>

#include "certificate/points.h"

namespace tilewright::certificate {

namespace {

std::vector<StoragePoints> points_of(const std::vector<Block>& blocks) {
  std::vector<StoragePoints> points;
  for (const Block& block : blocks) {
    points.emplace_back();
    for (std::size_t i = block.points.size(); i-- > 0;) {
      points.back().push_back(block.points[i].tensors);
    }
  }
  return points;
}

void set_loops(const Problem& problem, int level, const PointLoops& point, Mapping& mapping) {
  std::vector<DimId> order;
  for (const auto& [dim, bound] : point.loops) {
    mapping.set_bound(problem.use(MemoryId{level}).slot, DimId{dim}, bound);
    order.insert(order.begin(), DimId{dim});
  }
  mapping.set_order(MemoryId{level}, order);
}

void copy_bounds(const Mapping& from, int from_slot, Mapping& to, int to_slot) {
  for (int d = 0; d < from.dim_count(); ++d) {
    to.set_bound(to_slot, DimId{d}, from.bound(from_slot, DimId{d}));
  }
}

// The loops of memories that stay as they are, and of the points of the others.
Mapping at_points(const Problem& problem, const Problem& apart, const Mapping& even,
                  const std::vector<Block>& blocks) {
  Mapping mapping(apart);
  int level = 0;
  for (std::size_t m = 0; m < blocks.size(); ++m) {
    const MemoryId whole{static_cast<int>(m)};
    const std::vector<PointLoops>& points = blocks[m].points;
    for (std::size_t i = points.size(); i-- > 0;) set_loops(apart, level++, points[i], mapping);
    if (!points.empty()) continue;
    std::vector<DimId> order;
    for (int i = 0; i < even.dim_count(); ++i) order.push_back(DimId{even.order(whole)[i]});
    copy_bounds(even, problem.use(whole).slot, mapping, apart.use(MemoryId{level}).slot);
    mapping.set_order(MemoryId{level}, order);
    mapping.set_kept(MemoryId{level}, even.kept(whole));
    ++level;
  }
  const std::vector<int> from = fanout_slots(problem);
  const std::vector<int> to = fanout_slots(apart);
  for (std::size_t f = 0; f < from.size(); ++f) {
    copy_bounds(even, from[f], mapping, to[f]);
    copy_bounds(even, from[f] + 1, mapping, to[f] + 1);
  }
  return mapping;
}

std::optional<Found> counted(const Terms& terms, Mapping mapping,
                             std::shared_ptr<const Problem> apart) {
  const Counter counter(terms, mapping);
  if (!counter.overflows().empty()) return std::nullopt;
  const Cost cost = counter.cost();
  return Found{std::move(mapping), cost, std::move(apart)};
}

}  // namespace

const ExactLeaf::Apart& ExactLeaf::apart_at(const std::vector<StoragePoints>& points) {
  const auto [found, is_new] = known_.try_emplace(points);
  if (!is_new) return found->second;
  Checked<Problem> apart = with_points(without_constraints(context_.problem()), points);
  if (apart.ok()) {
    found->second.problem = std::make_shared<const Problem>(std::move(*apart.value));
    found->second.terms.emplace(*found->second.problem);
  }
  return found->second;
}

std::optional<Found> ExactLeaf::count(const Mapping& even, const std::vector<Block>& blocks) {
  const bool is_even = std::all_of(blocks.begin(), blocks.end(),
                                   [](const Block& block) { return block.points.empty(); });
  if (is_even) return counted(context_.terms(), even, nullptr);
  const Apart& apart = apart_at(points_of(blocks));
  if (apart.problem == nullptr) return std::nullopt;
  return counted(*apart.terms, at_points(context_.problem(), *apart.problem, even, blocks),
                 apart.problem);
}

}  // namespace tilewright::certificate
