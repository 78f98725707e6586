// tilewright-full: the tool with all its commands.
#include "cli/command_line.h"
#include "cli/process.h"
#include "proofs/proof_commands.h"
#include "tilewright/map.h"

int main(int argc, char** argv) {
  using namespace tilewright;
  return cli::run_program([&] { return cli::run(argc, argv, mappers(), &cli::kProofCommands); });
}
