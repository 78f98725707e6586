// Where a cascade is cut into groups. Groups share no memory, so what comes before a cut and what
// comes behind it do not depend on each other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fusion/search_bounds.h"

namespace tilewright::fusion {

// A tree of a group.
struct GroupChoice {
  int first = 0, last = 0;
  std::uint32_t origin = 0;
  Total total;
};

struct CutPlan {
  Total total;
  std::vector<GroupChoice> groups;
};

// The best plan of groups of up to `longest` einsums, or nothing if there is none; `trees` gives
// those of a group.
std::optional<CutPlan> best_cuts(
    int einsums, int longest, const Goal& goal,
    const std::function<std::vector<GroupChoice>(int first, int last)>& trees);

}  // namespace tilewright::fusion
