// The fixed tile of a flexibility, dimension by dimension of a workload.
#pragma once

#include <vector>

#include "tilewright/flex.h"

namespace tilewright {

struct FixedDim {
  DimId dim{};
  std::int64_t extent = 1;  // in the tile
  bool cuts = false;        // the dimension is larger
};

// Empty if the tile is not fixed. Where a loop stands for several dimensions,
// the innermost take their share first; a batch is done one by one.
std::vector<FixedDim> fixed_tile(const Workload& workload, const ConvView& view,
                                 const Flexibility& flexibility);

}  // namespace tilewright
