// Trees of memories whose loops are limited or ordered by rules at each storage point.
#include <algorithm>

#include "certificate/restricted_block.h"
#include "certificate/tree.h"

namespace tilewright::certificate {

bool Tree::is_restricted(int memory) const {
  return contains(context_.rules().restricted, memory) && context_.movable(memory) != 0;
}

// Loops that move no open tensor stand innermost. `still` are those to choose, with one loop or
// none; `rest` are all that are to come in this stage.
void Tree::choose_still(const Crossing& block, std::size_t stage, std::uint32_t still,
                        std::uint32_t rest, const Path& path) {
  if (is_over()) return;
  still &= ~lattice_.open_dims(path.open);
  if (still == 0) return choose_moving(block, stage, rest, path);
  const int dim = __builtin_ctz(still);
  const std::uint32_t other = ~(1U << dim);
  if (lattice_.may_rest(block.memory, 1U << dim)) {
    choose_still(block, stage, still & other, rest & other, path);
  }
  for (const Step& step : steps_within(block, path, dim)) {
    Path next = path;
    add_loop(next, dim, step.to);
    choose_still(block, stage, still & other, rest & other, next);
  }
}

// The next loop moves open tensors, or there is none in this stage.
void Tree::choose_moving(const Crossing& block, std::size_t stage, std::uint32_t rest,
                         const Path& path) {
  ++nodes_;
  deadline_.check();
  for (const int d : members(rest)) {
    const std::uint32_t moved = lattice_.moved_by(path.open, d);
    for (const Step& step : steps_within(block, path, d)) {
      if (is_over()) return;
      Path next = path;
      for (const int t : members(moved)) {
        Closing& closing =
            closing_at(closings_, block.memory, contains(path.placed, t), t, path.open[at(t)]);
        pay(next, closing, t, Move{d, step.to});
      }
      if (next.node.spent >= kNever || is_cut(next.node, block.value)) continue;
      next.open = Lattice::closed(path.open, moved);
      add_loop(next, d, step.to);
      const std::uint32_t left = rest & ~(1U << d);
      choose_still(block, stage, left, left, next);
    }
  }
  if (!lattice_.may_rest(block.memory, rest)) return;
  const std::vector<std::uint32_t>& stages = lattice_.stages(block.memory);
  if (stage + 1 == stages.size()) return end_point(block, path);
  choose_still(block, stage + 1, stages[stage + 1], stages[stage + 1], path);
}

// What comes next: the end of the memory, or points of some tensors and more loops.
void Tree::end_point(const Crossing& block, const Path& path) {
  end_restricted(block, path);
  const std::uint32_t unplaced = context_.placement()[at(block.memory)] & ~path.placed;
  const std::uint32_t may_have = unplaced & context_.movable(block.memory);
  CapacityCheck& capacity = rooms_.try_emplace(block.memory, context_, block.memory).first->second;
  const std::uint32_t first = lattice_.stages(block.memory).front();
  for (std::uint32_t points = may_have; points != 0; points = (points - 1) & may_have) {
    if (is_over() || points == unplaced) continue;
    Path next = path;
    for (const int t : members(points)) {
      if (next.open[at(t)] < 0) next.open[at(t)] = static_cast<std::int8_t>(block.memory);
      next.room =
          std::min(capacity.room() + 1, next.room + capacity.amount(t, path.extents.data()));
    }
    if (next.room > capacity.room()) continue;
    next.put_point(points);
    choose_still(block, 0, first, first, next);
  }
}

void Tree::end_restricted(const Crossing& block, Path path) {
  const auto dims = at(context_.dims());
  if (!std::equal(path.extents.begin(), path.extents.begin() + static_cast<std::ptrdiff_t>(dims),
                  block.outside.begin())) {
    return;
  }
  const std::uint32_t unplaced = context_.placement()[at(block.memory)] & ~path.placed;
  CapacityCheck& capacity = rooms_.try_emplace(block.memory, context_, block.memory).first->second;
  for (const int t : members(unplaced)) {
    path.room = std::min(capacity.room() + 1, path.room + capacity.amount(t, path.extents.data()));
    const bool filled = contains(context_.movable(block.memory), t);
    if (filled && path.open[at(t)] < 0) path.open[at(t)] = static_cast<std::int8_t>(block.memory);
  }
  if (path.room <= capacity.room()) finish_block(block, std::move(path));
}

}  // namespace tilewright::certificate
