// Trees of memories whose tensors have storage points of their own.
#include "certificate/tree.h"

namespace tilewright::certificate {

void PointLoops::add_loop(int dim, int from, int to) {
  for (PointLoop& known : loops) {
    if (known.dim == dim) {
      known.to = to;
      return;
    }
  }
  loops.push_back({dim, from, to});
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

bool Tree::is_known(const Crossing& block, const std::vector<PointLoops>& points,
                    const Node& node) {
  std::vector<Int128> all = {node.spent, node.changes, node.standing_still};
  for (const PortWords& port : node.ports) {
    all.insert(all.end(), {Int128{port.reads}, Int128{port.fills}, Int128{port.updates}});
  }
  for (const PointLoops& point : points) {
    all.push_back(point.tensors);
    for (const auto& [dim, from, to] : point.loops) all.insert(all.end(), {dim, from, to, -1});
  }
  constexpr std::size_t kMostKnown = std::size_t{1} << 18;  // about 100 MB
  std::set<std::vector<Int128>>& known = known_[at(block.memory)];
  if (known.size() >= kMostKnown) return known.count(all) > 0;
  return !known.insert(std::move(all)).second;
}

void Tree::add_loop(Path& path, int dim, int outside) const {
  const int inside = path.extents[at(dim)];
  path.order.push_back(dim);
  path.extents[at(dim)] = outside;
  if (path.points.empty() || inside == outside) return;
  path.points.back().add_loop(dim, inside, outside);
}

const Tree::PointSteps& Tree::point_steps(int memory, int dim) {
  const auto [found, is_new] = steps_.try_emplace({memory, dim});
  PointSteps& steps = found->second;
  if (!is_new) return steps;
  steps.from = context_.chain(dim).point_loops(memory);
  const std::size_t classes = steps.from.size();
  steps.leads.assign(classes, std::vector<char>(classes, 0));
  const auto visit = [&](const auto& self, std::size_t from, std::vector<char>& leads) -> void {
    if (leads[from] != 0) return;
    leads[from] = 1;
    for (const Step& step : steps.from[from]) self(self, at(step.to), leads);
  };
  for (std::size_t from = 0; from < classes; ++from) visit(visit, from, steps.leads[from]);
  return steps;
}

std::vector<Step> Tree::steps_within(const Crossing& block, const Path& path, int dim) {
  const PointSteps& steps = point_steps(block.memory, dim);
  std::vector<Step> found = steps.from[at(path.extents[at(dim)])];
  std::erase_if(found, [&](const Step& step) {
    return steps.leads[at(step.to)][at(block.outside[at(dim)])] == 0;
  });
  return found;
}

// Chooses how far the loops go that move no open tensor, before a point or a loop that does.
void Tree::choose_gap(const Crossing& block, int dim, const Path& path) {
  if (is_over()) return;
  if (dim == context_.dims()) return place_points(block, path);
  if (contains(lattice_.open_dims(path.open), dim)) return choose_gap(block, dim + 1, path);
  choose_gap(block, dim + 1, path);
  for (const Step& step : steps_within(block, path, dim)) {
    Path next = path;
    add_loop(next, dim, step.to);
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
    if (moves) take_step(block, path, 0, 1U << t, Move{});
  }
  for (int d = 0; d < context_.dims(); ++d) {
    std::uint32_t windows = 0;
    for (const int t : members(block.points & ~path.placed)) {
      if (lattice_.in_window(1U << t, d)) windows |= 1U << t;
    }
    for (std::uint32_t points = windows;; points = (points - 1) & windows) {
      move_by(block, path, d, points);
      if (points == 0) break;
    }
  }
}

// A loop that moves no window is taken by its prime factors: the rest of it follows.
void Tree::move_by(const Crossing& block, const Path& path, int dim, std::uint32_t points) {
  const std::uint32_t moved = lattice_.moved_by(path.open, dim);
  if (moved == 0 && points == 0) return;
  const bool window = points != 0 || lattice_.in_window(moved, dim);
  for (const Step& step : steps_within(block, path, dim)) {
    if (!window && !step.has_prime_bound()) continue;
    take_step(block, path, moved, points, Move{dim, step.to});
  }
}

void Tree::take_step(const Crossing& block, const Path& path, std::uint32_t moved,
                     std::uint32_t points, const Move& move) {
  if (is_over()) return;
  Path next = path;
  CapacityCheck& capacity = rooms_.try_emplace(block.memory, context_, block.memory).first->second;
  for (const int t : members(points)) {
    next.room = std::min(capacity.room() + 1, next.room + capacity.amount(t, path.extents.data()));
    pay(next, closings_.get_at_point(t, path.open[at(t)], block.memory), t, move);
    next.open[at(t)] = -1;
  }
  for (const int t : members(moved & ~points)) {
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
