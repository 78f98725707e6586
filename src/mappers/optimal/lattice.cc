#include "mappers/optimal/lattice.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilewright::optimal {
namespace {

constexpr std::size_t kMostEdges = std::size_t{1} << 22;

// Without a loop, nothing leads beyond the most that there is inside. Where ranges are few, one
// more of each dimension would be much more work, and with remainders in space alone it does not
// pay: loops that divide lead to few extents.
void cut_after(std::int64_t most_inside, std::vector<ExtentRange>& ranges) {
  constexpr std::size_t kMany = 8;
  if (ranges.size() < kMany) return;
  const auto cut = std::find_if(ranges.begin(), ranges.end(), [&](const ExtentRange& range) {
    return range.least <= most_inside && most_inside < range.most;
  });
  if (cut == ranges.end()) return;
  const ExtentRange beyond{most_inside + 1, cut->most};
  cut->most = most_inside;
  ranges.insert(cut + 1, beyond);
}

}  // namespace

Lattice::Lattice(const Subproblem& sub, const Deadline& deadline)
    : Lattice(sub, ExtentBox(sub), deadline) {}

Lattice::Lattice(const Subproblem& sub, const ExtentBox& box, const Deadline& deadline)
    : sub_(&sub), deadline_(&deadline), dims_(sub.solver().dim_count), box_(box) {
  make([&](int m, int d) { return grow(m, d); });
}

Lattice::Lattice(const Subproblem& sub, const ExtentBox& box, double most_vectors,
                 const Deadline& deadline)
    : sub_(&sub),
      deadline_(&deadline),
      dims_(sub.solver().dim_count),
      box_(box),
      has_ranges_(true) {
  const int most_parts = box.parts_for(most_vectors);
  make([&](int m, int d) { return grow_ranges(m, d, most_parts); });
}

template <typename Grow>
void Lattice::make(Grow grow_axis) {
  const SolverTables& solver = sub_->solver();
  axes_.resize(at(solver.memory_count * dims_));
  for (int d = 0; d < dims_; ++d) {
    for (int m = solver.memory_count; m-- > 0;) {
      cross_fanouts(m + 1, d);
      ok_ = grow_axis(m, d);
      if (!ok_) return;
    }
    drop_dead_ends(d);
    ok_ = !axis(0, d).outer.empty();
    if (!ok_) return;
  }
}

// The bounds that a memory's loop can have with so many iterations left. Where
// several bounds leave the same number of iterations, the least has the
// smallest tiles and does the same otherwise, if tiles grow evenly and are not
// dealt out to instances: smaller last tiles may balance the work of those outside, and
// leave some of those inside without any, which then need no data.
std::vector<std::int64_t> Lattice::bounds_of(int memory, int dim, std::int64_t inside) const {
  const SolverTables& solver = sub_->solver();
  const int slot = solver.memory(memory).slot;
  const BoundLimits& limits = solver.limits(slot, dim);
  const std::int64_t left = ceil_div(solver.size(dim), inside);
  const ExtentRange& outside = box_.range(memory, dim);
  const std::int64_t most = std::min({limits.most, left, outside.most / inside});
  std::vector<std::int64_t> bounds;
  if (!solver.may_leave_remainder(slot)) {
    for (std::int64_t bound = 1; bound * bound <= left && bound <= most; ++bound) {
      if (left % bound != 0) continue;
      if (bound >= limits.least) bounds.push_back(bound);
      const std::int64_t other = left / bound;
      if (other != bound && other >= limits.least && other <= most) bounds.push_back(other);
    }
    return bounds;
  }
  const bool all = needs_all_extents(*sub_, dim);
  for (std::int64_t bound = std::max<std::int64_t>(1, limits.least); bound <= most;) {
    // The least that leaves so many iterations may lie outside the box.
    if (all) bound = std::max(bound, ceil_div(outside.least, inside));
    if (bound > most) break;
    bounds.push_back(bound);
    if (bounds.size() % 1024 == 0) deadline_->check();
    if (bounds.size() > kMostEdges) throw TooLarge{};
    const std::int64_t after = ceil_div(left, bound);
    if (after == 1 && !all) break;
    bound = all ? bound + 1 : ceil_div(left, after - 1);
  }
  return bounds;
}

