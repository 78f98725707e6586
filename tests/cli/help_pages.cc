#include "cli/help_pages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "cli/run_tool.h"
#include "support/checkout.h"

namespace tilewright::cli::testing {
namespace {

// A program of its own, which the sanitized build leaves out.
bool reproduce_is_built() { return std::filesystem::exists(tool_path() + "-reproduce"); }

// Reads one page and those of the commands that it lists.
void read_page(const std::vector<std::string>& command, std::vector<HelpPage>& pages) {
  std::vector<std::string> words = command;
  words.push_back("--help");
  const Outcome outcome = run_tool(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  HelpPage page{command, {}};
  std::vector<std::string> inner;
  static const std::regex option("(?:^  |,)(--?[A-Za-z][A-Za-z-]*)");
  static const std::regex listed("^  ([a-z]+) .*");
  std::istringstream lines(outcome.out);
  bool lists_commands = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) lists_commands = line == "Subcommands:";
    std::smatch match;
    if (lists_commands && std::regex_match(line, match, listed)) inner.push_back(match[1]);
    if (!line.starts_with("  -")) continue;
    const std::string names = line.substr(0, line.find(' ', 2));
    for (std::sregex_iterator at(names.begin(), names.end(), option), end; at != end; ++at) {
      page.options.push_back((*at)[1]);
    }
  }
  pages.push_back(page);
  for (const std::string& name : inner) {
    if (name == "reproduce" && !reproduce_is_built()) continue;
    words = command;
    words.push_back(name);
    read_page(words, pages);
  }
}

}  // namespace

std::string HelpPage::words() const {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
  return text;
}

const std::vector<HelpPage>& help_pages() {
  static const std::vector<HelpPage> pages = [] {
    std::vector<HelpPage> read;
    read_page({}, read);
    return read;
  }();
  return pages;
}

}  // namespace tilewright::cli::testing
