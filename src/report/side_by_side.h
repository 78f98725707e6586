// Two designs, or two mappings of one design, side by side: the sums that its text and its JSON
// share.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tilewright/report.h"

namespace tilewright::report {

// Something that energy goes to, on both sides.
struct EnergyPair {
  std::string what;
  std::array<double, 2> pj{};

  double more() const { return pj[1] - pj[0]; }
};

struct SideBySideSums {
  std::array<Score, 2> total;      // of all layers that both sides have, as often as they occur
  std::vector<EnergyPair> levels;  // in the order of the first side, then what only the second has
  std::vector<EnergyPair> tensors;
  std::vector<EnergyPair> spendings;  // the largest difference first
};
SideBySideSums sums_of(const SideBySide& both);

// Whether both sides have a mapping of a layer.
bool is_complete(const SideBySide::OfLayer& layer);

}  // namespace tilewright::report
