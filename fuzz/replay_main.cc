// Runs a fuzz target over the files of the folders named on the command line,
// for builds without libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

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

void replay(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  // A copy of exactly this size: a read past the end is then a sanitizer's
  // finding, not a harmless look at a terminating zero.
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
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
      replay(path);
    }
    count += files.size();
  }
  std::printf("replayed %zu files\n", count);
  return 0;
}
