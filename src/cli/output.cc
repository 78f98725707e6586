#include "cli/output.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/terminal.h"

namespace tilewright::cli {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_report(const std::string& text) {
  print(output_has_colours() ? coloured_report(text) : text);
}

void print_result(const std::string& text, bool json) {
  if (json) {
    print(text);
  } else {
    print_report(text);
  }
}

void complain(const std::string& line) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", messages_have_colours() ? coloured_complaint(line) : line);
}

std::vector<std::string> complaints_about(const std::vector<Diagnostic>& problems) {
  std::vector<std::string> lines;
  for (const Diagnostic& problem : problems) {
    const bool placed = !problem.where.file.empty();
    lines.push_back((placed ? "" : "error: ") + to_string(problem));
  }
  return lines;
}

void complain(const std::vector<Diagnostic>& problems) {
  for (const std::string& line : complaints_about(problems)) complain(line);
}

}  // namespace tilewright::cli
