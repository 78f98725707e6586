#include "cli/output.h"

#include <fmt/format.h>

#include <cstdio>

namespace tilewright::cli {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void complain(const std::string& line) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", line);
}

void complain(const std::vector<Diagnostic>& problems) {
  for (const Diagnostic& problem : problems) {
    const bool placed = !problem.where.file.empty();
    complain((placed ? "" : "error: ") + to_string(problem));
  }
}

}  // namespace tilewright::cli
