// The commands of plans and certificates.
#pragma once

#include "cli/commands.h"
#include "tilewright/fusion.h"

namespace tilewright::cli {

int run_check(const CheckOptions& options);
int run_eval_plan(const EvalOptions& options);
int run_fuse(const FuseCommandOptions& options);
int run_fuse_network(const FuseCommandOptions& options, const FuseOptions& search);
int run_map_certified(const MapCommandOptions& options);

// All that the command line knows.
inline constexpr ProofCommands kProofCommands{run_check, run_eval_plan, run_fuse,
                                              run_map_certified};

}  // namespace tilewright::cli
