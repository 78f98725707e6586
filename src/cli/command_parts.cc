#include "cli/command_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/search_objective.h"
#include "cli/help_texts.h"

namespace tilewright::cli {
namespace {

const CLI::Validator kObjective(
    [](const std::string& text) {
      return objective_named(text) ? std::string() : reason_against_objective(text, false);
    },
    fmt::format("{{{}}}", fmt::join(objective_names(), ",")));
const CLI::Validator kSearchObjective(
    [](const std::string& text) {
      return search_objective_named(text) ? std::string() : reason_against_objective(text, true);
    },
    fmt::format("{{{},power}}", fmt::join(objective_names(), ",")));

}  // namespace

CLI::Option* add_output(CLI::App& command, OutputOptions& output) {
  command.add_flag_callback("--wide", [&output] { output.width = 0; }, kWideHelp);
  return command.add_flag("--json", output.json, kJsonHelp);
}

void add_csv(CLI::App& command, const char* what, OutputOptions& output) {
  command.add_option(
      "--csv", output.csv,
      fmt::format("write {} to this file, or - to print it in place of the table", what));
}

void add_explain(CLI::App& command, CLI::Option* json, OutputOptions& output) {
  command.add_flag("--explain", output.explain, "say in words where energy and time go")
      ->excludes(json);
}

void add_choice(CLI::App& command, const char* name, std::string& choice, const std::string& help,
                const std::vector<std::string>& choices) {
  command.add_option(name, choice, help)->check(CLI::IsMember(choices))->capture_default_str();
}

void add_space_kind(CLI::App& command, std::string& mapspace) {
  add_choice(command, "--mapspace", mapspace,
             "pfm: perfect factors; ruby-s, ruby-t, ruby: remainders in space, in time, everywhere "
             "(docs/mapspaces.md)",
             {"pfm", "ruby-s", "ruby-t", "ruby"});
}

void add_set(CLI::App& command, std::vector<std::string>& set) {
  command.add_option("--set", set, kSetHelp)->allow_extra_args(false);
}

CLI::Option* add_sizes(CLI::App& command, std::vector<std::string>& sizes) {
  return command.add_option("--size", sizes, kSizeHelp)->allow_extra_args(false);
}

void add_work(CLI::App& command, InputOptions& input, bool whole_networks) {
  command.add_option("--arch,-a", input.arch, kArchHelp)->required();
  CLI::Option* workload = command.add_option("--workload,-w", input.workload, kWorkloadHelp);
  CLI::Option* model =
      command.add_option("--model", input.model,
                         "a built-in network (see `tilewright models`), or a .yaml or .csv file");
  CLI::Option* layer = command.add_option("--layer,-l", input.layer, kLayerHelp);
  workload->excludes(model);
  layer->needs(model);
  if (!whole_networks) model->needs(layer);
  command
      .add_option("--accounting", input.accounting,
                  "exact: distinct elements; timeloop: bounding boxes, as Timeloop counts "
                  "(default: what the architecture says)")
      ->check(CLI::IsMember({"exact", "timeloop"}));
  add_set(command, input.set);
  add_sizes(command, input.sizes)->needs(model);
  command.add_option("--bits", input.bits, kBitsHelp);
  command.add_option("--rename", input.rename, kRenameHelp);
}

void add_inputs(CLI::App& command, InputOptions& input, bool whole_networks) {
  add_work(command, input, whole_networks);
  command.add_option("--constraints", input.constraint_files,
                     "a file of constraints (see `tilewright explain constraints`)");
  command.add_option("--constrain,-c", input.constraint_lines,
                     "a constraint such as \"Rows.y: S = all, M <= 4\"");
  command.add_flag("--full", input.full,
                   "only mappings that use every instance of every fan-out (\"use >= 1\")");
}

void add_objective(CLI::App& command, std::string& objective, const std::string& help,
                   const std::string& name) {
  command.add_option(name, objective, help)->check(kObjective)->capture_default_str();
}

void add_search_objective(CLI::App& command, std::string& objective, const std::string& help) {
  command.add_option("--objective,-o", objective, help)
      ->check(kSearchObjective)
      ->capture_default_str();
}

}  // namespace tilewright::cli
