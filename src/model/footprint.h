// How many elements of a tensor the instances of a level ever touch: what an
// output is spared of reading back, what a tensor's outermost keeper must hold.
#pragma once

#include "model/link.h"

namespace tilewright::model {

Words footprint(const LoopLayout& layout, int tensor, int memory);

}  // namespace tilewright::model