// Every loop that a memory can have over each extent inside it.
bool Lattice::grow(int memory, int dim) {
  LatticeAxis& axis = mutable_axis(memory, dim);
  const std::int64_t size = sub_->solver().size(dim);
  for (std::size_t i = 0; i < axis.inner.size(); ++i) {
    deadline_->check();
    if (axis.edges.size() > kMostEdges) throw TooLarge{};
    for (const std::int64_t bound : bounds_of(memory, dim, axis.inner[i])) {
      const std::int64_t extent = axis.inner[i] * bound;
      if (!box_.range(memory, dim).contains(extent)) continue;
      if (!fits_alone(*sub_, memory, dim, extent)) continue;
      if (memory == 0 && extent < size) continue;
      axis.edges.push_back({static_cast<int>(i), 0, bound});
      axis.outer.push_back(axis.inner[i] * bound);
    }
  }
  std::sort(axis.outer.begin(), axis.outer.end());
  axis.outer.erase(std::unique(axis.outer.begin(), axis.outer.end()), axis.outer.end());
  for (Edge& edge : axis.edges) {
    const std::int64_t extent = axis.inner[at(edge.from)] * edge.bound;
    edge.to = static_cast<int>(std::lower_bound(axis.outer.begin(), axis.outer.end(), extent) -
                               axis.outer.begin());
  }
  return !axis.outer.empty();
}

// Ranges of the box, and every loop that may lead from some extent of a range to some extent
// of another. Loops with bound 1 have edges of their own.
bool Lattice::grow_ranges(int memory, int dim, int most_parts) {
  LatticeAxis& axis = mutable_axis(memory, dim);
  const SolverTables& solver = sub_->solver();
  const BoundLimits& limits = solver.limits(solver.memory(memory).slot, dim);
  const std::int64_t size = solver.size(dim);
  const auto add_edge = [&](std::size_t from, const ExtentRange& range, std::int64_t bound) {
    if (axis.outer.empty() || axis.outer.back() != range.least) {
      axis.outer.push_back(range.least);
      axis.outer_most.push_back(range.most);
    }
    axis.edges.push_back({static_cast<int>(from), static_cast<int>(axis.outer.size()) - 1, bound});
  };
  if (axis.inner.empty()) return false;
  std::vector<ExtentRange> parts = box_.parts(memory, dim, most_parts);
  if (has_remainders_in_time(solver) && !solver.loops_divide)
    cut_after(axis.inner_most.back(), parts);
  for (const ExtentRange& range : parts) {
    deadline_->check();
    if (memory == 0 && range.most < size) continue;
    if (!fits_alone(*sub_, memory, dim, range.least)) continue;
    for (std::size_t i = 0; i < axis.inner.size(); ++i) {
      const std::int64_t least = axis.inner[i];
      const std::int64_t most = axis.inner_most[i];
      if (limits.least <= 1 && least <= range.most && range.least <= most) add_edge(i, range, 1);
      const std::int64_t first =
          std::max({std::int64_t{2}, limits.least, ceil_div(range.least, most)});
      const std::int64_t last = std::min({limits.most, range.most / least, ceil_div(size, least)});
      if (first <= last) add_edge(i, range, first);
    }
  }
  return !axis.outer.empty();
}

// From the tile of a memory (compute, if it is one past the last) to what is
// just inside the loops of the next outer memory.
void Lattice::cross_fanouts(int memory, int dim) {
  const SolverTables& solver = sub_->solver();
  std::vector<std::int64_t> extents = {1};  // compute works on one index
  std::vector<std::int64_t> most = extents;
  if (memory < solver.memory_count) {
    extents = axis(memory, dim).outer;
    most = axis(memory, dim).outer_most;
  }
  const std::int64_t size = solver.size(dim);
  std::vector<bool> passes;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    bool ok = true;
    for (int f = sub_->fanouts_outside(memory); ok && f-- > sub_->fanouts_outside(memory - 1);) {
      const std::int64_t left = ceil_div(size, extents[i]);
      ok = may_unroll(solver, sub_->spatial(), f, dim, has_ranges_ ? ceil_div(size, most[i]) : left,
                      left);
      extents[i] *= sub_->spatial().unrolled(f, dim);
      if (has_ranges_) most[i] *= sub_->spatial().unrolled(f, dim);
    }
    passes.push_back(ok);
  }
  if (has_ranges_) mutable_axis(memory - 1, dim).inner_most = std::move(most);
  mutable_axis(memory - 1, dim).inner = std::move(extents);
  // Extents that cannot pass are no use at the memory either.
  keep_between(memory - 1, dim, passes);
}

