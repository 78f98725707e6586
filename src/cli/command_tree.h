// The commands and options of the tool as plain data. The manual page and the
// completion of shells are made from it, so they have what the parser has.
#pragma once

#include <string>
#include <vector>

namespace tilewright::cli {

struct OptionEntry {
  std::vector<std::string> names;  // with their dashes; none if it is an argument only
  std::string position;            // name as an argument; empty if it has to be named
  std::string help;
  std::string value;                 // what to give, such as FILE; empty if it is a flag
  std::string limits;                // such as "1 to 1024"; empty if there are none
  std::vector<std::string> choices;  // all values there are; none if they cannot be listed
  std::string preset;                // value if it is not given; empty if there is none
  bool required = false;
  bool repeated = false;
};

struct CommandEntry {
  std::string name;  // from the tool's name on, such as "tilewright flex measure"
  std::string help, footer;
  std::vector<OptionEntry> options;
  std::vector<CommandEntry> commands;
};

// The manual page, in the language of man(7).
std::string manual_page(const CommandEntry& tool);

// Scripts with which shells complete command lines.
std::vector<std::string> completed_shells();
std::string completion_script(const CommandEntry& tool, const std::string& shell);

}  // namespace tilewright::cli
