#include "mappers/optimal/block_loops.h"

namespace tilewright::optimal {

int BlockLoops::unmoving(std::uint32_t open, std::uint32_t left) const {
  for (const int d : members(nesting_.next(left))) {
    if (moved_by(solver_, open, d) == 0) return d;
  }
  return -1;
}

// An axis of ranges; with a place for each edge if it is the moving loop's.
AxisExtents BlockLoops::ranges(std::uint32_t done, int d, bool moves) const {
  const LatticeAxis& own = axis(d);
  const bool is_done = contains(done, d);
  if (!moves) {
    return {is_done ? own.outer_most : own.inner_most, {}, is_done ? own.outer : own.inner, {}};
  }
  AxisExtents result;
  for (const Edge& edge : own.edges) {
    result.extents.push_back(own.inner_most[at(edge.from)]);
    result.least.push_back(own.inner[at(edge.from)]);
    result.passes.push_back(ceil_div(solver_.size(d), own.outer_most[at(edge.to)]));
  }
  return result;
}

void BlockLoops::pay(std::uint32_t done, std::uint32_t tensors, OpenLinks pending, int moving_dim,
                     Values& values) {
  std::vector<AxisExtents> axes(at(solver_.dim_count));
  for (int d = 0; d < solver_.dim_count; ++d) {
    if (lattice_.has_ranges()) {
      axes[at(d)] = ranges(done, d, d == moving_dim);
      continue;
    }
    if (d != moving_dim) {
      axes[at(d)].extents = extents(done, d);
      continue;
    }
    for (const Edge& edge : axis(d).edges) {
      axes[at(d)].extents.push_back(axis(d).inner[at(edge.from)]);
      axes[at(d)].bounds.push_back(edge.bound);
    }
  }
  list_open(sub_, memory_, tensors, pending, links_);
  for (const int link : links_) {
    add_price(sub_, sub_.placement().links[at(link)], memory_, axes, moving_dim, values);
  }
}

}  // namespace tilewright::optimal
