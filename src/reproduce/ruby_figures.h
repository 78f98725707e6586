// The tables and figures of Ruby, one function each.
#pragma once

#include "tilewright/reproduce.h"

namespace tilewright::reproduce {

Figure ruby_fig5(const Options& options);

Figure ruby_table1(const Options& options);

}  // namespace tilewright::reproduce
