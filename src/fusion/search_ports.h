// Trees where memories inside the outermost one have bandwidths, too.
#pragma once

#include <optional>
#include <string>

#include "tilewright/fusion.h"

namespace tilewright::fusion {

// The best plan of trees as if these memories had none, which bounds all others. Where none of
// their ports makes its einsums wait it is the best one; else that or the best one of flat groups
// is taken, with the bound. Nothing where trees do not cover the cascade or its times otherwise.
std::optional<FuseOutcome> fuse_beside_ports(const Cascade& cascade, const Architecture& arch,
                                             const FuseOptions& options, const std::string& shared);

}  // namespace tilewright::fusion
