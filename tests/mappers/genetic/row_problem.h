// A problem of which an axis can be filled in several ways.
#pragma once

#include "support/problems.h"

namespace tilewright::genetic {

// A row of 8, which M and N can fill and K cannot.
inline Problem row_problem() {
  return testing::make_problem(
      make_gemm("gemm", 16, 16, 6),
      testing::make_arch({testing::make_memory("Outer"), testing::make_fanout("Array", 8),
                          testing::make_memory("Inner")}));
}

}  // namespace tilewright::genetic
