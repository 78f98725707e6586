#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <type_traits>

#include "context.h"
#include "tilewright/io.h"
#include "values.h"

namespace tilewright::io {

namespace {

template <typename T>
Checked<T> failure(const std::string& file, const std::string& message, const std::string& hint) {
  return {std::nullopt, {{{file}, message, hint}}};
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !error;
}

// "Eyeriss_v2" and "eyeriss-v2" name the same.
std::string simplified(const std::string& name) {
  std::string simple;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    simple += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return simple;
}

using Builtins = std::vector<BuiltinFile>;

const BuiltinFile* find_builtin(const Builtins& all, const std::string& name) {
  const BuiltinFile* similar = nullptr;
  for (const BuiltinFile& builtin : all) {
    if (builtin.name == name) return &builtin;
    if (!similar && simplified(builtin.name) == simplified(name)) similar = &builtin;
  }
  return similar;
}

// What a reader makes of a file; `more` is what else it has to know.
template <typename T, typename... More>
Checked<T> read_with(Checked<T> (*read)(std::string_view, const std::string&, const More&...),
                     const std::string& path, const More&... more) {
  constexpr bool kIsNetwork = std::is_same_v<T, Network>;
  Checked<std::string> text = read_file(path, kIsNetwork ? kMaxNetworkBytes : kMaxTextBytes);
  if (!text.value) return {std::nullopt, std::move(text.problems)};
  return read(*text.value, path, more...);
}

// What the user named: one of the built-in files or another file.
template <typename T, typename... More>
Checked<T> load(const std::string& name_or_path, const char* what, const Builtins& all,
                Checked<T> (*read)(std::string_view, const std::string&, const More&...),
                const More&... more) {
  if (const BuiltinFile* builtin = find_builtin(all, name_or_path)) {
    return read(builtin->text, builtin->name + " (built in)", more...);
  }
  if (!is_file(name_or_path)) {
    return failure<T>(name_or_path, fmt::format("neither a built-in {} nor a file", what),
                      suggestion_and_list(name_or_path, names_of(all), "built in are"));
  }
  return read_with(read, name_or_path, more...);
}

}  // namespace

Checked<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  std::error_code error;
  if (!is_file(path)) return failure<std::string>(path, "no such file", "");
  if (std::filesystem::is_directory(path, error)) {
    return failure<std::string>(path, "this is a folder, not a file", "");
  }
  const auto too_large = [&] {
    return failure<std::string>(
        path, fmt::format("the file is larger than the limit of {} MiB", max_bytes >> 20U), "");
  };
  // Pipes and devices do not tell their size.
  if (std::filesystem::is_regular_file(path, error)) {
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error && size > max_bytes) return too_large();
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return failure<std::string>(path, "the file cannot be opened", "");
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  while (stream && text.size() <= max_bytes) {
    stream.read(chunk.data(), chunk.size());
    const std::size_t before = text.size();
    text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    // What is no text at all need not be read to its end.
    if (const std::size_t zero = text.find('\0', before); zero != std::string::npos) {
      return {std::nullopt,
              {{position_of(text, zero, path), "byte 0x00: this is no text file", ""}}};
    }
  }
  if (stream.bad()) return failure<std::string>(path, "the file cannot be read", "");
  if (text.size() > max_bytes) return too_large();
  return {std::move(text), {}};
}

Checked<Architecture> load_architecture(const std::string& name_or_path,
                                        const std::vector<std::string>& changes) {
  return load(name_or_path, "architecture", builtin_architectures(), read_architecture, changes);
}

Checked<Network> load_network(const std::string& name_or_path,
                              const std::vector<std::string>& sizes) {
  if (name_or_path.ends_with(".onnx")) {
    return failure<Network>(
        name_or_path, "networks of ONNX have to be imported",
        fmt::format("`tilewright import onnx {} -o FOLDER` writes the network", name_or_path));
  }
  return load(name_or_path, "network", builtin_networks(), read_network, sizes);
}

Checked<Cascade> load_cascade(const std::string& name_or_path,
                              const std::vector<std::string>& sizes) {
  return load(name_or_path, "cascade", builtin_cascades(), read_cascade, sizes);
}

Checked<Workload> load_workload(const std::string& text_or_path) {
  if (!is_file(text_or_path)) {
    if (text_or_path.find_first_of("[:") != std::string::npos) {
      return read_workload_line(text_or_path, "workload");
    }
    return failure<Workload>(text_or_path, "no such file",
                             "name a file, or write a workload such as \"gemm: m=64 n=64 k=64\"");
  }
  return read_with(read_workload, text_or_path);
}

Checked<Mapping> load_mapping(const std::string& path, const Problem& problem) {
  return read_with(read_mapping, path, problem);
}

Checked<std::vector<Constraint>> load_constraints(const std::string& path,
                                                  const Architecture& arch) {
  return read_with(read_constraints, path, arch);
}

}  // namespace tilewright::io
