// How many branches of a fan-out begin at different elements of a window, at least
// (docs/optimal.md, "Extents are all that counts").
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/parts.h"

namespace tilewright::certificate {

// A dimension of a window in a fan-out.
struct BranchDim {
  std::int64_t branches = 1;
  std::int64_t size = 1;  // indices altogether
  std::int64_t part = 1;  // with perfect factors: what the tile of a branch divides
};
using BranchDims = std::vector<BranchDim>;  // in the window's order

// A share of all branches.
struct Starts {
  Int128 different = 1, all = 1;

  bool is_less_than(const Starts& other) const {
    return times(different, other.all) < times(other.different, all);
  }
};

// Over all steps, of the branches that have an index then, with tiles of so many indices in each
// branch. With fewer branches the share is no smaller.
Starts starts_with(const Window& window, const BranchDims& dims, const Extents& tiles);
// The same with any tiles.
Starts least_starts(const Window& window, const BranchDims& dims, bool perfect);

}  // namespace tilewright::certificate
