#include <cstdio>
#include <exception>
#include <new>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace {

using namespace tilewright::cli;

// A full disk is found when the output is flushed.
int flushed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  complain("error: the output cannot be written");
  return kBadInput;
}

}  // namespace

// Only a defect or exhausted memory leads here.
int main(int argc, char** argv) {
  try {
    return flushed(run(argc, argv, tilewright::mappers()));
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
