// What an access of a memory costs for a tensor.
#pragma once

#include "tilewright/arch.h"
#include "tilewright/workload.h"

namespace tilewright {

struct AccessPrices {
  double read_pj = 0, write_pj = 0, update_pj = 0;
};

// Those of the memory; where it says its energies of bits, in proportion to the width of the
// tensor's elements, worked out as fractions and rounded once to nine digits, halves to the even
// digit.
AccessPrices prices_of(const Memory& memory, const Tensor& tensor);

}  // namespace tilewright
