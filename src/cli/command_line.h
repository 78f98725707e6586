// The command line: from arguments to a command that runs.
#pragma once

#include <vector>

#include "tilewright/map.h"

namespace tilewright::cli {

// Runs what the arguments ask for, with these mappers to choose from, and gives the exit
// code.
int run(int argc, char** argv, const std::vector<const Mapper*>& mappers);

}  // namespace tilewright::cli
