// Runs a line of a shell in which `tilewright` is the tool that was built.
#pragma once

#include <string>

#include "cli/run_tool.h"

namespace tilewright::cli::testing {

// What bash makes of the script, in the given folder. Both streams of output are
// in `out`, in the order in which they were written.
Outcome run_shell(const std::string& script, const std::string& folder);

}  // namespace tilewright::cli::testing
