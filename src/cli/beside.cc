// Programs of their own beside the tool, which few need and which take long to build.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/commands.h"
#include "cli/output.h"

namespace tilewright::cli {

int run_beside(const char* part, const char* use, char** arguments) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / fmt::format("tilewright-{}", part)).string();
  execv(program.c_str(), arguments);
  if (errno == ENOENT) {
    complain(
        fmt::format("error: {} is not there; in a checkout `./tilewright {}` builds it, and "
                    "`cmake --build build/release --target tilewright_{}` does so before "
                    "`cmake --install`",
                    program, use, part));
  } else {
    complain(fmt::format("error: {}: {}", program, std::strerror(errno)));
  }
  return kBadInput;
}

}  // namespace tilewright::cli
