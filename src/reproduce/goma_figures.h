// The tables and figures of GOMA, one function each.
#pragma once

#include "tilewright/reproduce.h"

namespace tilewright::reproduce {

// Section IV-G: how often the closed form is exact.
Figure goma_fidelity(const Options& options);

}  // namespace tilewright::reproduce
