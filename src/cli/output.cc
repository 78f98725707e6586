#include "cli/output.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

namespace tilewright::cli {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) return true;
  complain(fmt::format("{}: the file cannot be written", path.string()));
  return false;
}

void complain(const std::string& line) { fmt::print(stderr, "{}\n", line); }

void complain(const std::vector<Diagnostic>& problems) {
  for (const Diagnostic& problem : problems) {
    const bool placed = !problem.where.file.empty();
    complain((placed ? "" : "error: ") + to_string(problem));
  }
}

}  // namespace tilewright::cli
