// What a link costs at every vector of extents of an array at once: its counts
// are products of factors that depend on one dimension, or on one window.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// The extents of one dimension along an array's axis. Along the axis of a
// moving loop there is a place for each edge, with its bound.
struct AxisExtents {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> bounds;  // of the moving loop; empty along other axes
};

// Adds the link's energy to each element of `array`, whose axes are the
// dimensions in order, the last one fastest. The extents are those just inside
// the moving loop, which is a loop of memory `block`.
void add_price(const Subproblem& sub, const Link& link, int block,
               const std::vector<AxisExtents>& axes, int moving_dim, std::span<Units> array);

}  // namespace tilewright::optimal
