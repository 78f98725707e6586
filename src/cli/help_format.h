// Help texts in lines that fit the terminal. Only for files that see the parsing library
// anyway.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/text.h"
#include "cli/terminal.h"

namespace tilewright::cli {

class WrappedHelp : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_display_name(true), command->get_description());
  }
  std::string make_description(const CLI::App* command) const override {
    return wrapped(CLI::Formatter::make_description(command), help_width(), 0);
  }
  std::string make_footer(const CLI::App* command) const override {
    return wrapped(CLI::Formatter::make_footer(command), help_width(), 0);
  }

 private:
  // A list of choices that is longer than a line has blanks to break it at.
  static std::string breakable(const std::string& name, int width) {
    std::string text;
    for (const std::string_view word : split(name, ' ')) {
      if (!text.empty()) text += ' ';
      const bool fits = word.size() <= static_cast<std::size_t>(width);
      for (const char letter : word) text += letter == ',' && !fits ? ", " : std::string(1, letter);
    }
    return text;
  }

  // A name on the left, what it means on the right or, after a long name, below.
  static std::string entry(const std::string& name, const std::string& meaning) {
    constexpr int kColumn = 30;
    constexpr int kIndent = 6;  // of names that need more than a line
    const int width = help_width();
    std::string text = "  " + wrapped(breakable(name, width - kIndent), width - kIndent, kIndent);
    if (meaning.empty()) return text + "\n";
    const bool fits = text.size() < kColumn;
    text += fits ? std::string(kColumn - text.size(), ' ') : "\n" + std::string(kColumn, ' ');
    return text + wrapped(meaning, width - kColumn, kColumn) + "\n";
  }
};

}  // namespace tilewright::cli
