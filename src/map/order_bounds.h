// What bounds all settings of a flexible accelerator that have the same order of loops: what has to
// pass into the buffer, whatever the array does.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/map.h"

namespace tilewright::map {

// What mappings the bounds hold for, and how long it may take to find them.
struct Bounded {
  Evenness evenness = Evenness::Even;
  SpaceKind space = SpaceKind::Ruby;
  Limits limits;
};

// What bounds all settings with an order.
struct OrderBounds {
  Int128 least_cycles = 0;          // of the outermost memory
  double least_filling = 0;         // energy of moving words into the buffer, if it is asked for
  bool looked_for_reasons = false;  // why nothing fits
  std::vector<Diagnostic> reasons;  // these; none if something may, as far as it is known
};

// Nothing is counted that bounds nothing. `energy`: whether it is part of the objective.
OrderBounds bounds_of_order(const Workload& workload, const Architecture& arch,
                            const std::optional<ConvOrder>& order, bool energy, Bounded bounded);

// Looks for reasons why no setting with the order has a mapping, where its bounds did not.
void look_for_reasons(const Workload& workload, const Architecture& arch,
                      const std::optional<ConvOrder>& order, Bounded bounded, OrderBounds& bounds);

}  // namespace tilewright::map
