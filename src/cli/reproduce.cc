// `tilewright reproduce` is a program of its own, tilewright-reproduce, which few need
// and which takes long to build.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "cli/commands.h"
#include "cli/output.h"

namespace tilewright::cli {

int run_reproduce(char** arguments) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "tilewright-reproduce").string();
  execv(program.c_str(), arguments);
  if (errno == ENOENT) {
    complain(
        fmt::format("error: {} is not there; in a checkout `./tilewright reproduce` builds it, and "
                    "`cmake --build build/release --target tilewright_reproduce` does so before "
                    "`cmake --install`",
                    program));
  } else {
    complain(fmt::format("error: {}: {}", program, std::strerror(errno)));
  }
  return kBadInput;
}

}  // namespace tilewright::cli
