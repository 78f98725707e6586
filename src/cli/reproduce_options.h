// The options of `tilewright reproduce`, for the program that does it and for the manual
// page and the completion of the tool, which hands them on. Only for files that see the
// parsing library anyway.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
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

inline constexpr const char* kReproduceHelp = "Compute the tables and figures of a paper again";

// Options that other commands have as well.
inline void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "default: as many as the machine has")
      ->check(CLI::Range(1, 1024));
}
inline void add_seed(CLI::App& command, std::int64_t& seed, const char* help) {
  // Texts such as "-1" would otherwise be taken for large numbers.
  command.add_option("--seed", seed, help)
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 60))
      ->capture_default_str();
}
inline void add_quiet(CLI::App& command, bool& quiet) {
  command.add_flag("--quiet,-q", quiet, "no progress line");
}

inline void add_reproduce_options(CLI::App& command, ReproduceOptions& options) {
  command.add_option("paper", options.paper)
      ->required()
      ->check(CLI::IsMember({"ruby", "goma", "quickflow", "flexibility", "silicon"}));
  command.add_option("items", options.items, "of the paper, see below (default: all)");
  command.add_option("--out", options.out, "folder for the CSV files")->capture_default_str();
  add_threads(command, options.threads);
  add_seed(command, options.seed, "of random searches");
  add_quiet(command, options.quiet);
}

}  // namespace tilewright::cli
