// What the programs of the command line have in common: exit codes, threads, how they
// end.
#pragma once

#include <functional>

namespace tilewright::cli {

inline constexpr int kGood = 0;
inline constexpr int kDiffers = 1;  // a check that was asked for does not hold
inline constexpr int kBadInput = 2;
inline constexpr int kInfeasible = 3;
inline constexpr int kInternalError = 70;  // as sysexits.h has it: a defect, or no more memory
inline constexpr int kInterrupted = 130;   // as shells have it, where nothing whole is left to show

// As many as were asked for; 0 means as many as the machine has.
int thread_count(int asked);

// For main(): the exit code of `run`, or of what went wrong in it or with its output.
int run_program(int (*run)(int argc, char** argv), int argc, char** argv);
int run_program(const std::function<int()>& run);

}  // namespace tilewright::cli
