// Random descriptions of what an accelerator can be set to.
#pragma once

#include "support/random_problem.h"
#include "tilewright/arch.h"

namespace tilewright::testing {

struct FlexibilityLimits {
  std::int64_t pes = 1;
  std::int64_t largest_tile = 1;  // in every dimension
  bool shares = true;             // the buffer can be shared out
};

// Along every axis anything from one choice to all; sound on an array of so many
// PEs. Buffer and array are not named.
Flexibility random_flexibility(TestRng& rng, const FlexibilityLimits& limits);

ConvOrder random_conv_order(TestRng& rng);

}  // namespace tilewright::testing