// Keeps some of the extents just inside a memory's loops. They are those of the tiles of
// the next memory inside, before the fan-outs.
void Lattice::keep_between(int memory, int dim, const std::vector<bool>& keep) {
  std::vector<int> place(keep.size(), -1);
  int number = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) place[i] = number++;
  }
  const auto thin_out = [&](std::vector<std::int64_t>& extents, std::vector<std::int64_t>& most,
                            std::vector<Edge>& edges, int Edge::* end) {
    for (std::size_t i = 0; i < keep.size(); ++i) {
      if (keep[i]) extents[at(place[i])] = extents[i];
      if (keep[i] && has_ranges_) most[at(place[i])] = most[i];
    }
    extents.resize(at(number));
    if (has_ranges_) most.resize(at(number));
    std::erase_if(edges, [&](const Edge& edge) { return place[at(edge.*end)] < 0; });
    for (Edge& edge : edges) edge.*end = place[at(edge.*end)];
  };
  LatticeAxis& outside = mutable_axis(memory, dim);
  thin_out(outside.inner, outside.inner_most, outside.edges, &Edge::from);
  if (memory + 1 == sub_->solver().memory_count) return;
  LatticeAxis& inside = mutable_axis(memory + 1, dim);
  thin_out(inside.outer, inside.outer_most, inside.edges, &Edge::to);
}

// Keeps the extents from which the whole dimension can be reached, and which
// can be reached.
void Lattice::drop_dead_ends(int dim) {
  for (int m = 0; m < sub_->solver().memory_count; ++m) {
    // Every outer extent is of use by now; inner ones need an edge.
    std::vector<bool> has_edge(axis(m, dim).inner.size(), false);
    for (const Edge& edge : axis(m, dim).edges) has_edge[at(edge.from)] = true;
    keep_between(m, dim, has_edge);
    index_edges(mutable_axis(m, dim));
  }
}

void Lattice::index_edges(LatticeAxis& axis) {
  std::sort(axis.edges.begin(), axis.edges.end(), [](const Edge& a, const Edge& b) {
    return std::pair(a.to, a.bound) < std::pair(b.to, b.bound);
  });
  axis.first_edge.assign(axis.outer.size() + 1, 0);
  for (const Edge& edge : axis.edges) ++axis.first_edge[at(edge.to + 1)];
  for (std::size_t i = 1; i < axis.first_edge.size(); ++i) {
    axis.first_edge[i] += axis.first_edge[i - 1];
  }
}

void Lattice::keep_inner(int memory, int dim, const std::vector<bool>& wanted) {
  std::vector<bool> keep = wanted;
  for (int m = memory; m >= 0; --m) {
    keep_between(m, dim, keep);
    keep.assign(axis(m, dim).outer.size(), false);
    for (const Edge& edge : axis(m, dim).edges) keep[at(edge.to)] = true;
  }
  const int last = std::min(memory + 1, sub_->solver().memory_count - 1);
  for (int m = 0; m <= last; ++m) index_edges(mutable_axis(m, dim));
}

void Lattice::keep_tiles(int memory, int dim, const std::vector<bool>& wanted) {
  std::vector<bool> keep = wanted;
  for (int m = memory; m < sub_->solver().memory_count; ++m) {
    if (m > memory) {
      keep.assign(axis(m, dim).inner.size(), false);
      for (const Edge& edge : axis(m, dim).edges) keep[at(edge.from)] = true;
    }
    keep_between(m, dim, keep);
  }
  for (int m = memory; m < sub_->solver().memory_count; ++m) index_edges(mutable_axis(m, dim));
}

double Lattice::vectors() const {
  double most = 0;
  for (int m = 0; m < sub_->solver().memory_count; ++m) {
    double number = 1;
    for (int d = 0; d < dims_; ++d) {
      const LatticeAxis& one = axis(m, d);
      number *= static_cast<double>(std::max(one.inner.size(), one.outer.size()));
    }
    most = std::max(most, number);
  }
  return most;
}

ExtentBox Lattice::box() const {
  ExtentBox hull = box_;
  for (int m = 0; m < sub_->solver().memory_count; ++m) {
    for (int d = 0; d < dims_; ++d) {
      const LatticeAxis& one = axis(m, d);
      const std::vector<std::int64_t>& most = has_ranges_ ? one.outer_most : one.outer;
      hull.narrow(m, d, {one.outer.front(), most.back()});
    }
  }
  return hull;
}

}  // namespace tilewright::optimal
