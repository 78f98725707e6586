// Storage points: an uneven mapping is a mapping of a problem in which each point is a level.
#pragma once

#include <string>
#include <vector>

#include "certificate/frames.h"
#include "tilewright/certificate.h"

namespace tilewright::certificate {

// The memories whose tensors may have storage points of their own, as bits.
std::uint32_t uneven_memories(const Problem& problem, Among among);

// The memory of the whole problem that each level of the other is a point of.
std::vector<int> whole_memories(const Problem& apart);

// Lets memories have several points, those of the bits that can have them.
void allow_points(const Problem& problem, std::uint32_t memories, Rules& rules);

// The problem without its constraints. Its memories can be taken apart whatever the
// constraints say; the rules hold at the points.
Problem without_constraints(const Problem& problem);

// The rules as they hold at the points. A rule on the loops of a memory holds at each of its
// points, and each point keeps what its name says.
Rules rules_at(const Rules& rules, const Problem& apart);

// Why a mapping of `apart`, which has storage points or not, is not one of the space; empty
// if it is.
std::vector<std::string> broken_rules_at_points(const Problem& problem, const Rules& rules,
                                                const Problem& apart, const Mapping& mapping);

}  // namespace tilewright::certificate
