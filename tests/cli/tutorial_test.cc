// docs/tutorial.md works as written: its files and its commands, in a folder of
// their own, give the exit codes and the lines of output that the page shows.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "cli/run_shell.h"
#include "support/checkout.h"
#include "support/slow_build.h"

namespace tilewright::cli {
namespace {

using testing::contents;
using testing::Outcome;
using testing::run_shell;
using testing::Scratch;

struct Block {
  int line = 0;          // of the page, where it starts
  std::string language;  // yaml, csv or console
  std::string before;    // the last line of text before it
  std::vector<std::string> lines;
};

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  std::istringstream lines(page);
  std::string before;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({number, line.substr(3), before, {}});
    } else if (inside) {
      blocks.back().lines.push_back(line);
    } else if (!line.empty()) {
      before = line;
    }
  }
  return blocks;
}

// A file's name stands at the end of the text before it: "Save this as `chip.yaml`:"
void write_file(const Block& block, const Scratch& scratch) {
  static const std::regex named(".*`([a-z0-9_]+\\.(yaml|csv))`:");
  std::smatch match;
  ASSERT_TRUE(std::regex_match(block.before, match, named))
      << "tutorial.md:" << block.line << ": no name for the file in \"" << block.before << "\"";
  std::string text;
  for (const std::string& line : block.lines) text += line + "\n";
  scratch.write(match[1], text);
}

// A command and the lines that the page shows below it.
struct Step {
  int line = 0;
  std::string command;
  std::vector<std::string> quoted;
};

std::vector<Step> steps_of(const Block& block) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string& line = block.lines[i];
    const int number = block.line + 1 + static_cast<int>(i);
    if (line.starts_with("$ ")) {
      steps.push_back({number, line.substr(2), {}});
    } else if (steps.empty()) {
      ADD_FAILURE() << "tutorial.md:" << number << ": output without a command";
    } else {
      steps.back().quoted.push_back(line);
    }
  }
  return steps;
}

// Quoted lines stand in the output in their order, next to each other unless
// "..." is between them; a line that ends in "..." goes on.
void expect_quoted(const Step& step, const std::string& output) {
  std::vector<std::string> printed;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) printed.push_back(line);
  std::size_t at = 0;
  bool left_out = false;
  for (std::string line : step.quoted) {
    if (line == "...") {
      left_out = true;
      continue;
    }
    const bool goes_on = line.ends_with("...");
    if (goes_on) line.erase(line.find_last_not_of('.') + 1);
    const auto fits = [&](const std::string& one) {
      return goes_on ? one.starts_with(line) : one == line;
    };
    while (left_out && at < printed.size() && !fits(printed[at])) ++at;
    ASSERT_TRUE(at < printed.size() && fits(printed[at]))
        << "tutorial.md:" << step.line << ": not in the output, or not there: \"" << line << "\"\n"
        << output;
    ++at;
    left_out = false;
  }
  EXPECT_TRUE(left_out || step.quoted.empty() || at == printed.size() ||
              step.quoted.back() == "...")
      << "tutorial.md:" << step.line << ": the output goes on; write \"...\"\n"
      << output;
}

// `$ echo $?` after a command shows its exit code; otherwise it is 0.
void run_block(const Block& block, const std::string& folder) {
  const std::vector<Step> steps = steps_of(block);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].command == "echo $?") continue;
    const Outcome outcome = run_shell("set -o pipefail\n" + steps[i].command, folder);
    const bool code_shown = i + 1 < steps.size() && steps[i + 1].command == "echo $?";
    EXPECT_EQ(std::to_string(outcome.exit_code), code_shown ? steps[i + 1].quoted.at(0) : "0")
        << "tutorial.md:" << steps[i].line << ": " << steps[i].command << "\n"
        << outcome.out;
    expect_quoted(steps[i], outcome.out);
  }
}

TEST(Tutorial, WorksAsWritten) {
  if (tilewright::testing::slow_build()) GTEST_SKIP() << "every command has tests of its own";
  const Scratch scratch;
  int commands = 0;
  for (const Block& block : blocks_of(contents(checkout_folder() + "/docs/tutorial.md"))) {
    if (block.language == "console") {
      commands += static_cast<int>(block.lines.size());
      run_block(block, scratch.path("."));
    } else {
      write_file(block, scratch);
    }
  }
  EXPECT_GT(commands, 30);
}

}  // namespace
}  // namespace tilewright::cli
