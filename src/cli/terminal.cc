#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace tilewright::cli {
namespace {

constexpr int kUsualWidth = 100;
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kPlain = "\x1b[0m";

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? std::string_view() : value;
}

// What COLUMNS says, if it is a number above 0.
std::optional<int> asked_width() {
  const auto width = number_in<int>(variable("COLUMNS"));
  return width && *width >= 1 ? width : std::nullopt;
}

// Nothing if it is no terminal.
std::optional<int> terminal_width(int descriptor) {
  if (isatty(descriptor) == 0) return std::nullopt;
  winsize size{};
  const bool told = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return told ? size.ws_col : kUsualWidth;
}

bool has_colours(int descriptor) {
  return isatty(descriptor) != 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

bool is_rule(std::string_view line) {
  return line.find('-') != std::string_view::npos &&
         line.find_first_not_of("- ") == std::string_view::npos;
}

bool is_heading(std::string_view line, std::string_view next) {
  if (line.empty() || is_rule(line)) return false;
  return is_rule(next) || (line.front() != ' ' && next.starts_with("  "));
}

// "proven" as a cell of a table or at the start of a remark; not in "not proven".
std::string with_proven(std::string_view line) {
  constexpr std::string_view kWord = "proven";
  std::string text;
  while (true) {
    const std::size_t at = line.find(kWord);
    if (at == std::string_view::npos) return text + std::string(line);
    const std::string_view before = line.substr(0, at);
    text += before;
    const bool claim = before.empty() || before.ends_with("  ") || before.ends_with(", ");
    text += claim ? std::string(kGreen) + std::string(kWord) + kPlain : std::string(kWord);
    line.remove_prefix(at + kWord.size());
  }
}

}  // namespace

int table_width() {
  const auto asked = asked_width();
  return asked ? *asked : terminal_width(STDOUT_FILENO).value_or(0);
}

int help_width() {
  const int width = table_width();
  return width > 0 ? width : kUsualWidth;
}

int message_width() { return terminal_width(STDERR_FILENO).value_or(kUsualWidth); }

bool output_has_colours() { return has_colours(STDOUT_FILENO); }
bool messages_have_colours() { return has_colours(STDERR_FILENO); }

std::string coloured_report(const std::string& text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  std::string coloured;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view next = i + 1 < lines.size() ? lines[i + 1] : std::string_view();
    if (i > 0) coloured += '\n';
    coloured +=
        is_heading(lines[i], next) ? kBold + std::string(lines[i]) + kPlain : with_proven(lines[i]);
  }
  return coloured;
}

std::string coloured_complaint(const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return kRed + text.substr(0, end) + kPlain + text.substr(end);
}

std::string wrapped(const std::string& text, int width, int indent) {
  const auto room = static_cast<std::size_t>(std::max(width, 20));
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    if (line.data() != text.data())
      result += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
    // What is indented in the text stays so, also where it is broken.
    const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
    const std::string between = '\n' + std::string(static_cast<std::size_t>(indent) + own, ' ');
    const auto lines = wrapped_lines(line.substr(own), room - std::min(own, room));
    result += std::string(own, ' ') + fmt::format("{}", fmt::join(lines, between));
  }
  return result;
}

}  // namespace tilewright::cli
