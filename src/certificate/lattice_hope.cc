// States of a lattice from which no mapping comes below the limit.
#include <algorithm>

#include "certificate/lattice.h"

namespace tilewright::certificate {

void Lattice::leave_out_hopeless(int memory) {
  for (auto it = now_.begin(); it != now_.end();) {
    const Open& open = it->first;
    Values& values = it->second;
    // At the outermost memory the end is near anyway.
    const std::vector<WayOut> ways = memory > 0 ? ways_out(memory, open) : std::vector<WayOut>();
    std::array<int, kMaxDims> extents{};
    values.filter([&](std::size_t place) {
      grid_.decode(place, extents.data());
      const std::int64_t limit =
          given_limit_.inside ? given_limit_.inside(memory, extents.data()) : limit_;
      return values[place] < limit &&
             has_hope(memory, open, ways, {values[place], limit, extents.data()});
    });
    it = values.empty() ? now_.erase(it) : std::next(it);
  }
}

bool Lattice::has_loop_outside(int memory, int dim) const {
  for (int m = memory; m >= 0; --m) {
    if (has_loop(m, dim)) return true;
  }
  return false;
}

// Those that move the same tensors outside windows are one.
std::vector<Lattice::WayOut> Lattice::ways_out(int memory, const Open& open) const {
  std::vector<WayOut> ways;
  TensorSets done;
  const std::uint32_t waiting = open_tensors(open);
  if (waiting == 0) return ways;
  for (int d = 0; d < grid_.dims(); ++d) {
    if (!has_loop_outside(memory, d)) continue;
    const std::uint32_t moved = moved_by(open, d);
    const std::uint32_t windows = moved & context_.terms().windowed[at(d)];
    if (windows == 0 && done.test(moved)) continue;
    if (windows == 0) done.set(moved);
    ways.push_back({d, closings_of(open, moved & ~windows, memory), windows});
  }
  // No loop at all.
  ways.push_back({-1, closings_of(open, waiting, memory), 0});
  return ways;
}

bool Lattice::has_hope(int memory, const Open& open, const std::vector<WayOut>& ways,
                       const State& state) const {
  if (ways.empty()) return true;
  for (const WayOut& way : ways) {
    std::int64_t sum = cost_of(way.paid, state.value, state.extents);
    for (const int t : members(way.windows)) {
      sum = std::min(kNever, sum + least_move(memory, open, t, way.dim, state.extents));
    }
    if (sum < state.limit) return true;
  }
  return false;
}

std::int64_t Lattice::least_move(int memory, const Open& open, int tensor, int dim,
                                 const int* extents) const {
  std::array<int, kMaxDims> inside{};
  std::copy_n(extents, grid_.dims(), inside.begin());
  std::int64_t least = kNever;
  for (int m = memory; m >= 0; --m) {
    for (const Step& step : context_.chain(dim).loops_from(m, inside[at(dim)])) {
      if (step.to == step.from) continue;
      least = std::min(least, close_cost(open, 1U << tensor, m, inside.data(), Move{dim, step.to}));
    }
    for (int f = context_.unrolling().fanouts(); f-- > 0;) {
      if (context_.place(f) != m) continue;
      for (int d = 0; d < grid_.dims(); ++d) {
        inside[at(d)] = context_.chain(d).unrolled[at(f)][at(inside[at(d)])];
        if (inside[at(d)] < 0) return least;
      }
    }
  }
  return least;
}

}  // namespace tilewright::certificate
