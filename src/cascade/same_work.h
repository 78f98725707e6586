// Cascades that are the same work, whatever things are called.
#pragma once

#include "tilewright/cascade.h"

namespace tilewright {

// Without the names of einsums; tensors and dimensions are numbered, but for what architectures
// call them. Equal ones have equal plans.
Cascade without_names(Cascade cascade);

}  // namespace tilewright
