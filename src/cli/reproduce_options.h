// The options of `tilewright reproduce`, for the program that does it. The tool has them for
// its manual page and for completion, and hands them on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::cli {

struct ReproduceOptions {
  std::string paper;
  std::vector<std::string> items;  // none: all
  std::string out = "reproduced";  // folder of the CSV files
  int threads = 0;
  std::int64_t seed = 1;
  bool quiet = false;
};

// Reads the arguments. Where there is nothing to do then, the exit code: after a complaint, or
// after the help, which ends with the text given here.
std::optional<int> read_reproduce_options(int argc, char** argv, const std::string& footer,
                                          ReproduceOptions& options);

}  // namespace tilewright::cli
