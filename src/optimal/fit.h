// Which tiles fit a memory.
#pragma once

#include <vector>

#include "optimal/lattice.h"

namespace tilewright::optimal {

// For every vector of outer extents of a memory's axes, the last dimension
// fastest. What the outermost keeper of a tensor holds beyond its tile does not
// count here: that is for the evaluator to say.
std::vector<bool> fitting_vectors(const Frame& frame, const Lattice& lattice, int memory);

}  // namespace tilewright::optimal
