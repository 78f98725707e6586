// Trees of memories whose tensors have storage points of their own.
#include "certificate/tree.h"

namespace tilewright::certificate {

void PointLoops::add_loop(int dim, std::int64_t bound) {
  for (auto& [known, product] : loops) {
    if (known == dim) {
      product *= bound;
      return;
    }
  }
  loops.emplace_back(dim, bound);
}

void Tree::Path::put_point(std::uint32_t tensors) {
  placed |= tensors;
  // Points without a loop between them are one.
  const bool is_new = points.size() == 1 || !points.back().loops.empty();
  points[is_new ? points.size() - 1 : points.size() - 2].tensors |= tensors;
  if (is_new) points.emplace_back();
}

// Tensors without a point so far have it outside all loops.
std::vector<PointLoops> Tree::points_of(const Crossing& block, Path& path) const {
  if (path.points.empty()) return {};
  path.put_point(context_.placement()[at(block.memory)] & ~path.placed);
  path.points.pop_back();
  return path.points.size() == 1 ? std::vector<PointLoops>{} : std::move(path.points);
}

void Tree::add_loop(Path& path, int dim, int outside) const {
  const auto extent = [&](int number) { return context_.chain(dim).classes[at(number)].least; };
  const int inside = path.extents[at(dim)];
  path.order.push_back(dim);
  path.extents[at(dim)] = outside;
  if (path.points.empty() || inside == outside) return;
  path.points.back().add_loop(dim, extent(outside) / extent(inside));
}

std::vector<int> Tree::steps_within(const Crossing& block, const Path& path, int dim) {
  const auto extent = [&](int number) { return context_.chain(dim).classes[at(number)].least; };
  auto& steps = steps_[{block.memory, dim}];
  if (steps.empty()) steps = context_.steps_between_points(block.memory, dim);
  std::vector<int> found = steps[at(path.extents[at(dim)])];
  std::erase_if(found, [&](int to) { return extent(block.outside[at(dim)]) % extent(to) != 0; });
  return found;
}

// Chooses how far the loops go that move no open tensor, before a point or a loop that does.
void Tree::choose_gap(const Crossing& block, int dim, const Path& path) {
  if (is_over()) return;
  if (dim == context_.dims()) return place_points(block, path);
  if (contains(lattice_.open_dims(path.open), dim)) return choose_gap(block, dim + 1, path);
  choose_gap(block, dim + 1, path);
  for (const int to : steps_within(block, path, dim)) {
    Path next = path;
    add_loop(next, dim, to);
    if (has_room(block, next)) choose_gap(block, dim + 1, next);
  }
}

bool Tree::has_room(const Crossing& block, const Path& path) {
  CapacityCheck& capacity = rooms_.try_emplace(block.memory, context_, block.memory).first->second;
  std::int64_t room = path.room;
  for (const int t : members(context_.placement()[at(block.memory)] & ~path.placed)) {
    const bool inside = contains(block.points, t);
    room += capacity.amount(t, inside ? path.extents.data() : block.outside.data());
    if (room > capacity.room()) return false;
  }
  return true;
}

// What comes next: a point, or a loop that moves open tensors, or both.
void Tree::place_points(const Crossing& block, const Path& path) {
  ++nodes_;
  deadline_.check();
  for (const int t : members(block.points & ~path.placed)) {
    const std::vector<int>& alone = context_.terms().parts[at(t)].alone;
    const bool moves = std::any_of(alone.begin(), alone.end(), [&](int d) {
      return path.extents[at(d)] != block.outside[at(d)];
    });
    if (moves) take_step(block, path, {}, 1U << t, Move{});
  }
  for (int d = 0; d < context_.dims(); ++d) {
    std::uint32_t windows = 0;
    for (const int t : members(block.points & ~path.placed)) {
      if (lattice_.in_window({t}, d)) windows |= 1U << t;
    }
    for (std::uint32_t points = windows;; points = (points - 1) & windows) {
      move_by(block, path, d, points);
      if (points == 0) break;
    }
  }
}

// Of a loop that moves no window its prime factors are enough: the rest of it follows.
void Tree::move_by(const Crossing& block, const Path& path, int dim, std::uint32_t points) {
  const std::vector<int> moved = lattice_.moved_by(path.open, dim);
  if (moved.empty() && points == 0) return;
  const bool window = points != 0 || lattice_.in_window(moved, dim);
  const auto extent = [&](int number) { return context_.chain(dim).classes[at(number)].least; };
  for (const int to : steps_within(block, path, dim)) {
    if (!window && !is_prime(extent(to) / extent(path.extents[at(dim)]))) continue;
    take_step(block, path, moved, points, Move{dim, to});
  }
}

void Tree::take_step(const Crossing& block, const Path& path, const std::vector<int>& moved,
                     std::uint32_t points, const Move& move) {
  if (is_over()) return;
  Path next = path;
  CapacityCheck& capacity = rooms_.try_emplace(block.memory, context_, block.memory).first->second;
  for (const int t : members(points)) {
    next.room = std::min(capacity.room() + 1, next.room + capacity.amount(t, path.extents.data()));
    pay(next, closings_.get_at_point(t, path.open[at(t)], block.memory), t, move);
    next.open[at(t)] = -1;
  }
  for (const int t : moved) {
    if (contains(points, t)) continue;
    pay(next, closings_.get(t, path.open[at(t)], block.memory), t, move);
    next.open[at(t)] = -1;
  }
  if (next.node.spent >= kNever || is_cut(next.node, block.value)) return;
  if (points != 0) next.put_point(points);
  if (move.dim >= 0) add_loop(next, move.dim, move.to);
  if (!has_room(block, next)) return;
  if (next.placed != block.points) return choose_gap(block, 0, next);
  place_loops(block, 0, lattice_.stages(block.memory).front(), std::move(next));
}

}  // namespace tilewright::certificate
