// The least product of the energy and the cycles of a network whose parts are fused.
#pragma once

#include <functional>

#include "tilewright/fusion.h"

namespace tilewright::fusion {

// The best plans of all parts for these options, whose objective is the energy and a price of each
// cycle; the number of the price is for those who wait.
using SearchParts = std::function<FusedNetwork(const FuseOptions& options, int price)>;

FusedNetwork fuse_for_product(const NetworkParts& parts, const Architecture& arch,
                              const FuseOptions& options, const SearchParts& search);

}  // namespace tilewright::fusion
