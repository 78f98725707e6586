// Whether anything of a cell can fit: the smallest tiles that it has.
#pragma once

#include "certificate/count.h"
#include "certificate/cover.h"

namespace tilewright::certificate {

// False only if nothing fits.
bool may_fit(const Terms& terms, const Rules& rules, const Cover& cover, const Cell& cell);

}  // namespace tilewright::certificate
