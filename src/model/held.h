// How many elements of a tensor the instances of a level ever touch: what an
// output is spared of reading back, what a tensor's outermost keeper must hold.
#pragma once

#include "model/link.h"

namespace tilewright::model {

Words ever_held(const Frame& frame, int tensor, int memory);

}  // namespace tilewright::model
