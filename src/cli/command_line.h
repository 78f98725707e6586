// The command line: from arguments to a command that runs.
#pragma once

#include <vector>

namespace tilewright {

struct Mapper;

namespace cli {

struct ProofCommands;

// Runs what the arguments ask for, with these mappers to choose from or with all there are,
// and gives the exit code. Without `proofs` another program runs those commands; a null pointer
// ends the arguments.
int run(int argc, char** argv, const std::vector<const Mapper*>& mappers,
        const ProofCommands* proofs = nullptr);
int run(int argc, char** argv);

}  // namespace cli
}  // namespace tilewright
