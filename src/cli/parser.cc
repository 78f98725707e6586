#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

#include "base/text.h"
#include "cli/output.h"
#include "cli/process.h"

namespace tilewright::cli {
namespace {

// --- the commands as data ----------------------------------------------------

// What the value of an option or an argument is called in help, manual and
// completion, where its type alone ("TEXT") says too little; otherwise empty.
std::string value_name(const std::string& option) {
  static const std::map<std::string, std::string> names = {
      {"--arch", "ARCH"},         {"architecture", "ARCH"},  {"archs", "ARCH"},
      {"--baseline", "AXES"},     {"--certificate", "FILE"}, {"--constrain", "RULE"},
      {"--constraints", "FILE"},  {"--csv", "FILE"},         {"--flex", "AXES"},
      {"--layer", "LAYER"},       {"--mapping", "FILE"},     {"--memory", "SIZE"},
      {"--model", "NETWORK"},     {"models", "NETWORK"},     {"network", "NETWORK"},
      {"--out", "PATH"},          {"--set", "PATH=VALUE"},   {"--size", "NAME=NUMBER"},
      {"--bits", "WIDTHS"},       {"--time", "TIME"},        {"--venn", "FILE"},
      {"--workload", "WORKLOAD"}, {"workload", "WORKLOAD"},  {"file", "FILE"},
      {"files", "FILE"},          {"items", "ITEM"}};
  const auto found = names.find(option);
  return found == names.end() ? "" : found->second;
}

// Sets value, limits and choices from the parser's text, such as
// "TEXT:{exact,timeloop}" or "INT:INT in [1 - 1024]".
void read_type(const std::string& type, OptionEntry& option) {
  const std::size_t colon = type.find(':');
  option.value = type.substr(0, colon);
  if (colon == std::string::npos) return;
  const std::string checked = type.substr(colon + 1);
  if (checked.starts_with('{') && checked.ends_with('}')) {
    const std::string inside = checked.substr(1, checked.size() - 2);
    for (const std::string_view choice : split(inside, ',')) option.choices.emplace_back(choice);
    return;
  }
  const std::size_t open = checked.find('['), dash = checked.find(" - ");
  if (open == std::string::npos || dash == std::string::npos) return;
  option.limits = checked.substr(open + 1, dash - open - 1) + " to " +
                  checked.substr(dash + 3, checked.size() - dash - 4);
}

OptionEntry described_option(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  entry.position = option.get_name(/*positional=*/true);
  entry.help = option.get_description();
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), entry);
  entry.preset = option.get_default_str();
  entry.required = option.get_required();
  entry.repeated = option.get_items_expected_max() > 1;
  return entry;
}

CommandEntry described_as(const CLI::App& command, const std::string& path) {
  CommandEntry entry{path, command.get_description(), command.get_footer(), {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    entry.options.push_back(described_option(*option));
  }
  for (const CLI::App* inner : command.get_subcommands({})) {
    entry.commands.push_back(described_as(*inner, path + " " + inner->get_name()));
  }
  return entry;
}

// --- what was not understood -------------------------------------------------

// The command that was given, as far as it is known: "tilewright arch".
const CLI::App* innermost_command(const CLI::App& app, std::string& path) {
  path = app.get_name();
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  return command;
}

// What may stand where an argument was not understood.
std::vector<std::string> candidates(const CLI::App& command, bool option) {
  std::vector<std::string> names;
  if (option) {
    for (const CLI::Option* known : command.get_options()) {
      for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* known : command.get_subcommands({})) names.push_back(known->get_name());
  }
  return names;
}

// The parsing library complains first about what is missing. That misleads
// where something is there, but misspelt.
std::string about_unknown(const CLI::App& app, const std::string& argument) {
  std::string path;
  const CLI::App* command = innermost_command(app, path);
  const bool option = argument.starts_with('-');
  const std::vector<std::string> known = candidates(*command, option);
  const char* what = option          ? "unknown option"
                     : known.empty() ? "unexpected argument"
                                     : "unknown command";
  const auto match = closest_match(argument, known);
  return fmt::format("{}: {} {}{}", path, what, argument,
                     match ? fmt::format("; did you mean {}?", *match) : "");
}

}  // namespace

void name_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::string name = value_name(option->get_name());
    if (!name.empty()) option->type_name(name);
  }
  for (CLI::App* inner : command.get_subcommands({})) name_values(*inner);
}

CommandEntry described(const CLI::App& app) { return described_as(app, app.get_name()); }

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  const bool replaced = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ||
                        dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (replaced && !unknown.empty()) {
    complain(about_unknown(app, unknown.front()));
    complain("Run with --help for more information.");
    return kBadInput;
  }
  // Help and version are no errors; everything else is bad input.
  std::ostringstream out, err;
  const int code = app.exit(error, out, err);
  print(out.str());
  std::string message = err.str();
  while (message.ends_with('\n')) message.pop_back();
  if (!message.empty()) complain(message);
  return code == 0 ? kGood : kBadInput;
}

}  // namespace tilewright::cli
