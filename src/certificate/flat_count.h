// What a plan of flat groups takes, counted by the checker.
#pragma once

#include "certificate/flat_space.h"

namespace tilewright::certificate {

// The energy in units of the space; refuses a plan that is none of it or does not fit.
Int128 counted(const FlatSpace& space, const Plan& plan);

}  // namespace tilewright::certificate
