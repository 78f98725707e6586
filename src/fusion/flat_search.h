// The best plan whose groups are those of flat_candidates.h.
#pragma once

#include "tilewright/fusion.h"

namespace tilewright::fusion {

// For the least energy alone.
FuseOutcome fuse_flat(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                      const std::string& shared);

}  // namespace tilewright::fusion
