// Storage points: an uneven mapping is a mapping of a problem in which each point is a level.
#pragma once

#include <string>
#include <vector>

#include "certificate/frames.h"

namespace tilewright::certificate {

// Throws Unverifiable if nothing can be said of the uneven mappings of a space.
void refuse_vague_points(const Problem& problem, const Rules& rules);

// The problem without its constraints. Its memories can be taken apart whatever the
// constraints say; the rules hold at the points.
Problem without_constraints(const Problem& problem);

// Why a mapping of `apart`, which has storage points or not, is not one of the space; empty
// if it is.
std::vector<std::string> broken_rules_at_points(const Problem& problem, const Rules& rules,
                                                const Problem& apart, const Mapping& mapping);

}  // namespace tilewright::certificate
