// The manual page, made from the options of the parser.

#include <fmt/format.h>

#include "cli/command_tree.h"

namespace tilewright::cli {
namespace {

// Dashes are signs to be typed, not hyphens; a line may not begin like a
// request to the formatter.
std::string escaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_line = i == 0 || text[i - 1] == '\n';
    if (starts_line && (text[i] == '.' || text[i] == '\'')) result += "\\&";
    if (text[i] == '-') result += '\\';
    result += text[i] == '\\' ? std::string("\\e") : std::string(1, text[i]);
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// "-a, --arch ARCH", or "archs ..." where it needs no name.
std::string heading(const OptionEntry& option) {
  std::vector<std::string> names;
  if (!option.position.empty()) {
    names.push_back(italic(option.position) + (option.repeated ? " ..." : ""));
  }
  for (const std::string& name : option.names) {
    names.push_back(bold(name) + (option.value.empty() ? "" : " " + italic(option.value)));
  }
  return joined(names, ", ");
}

std::string description(const OptionEntry& option) {
  std::string text = escaped(option.help);
  const auto add = [&](const std::string& sentence) {
    text += (text.empty() ? "" : "; ") + sentence;
  };
  if (!option.choices.empty()) add("one of " + bold(joined(option.choices, ", ")));
  if (!option.limits.empty()) add(escaped(option.limits));
  if (!option.preset.empty()) add("default: " + bold(option.preset));
  if (option.required) add("required");
  return text;
}

// A blank line would end the paragraph that text of several lines stands in.
std::string as_lines(const std::string& text) { return ".nf\n" + escaped(text) + "\n.fi\n"; }

std::string synopsis(const CommandEntry& command) {
  std::string line = bold(command.name);
  if (!command.commands.empty()) line += " " + italic("COMMAND");
  line += " [" + italic("OPTION") + "]...";
  for (const OptionEntry& option : command.options) {
    if (option.position.empty()) continue;
    const std::string argument = italic(option.position) + (option.repeated ? "..." : "");
    line += option.required ? " " + argument : " [" + argument + "]";
  }
  return line + "\n";
}

std::string options_of(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& option : command.options) {
    text += ".TP\n" + heading(option) + "\n" + description(option) + "\n";
  }
  return text;
}

std::string section(const CommandEntry& command, const std::string& footer_so_far) {
  std::string text = fmt::format(".SS \"{}\"\n{}.PP\n{}.\n", escaped(command.name),
                                 synopsis(command), escaped(command.help));
  text += options_of(command);
  // Commands inherit the footer of those that they belong to.
  if (command.footer != footer_so_far) text += ".PP\n" + as_lines(command.footer);
  for (const CommandEntry& inner : command.commands) text += section(inner, command.footer);
  return text;
}

}  // namespace

std::string manual_page(const CommandEntry& tool) {
  std::string text = fmt::format(
      ".\\\" Made by `tilewright man`.\n"
      ".TH TILEWRIGHT 1 \"\" \"tilewright {}\" \"User Commands\"\n"
      ".SH NAME\ntilewright \\- {}\n.SH SYNOPSIS\n{}",
      TILEWRIGHT_VERSION, escaped("best mappings of tensor contractions on accelerators"),
      synopsis(tool));
  text += fmt::format(".SH DESCRIPTION\n{}\n{}", escaped(tool.help), options_of(tool));
  text += ".SH COMMANDS\n";
  for (const CommandEntry& command : tool.commands) text += section(command, tool.footer);
  text += ".SH EXIT STATUS AND AN EXAMPLE\n" + as_lines(tool.footer);
  text += ".SH SEE ALSO\nThe pages under docs/, from docs/tutorial.md on; " +
          bold("tilewright explain") + " describes the formats of files.\n";
  return text;
}

}  // namespace tilewright::cli
