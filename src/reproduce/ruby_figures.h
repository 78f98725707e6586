// The tables and figures of Ruby, one function each. Some can also be made in
// part or with less effort, which tests do.
#pragma once

#include <cstdint>

#include "tilewright/reproduce.h"

namespace tilewright::reproduce {

Figure ruby_fig5(const Options& options);

Figure ruby_table1(const Options& options);

Figure ruby_fig8(const Options& options);
// Only the sizes from `first` to `last`.
Figure ruby_fig8(const Options& options, std::int64_t first, std::int64_t last);

Figure ruby_fig9(const Options& options);
// With a search that ends after this many valid mappings in vain.
Figure ruby_fig9(const Options& options, std::uint64_t patience);

}  // namespace tilewright::reproduce
