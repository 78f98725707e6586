// A flexible architecture in one setting: hardware without freedom, and rules for its loops.
#pragma once

#include <vector>

#include "certificate/settings.h"

namespace tilewright::certificate {

// Gives the array its shape, and tensors their parts of the buffer where the tile is hard.
void shape_hardware(const Flexibility& freedom, const FlexibleParts& parts,
                    const ArraySetting& setting, Architecture& arch);

// What rows and columns unroll, the order of loops, the fixed tile.
std::vector<Constraint> rules_of(const Workload& workload, const Architecture& arch,
                                 const Loops& loops, const std::vector<TiledDim>& tile,
                                 const FlexibleParts& parts, const ArraySetting& setting);

}  // namespace tilewright::certificate
