#include "foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "values.h"

namespace tilewright::io {

namespace {

// Sections that none of our own files has.
constexpr std::array<std::string_view, 12> kSections = {"problem",
                                                        "mapspace",
                                                        "mapspace_constraints",
                                                        "architecture_constraints",
                                                        "arch_constraints",
                                                        "ERT",
                                                        "ART",
                                                        "mapper",
                                                        "compound_components",
                                                        "sparse_optimizations",
                                                        "problem_base",
                                                        "dumped_by_timeloop_front_end"};
// Our own files have a name behind these keys.
constexpr std::array<std::string_view, 3> kNameless = {"architecture", "arch", "mapping"};
// One of them is inside such a section.
constexpr std::array<std::string_view, 5> kInside = {"subtree", "nodes", "storage", "target",
                                                     "arithmetic"};

template <typename Words>
bool is_listed(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string with_underscores(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool has_inside(std::string_view text) {
  return std::any_of(kInside.begin(), kInside.end(), [&](std::string_view key) {
    return text.find(key) != std::string_view::npos;
  });
}

// Whether a line starts a section of Timeloop; `text` is the whole file.
bool is_section(std::string_view line, std::string_view text) {
  if (line.starts_with("{{include") || line.starts_with("{{add_to_path")) return true;
  const std::size_t end = line.find_first_of(":= \t");
  if (end == 0 || end == std::string_view::npos) return false;
  const std::string key = with_underscores(line.substr(0, end));
  std::string_view rest = trimmed(line.substr(end));
  if (rest.empty() || (rest.front() != ':' && rest.front() != '=')) return false;
  if (is_listed(key, kSections)) return true;
  rest = trimmed(rest.substr(1));
  const bool nameless = rest.empty() || rest.find_first_of("#{[(") == 0;
  return nameless && is_listed(key, kNameless) && has_inside(text);
}

}  // namespace

std::optional<Diagnostic> foreign_file(std::string_view text, const std::string& file) {
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view section = text.substr(at, end - at);
    if (section.ends_with('\r')) section.remove_suffix(1);
    if (is_section(section, text)) {
      return Diagnostic{{file, line, 1},
                        "this is a file of Timeloop",
                        fmt::format("import it with: tilewright import timeloop {} -o imported "
                                    "(docs/import.md)",
                                    file)};
    }
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace tilewright::io
