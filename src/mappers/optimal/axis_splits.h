// How the unrolling of each fan-out is split over its two axes.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// By fan-out, the bounds along its x axis.
using AxisSplits = std::array<const PerDim*, kMaxFanouts>;

// Splits that are legal with the loops inside, or nothing if there are none; loops(memory, dim)
// is the product of a memory's loops of a dimension.
template <typename Loops>
std::optional<AxisSplits> legal_splits(const Subproblem& sub, Loops loops) {
  const SolverTables& solver = sub.solver();
  const SpatialBounds& spatial = sub.spatial();
  AxisSplits result{};
  PerDim left = solver.sizes;
  for (int m = solver.memory_count; m-- > 0;) {
    for (int f = sub.fanouts_outside(m + 1); f-- > sub.fanouts_outside(m);) {
      const auto is_legal = [&](const PerDim& along_x) {
        for (int d = 0; d < solver.dim_count; ++d) {
          if (!is_legal_split(spatial.unrolled(f, d), along_x[at(d)], left[at(d)])) return false;
        }
        return true;
      };
      const std::vector<PerDim>& splits = spatial.splits(f);
      const auto legal = std::find_if(splits.begin(), splits.end(), is_legal);
      if (legal == splits.end()) return std::nullopt;
      result[at(f)] = &*legal;
      for (int d = 0; d < solver.dim_count; ++d) {
        left[at(d)] = ceil_div(left[at(d)], spatial.unrolled(f, d));
      }
    }
    for (int d = 0; d < solver.dim_count; ++d) left[at(d)] = ceil_div(left[at(d)], loops(m, d));
  }
  return result;
}

}  // namespace tilewright::optimal
