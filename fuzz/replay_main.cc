// Runs the fuzz target whose name comes first on the command line over the files of the folders
// named behind it, for builds without libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "support/file_text.h"

// The build writes a line DECLARED_TARGET(name) for each target.
#define DECLARED_TARGET(name) int fuzz_##name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef DECLARED_TARGET

namespace {

namespace fs = std::filesystem;

struct Target {
  std::string_view name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

#define DECLARED_TARGET(name) {#name, fuzz_##name},
constexpr Target kTargets[] = {
#include "fuzz_targets.inc"
};
#undef DECLARED_TARGET

// In order of their paths, so that every run is the same.
std::vector<fs::path> files_of(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> files;
  fs::recursive_directory_iterator entries(folder, error);
  if (error) return files;
  for (const fs::directory_entry& entry : entries) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const Target& target, const fs::path& path) {
  const std::string text = tilewright::file_text(path);
  // A copy of exactly this size: a read past the end is then a sanitizer's
  // finding, not a harmless look at a terminating zero.
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  target.run(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const auto* const target = std::find_if(std::begin(kTargets), std::end(kTargets),
                                          [&](const Target& one) { return one.name == name; });
  if (target == std::end(kTargets)) {
    std::fprintf(stderr, "usage: replay TARGET FOLDER...\n");
    return 1;
  }
  std::size_t count = 0;
  for (int i = 2; i < argc; ++i) {
    std::error_code error;
    const std::vector<fs::path> files = files_of(argv[i], error);
    if (error || files.empty()) {
      std::fprintf(stderr, "%s: %s\n", argv[i],
                   error ? error.message().c_str() : "no files to replay");
      return 1;
    }
    for (const fs::path& path : files) {
      // Named before it runs: if it crashes, this line says which file did.
      std::printf("%s\n", path.c_str());
      std::fflush(stdout);
      replay(*target, path);
    }
    count += files.size();
  }
  std::printf("replayed %zu files\n", count);
  return 0;
}
