// The fidelity study of GOMA's authors: their tilings and choices of what to keep.
#pragma once

#include <vector>

#include "golden/golden.h"

namespace tilewright::reproduce {

// All 8,064 mappings: 7 matrix products, 8 tilings, 9 pairs of walking axes, 16
// choices of what to keep. Nothing is known of their energies: these are 0.
std::vector<golden::GemmRow> goma_study();

}  // namespace tilewright::reproduce
