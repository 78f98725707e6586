// Uneven private nests in fused plans.
#pragma once

#include "tilewright/fusion.h"

namespace tilewright::fusion {

// Goes on with what was searched with even nests: the best plan with nests of both kinds. Takes
// what is left of the time.
FuseOutcome fuse_uneven(const Cascade& cascade, const Architecture& arch,
                        const FuseOptions& options, FuseOutcome even);

}  // namespace tilewright::fusion
