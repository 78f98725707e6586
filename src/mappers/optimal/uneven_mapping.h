// From a path of uneven steps to a mapping, and what that costs.
#pragma once

#include <memory>
#include <optional>

#include "mappers/optimal/descent.h"
#include "mappers/optimal/uneven_paths.h"

namespace tilewright::optimal {

// The mapping that a path stands for, with its problem if some memory stands as several
// storage points. Nothing if it does not fit or has more points than there may be.
std::optional<Found> mapping_of(const Subproblem& sub, const UnevenPaths& paths,
                                const UnevenPaths::End& end);

}  // namespace tilewright::optimal
