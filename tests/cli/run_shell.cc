#include "cli/run_shell.h"

#include <sys/wait.h>

#include <cstdlib>

#include "support/checkout.h"

namespace tilewright::cli::testing {

Outcome run_shell(const std::string& script, const std::string& folder) {
  const Scratch scratch;
  const std::string tools = std::filesystem::path(tool_path()).parent_path().string();
  const std::string file = scratch.write(
      "script", "PATH='" + tools + "':$PATH\ncd '" + folder + "' || exit 99\n" + script + "\n");
  const std::string out = scratch.path("out");
  const int status =
      std::system(("bash '" + file + "' </dev/null >'" + out + "' 2>&1").c_str());  // NOLINT
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = contents(out);
  return outcome;
}

}  // namespace tilewright::cli::testing
