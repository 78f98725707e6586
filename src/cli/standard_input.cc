#include "cli/standard_input.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <type_traits>

namespace tilewright::cli {
namespace {

constexpr const char* kName = "standard input";

bool is_standard_input(const std::string& path) { return path == "-"; }

// The text of standard input, given to a reader.
template <typename T, typename... More>
Checked<T> read_input(Checked<T> (*read)(std::string_view, const std::string&, const More&...),
                      const More&... more) {
  constexpr bool kIsNetwork = std::is_same_v<T, Network>;
  const Checked<std::string> text =
      read_text("-", kIsNetwork ? io::kMaxNetworkBytes : io::kMaxTextBytes);
  if (!text.ok()) return {std::nullopt, text.problems};
  return read(*text.value, kName, more...);
}

}  // namespace

std::vector<Diagnostic> standard_input_twice(const std::vector<NamedFile>& files) {
  std::vector<std::string> options;
  for (const NamedFile& named : files) {
    if (is_standard_input(named.file)) options.push_back(named.option);
  }
  if (options.size() < 2) return {};
  return {{{},
           fmt::format("{} are both read from standard input (\"-\")",
                       fmt::join(options.begin(), options.begin() + 2, " and ")),
           "leave one of them as \"-\" and name files for the others"}};
}

Checked<std::string> read_text(const std::string& path, std::size_t max_bytes) {
  if (!is_standard_input(path)) return io::read_file(path, max_bytes);
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  std::size_t read = 0;
  while (text.size() <= max_bytes &&
         (read = std::fread(chunk.data(), 1, chunk.size(), stdin)) > 0) {
    text.append(chunk.data(), read);
  }
  if (std::ferror(stdin) != 0) return {std::nullopt, {{{kName}, "it cannot be read", ""}}};
  if (text.size() > max_bytes) {
    return {
        std::nullopt,
        {{{kName}, fmt::format("it is longer than the limit of {} MiB", max_bytes >> 20U), ""}}};
  }
  return {std::move(text), {}};
}

Checked<Architecture> load_architecture(const std::string& name_or_path,
                                        const std::vector<std::string>& changes) {
  return is_standard_input(name_or_path) ? read_input(io::read_architecture, changes)
                                         : io::load_architecture(name_or_path, changes);
}

Checked<Network> load_network(const std::string& name_or_path,
                              const std::vector<std::string>& sizes) {
  return is_standard_input(name_or_path) ? read_input(io::read_network, sizes)
                                         : io::load_network(name_or_path, sizes);
}

Checked<Cascade> load_cascade(const std::string& name_or_path,
                              const std::vector<std::string>& sizes) {
  return is_standard_input(name_or_path) ? read_input(io::read_cascade, sizes)
                                         : io::load_cascade(name_or_path, sizes);
}

Checked<Workload> load_workload(const std::string& text_or_path) {
  return is_standard_input(text_or_path) ? read_input(io::read_workload)
                                         : io::load_workload(text_or_path);
}

Checked<std::vector<Constraint>> load_constraints(const std::string& path,
                                                  const Architecture& arch) {
  const Checked<std::string> text = read_text(path);
  if (!text.ok()) return {std::nullopt, text.problems};
  return io::read_constraints(*text.value, name_of_input(path), arch);
}

std::string name_of_input(const std::string& path) {
  return is_standard_input(path) ? kName : path;
}

}  // namespace tilewright::cli
