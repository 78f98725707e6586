// What compiling a problem leaves: flat tables that evaluation reads.
#pragma once

#include <array>
#include <cstdint>

#include "mapping/flat_problem.h"
#include "tilewright/model.h"

namespace tilewright::model {

struct Compiled : FlatProblem {
  explicit Compiled(const Problem& p);

  Problem problem;
  bool any_network = false;                        // some fan-out charges for words
  std::array<std::uint32_t, kMaxDims> partners{};  // dimensions met in a window of any tensor
  // Dimensions that are counted by digits in every mapping: those of windows that share halos.
  std::uint32_t by_digits = 0;
  std::array<int, kMaxSlots> memory_at{};  // the memory whose slot it is, or -1
  double area_um2 = 0;
};

}  // namespace tilewright::model
