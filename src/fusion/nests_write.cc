#include "fusion/nests_write.h"

#include <algorithm>

namespace tilewright::fusion {

NestOutline::NestOutline(const NestStack& stack)
    : dims_(stack.flat().dims), fanouts_(at(stack.flat().fanouts)) {
  for (int m = 0; m < stack.flat().memories; ++m) memories_.push_back({{stack.kept(m)}});
}

void NestOutline::add_loop(int memory, int dim, std::int64_t bound) {
  if (bound == 1) return;
  auto& loops = memories_[at(memory)].back().loops;
  const auto same =
      std::find_if(loops.begin(), loops.end(), [&](const auto& loop) { return loop.first == dim; });
  if (same != loops.end()) {
    bound *= same->second;
    loops.erase(same);
  }
  loops.emplace_back(dim, bound);
}

void NestOutline::add_loops(int memory, const PerDim& from, const PerDim& to) {
  for (int d = 0; d < dims_; ++d) add_loop(memory, d, from[at(d)] / to[at(d)]);
}

void NestOutline::add_point(int memory, std::uint32_t tensors) {
  if (tensors == 0) return;
  memories_[at(memory)].front().tensors &= ~tensors;
  memories_[at(memory)].push_back({tensors});
}

PrivateNest NestOutline::write(const Problem& problem) const {
  std::vector<StoragePoints> points(memories_.size());
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    for (const Point& point : memories_[m]) {
      if (memories_[m].size() > 1) points[m].push_back(point.tensors);
    }
  }
  const bool uneven = std::any_of(points.begin(), points.end(),
                                  [](const StoragePoints& some) { return !some.empty(); });
  const Problem at_points = uneven ? *with_points(problem, points).value : problem;
  const FlatProblem flat(at_points);
  Mapping mapping(at_points);
  for (std::size_t f = 0; f < fanouts_.size(); ++f) {
    for (int d = 0; fanouts_[f] && d < dims_; ++d) {
      const std::int64_t along_y = fanouts_[f]->along_y[at(d)];
      mapping.set_bound(flat.fanout[f].slot, DimId{d}, along_y);
      mapping.set_bound(flat.fanout[f].slot + 1, DimId{d}, fanouts_[f]->bounds[at(d)] / along_y);
    }
  }
  int level = 0;
  for (const std::vector<Point>& memory : memories_) {
    for (const Point& point : memory) {
      std::vector<DimId> order;
      for (const auto& [dim, bound] : point.loops) {
        mapping.set_bound(flat.memory[at(level)].slot, DimId{dim}, bound);
        order.push_back(DimId{dim});
      }
      mapping.set_order(MemoryId{level}, order);
      ++level;
    }
  }
  return {at_points, std::move(mapping)};
}

}  // namespace tilewright::fusion
