// Cascades that are the same work, whatever things are called.
#pragma once

#include "tilewright/arch.h"
#include "tilewright/cascade.h"

namespace tilewright {

// Without the names of einsums; tensors and dimensions are numbered, but for what architectures
// call dimensions. Equal ones have equal plans where architectures know tensors by their roles.
Cascade without_names(Cascade cascade);
// The same for plans on this architecture, which may know tensors by their names.
Cascade without_names(Cascade cascade, const Architecture& arch);

}  // namespace tilewright
