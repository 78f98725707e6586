// What the buffer of a flexible accelerator can hold.
#pragma once

#include <vector>

#include "tilewright/arch.h"
#include "tilewright/mapping.h"

namespace tilewright::flexibility {

// A part of the buffer with the tensors that live there together: what they
// take must not pass the amount.
struct Share {
  struct Held {
    TensorId tensor{};
    std::int64_t element = 1;  // that one of its elements takes
  };
  std::int64_t amount = 0;
  std::vector<Held> held;
};

// The shares of the memory that stands at this level; complains if it has no limit.
Checked<std::vector<Share>> shares_of(const Problem& problem, LevelId buffer);

// How many choices of one or more elements of each tensor fit. Complains if
// the widths of elements have too little in common to count them.
Checked<BigUint> count_footprints(const std::vector<Share>& shares);

}  // namespace tilewright::flexibility
