// What --help says of every command, to be compared with what else is made from
// the same tables.
#pragma once

#include <string>
#include <vector>

namespace tilewright::cli::testing {

struct HelpPage {
  std::vector<std::string> command;  // such as "flex", "measure"; empty for the tool itself
  std::vector<std::string> options;  // with their dashes

  // "flex measure"
  std::string words() const;
};

// One page per command, commands of commands included.
const std::vector<HelpPage>& help_pages();

}  // namespace tilewright::cli::testing
