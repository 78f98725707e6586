// Words of tensors that stay in the shared memory: how many are loaded, how much room they take.
#pragma once

#include <vector>

#include "cascade/geometry.h"
#include "tilewright/model.h"

namespace tilewright::fusion {

// Words of a resident that enter the shared memory from outside; for an output, words that leave.
std::int64_t loads_of(const Geometry& geometry, int einsum, TensorId tensor);

// Whether a tensor comes from the outermost memory, or goes there: no einsum of the group hands it
// on.
bool comes_from_outside(const Geometry& geometry, int einsum, TensorId tensor);
// What such a resident moves at the outermost memory and at the shared one. Outputs that do not
// leave in one piece are read back.
struct Load {
  Traffic outside, inside;
};
Load load_of(const Geometry& geometry, const Memory& outermost, int einsum, TensorId tensor);
// What goes to the outermost memory of an intermediate that also leaves: each element once.
Load departure_of(const Geometry& geometry, int einsum);

// Each resident that comes from outside has one, and each output that also leaves.
struct TensorLoad {
  TensorId tensor;
  Load words;
};
std::vector<TensorLoad> loads_of(const Geometry& geometry, const Memory& outermost, int einsum);

// The largest tile of a tensor below the first `depth` loops of the path.
std::int64_t tile_words(const Geometry& geometry, int einsum, TensorId tensor, int depth);
// The tile of a leaf's tensor in an execution of these extents.
std::int64_t tile_words(const Workload& workload, TensorId tensor,
                        const std::vector<std::int64_t>& extents);

}  // namespace tilewright::fusion
