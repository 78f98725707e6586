// Runs the tool as its users do.
#pragma once

#include <csignal>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilewright::cli::testing {

using Words = std::vector<std::string>;

// Words of a command line, and more behind them.
Words with(Words words, const Words& more);

struct Outcome {
  int exit_code = -1;  // 128 and the signal's number if one ended it
  std::string out, err;
};

// The arguments follow the tool's name. Runs in the root of the checkout, so
// that paths such as examples/toy_array/mapping.yaml work. Output goes to
// `out_path` instead, if that is given.
Outcome run_tool(const std::vector<std::string>& arguments, const std::string& out_path = "");

// What the tool prints with --json; it has to succeed.
nlohmann::json json_of(std::vector<std::string> words);

// What the tool finds around it.
struct Surroundings {
  std::string out_path = {};                  // where its output goes; empty: caught
  std::string input = {};                     // text on its standard input
  std::vector<std::string> environment = {};  // "NO_COLOR=1", beside the variables of the tests
  std::vector<std::string> before = {};       // words in front of the tool's path
};
Outcome run_tool_in(const Surroundings& surroundings, const std::vector<std::string>& arguments);

// The same with a terminal of so many columns for its output.
Outcome run_on_terminal(const std::vector<std::string>& arguments, int columns,
                        const std::vector<std::string>& environment = {});

// The same, and sends a signal (that of Ctrl-C) once the tool has started a
// second thread.
Outcome run_and_interrupt(const std::vector<std::string>& arguments, int signal = SIGINT);

// The same, with no more than so many bytes of memory.
Outcome run_with_memory(const std::vector<std::string>& arguments, std::size_t bytes);

std::string contents(const std::filesystem::path& path);

// A folder for files of one test, removed with it.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tilewright::cli::testing
