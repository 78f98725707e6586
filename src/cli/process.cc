#include "cli/process.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <thread>

#include "cli/output.h"

namespace tilewright::cli {
namespace {

// A full disk is found when the output is flushed.
int flushed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  complain("error: the output cannot be written");
  return kBadInput;
}

}  // namespace

int thread_count(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Only a defect or exhausted memory leads to an exception.
int run_program(const std::function<int()>& run) {
  try {
    return flushed(run());
  } catch (const std::bad_alloc&) {
    std::fputs("error: the memory is used up; map and pareto keep to --memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "internal error: %s\nThis is a defect of tilewright: please report it, with the "
                 "command and its files.\n",
                 error.what());
  }
  return kInternalError;
}

int run_program(int (*run)(int argc, char** argv), int argc, char** argv) {
  return run_program([&] { return run(argc, argv); });
}

}  // namespace tilewright::cli
