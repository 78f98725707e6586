// The loops of a convolution that a workload has: what the freedom of a flexible architecture
// is about (docs/flexibility.md, "How a layer is seen").
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "certificate/exact.h"

namespace tilewright::certificate {

struct Loops {
  std::array<std::vector<int>, kConvDims> dims;  // of each loop, outermost first
  std::vector<int> groups;                       // of C, which K unrolls as well
  std::vector<int> others;                       // dimensions of no loop

  std::vector<int> unrolled_with(ConvDim loop) const;
  // Loops in an order as dimensions; those of no loop stand outermost.
  std::vector<int> in_order(const ConvOrder& order) const;
};

// Throws Unverifiable if the workload is not the product of one weight and one input.
Loops loops_of(const Workload& workload);

// A dimension in a fixed tile, and whether it is larger than that.
struct TiledDim {
  int dim = 0;
  std::int64_t extent = 1;
  bool is_cut = false;
};
// Nothing if the tile is not fixed. Dimensions of size 1 are left out.
std::vector<TiledDim> tiled_dims(const Workload& workload, const Loops& loops,
                                 const TileFreedom& tile);

}  // namespace tilewright::certificate
