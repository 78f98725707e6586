// What is left of a subproblem that waits for others.
#pragma once

#include <cstdint>
#include <vector>

#include "mappers/optimal/cost.h"
#include "mappers/optimal/extent_box.h"

namespace tilewright::optimal {

// A part of a subproblem, and what none of its mappings beats.
struct OpenPart {
  ExtentBox box;
  Cost bound;
  std::size_t looks = 0;     // at it, before: each is closer than the one before
  std::uint64_t number = 0;  // decides between equals
};
using OpenParts = std::vector<OpenPart>;

}  // namespace tilewright::optimal
