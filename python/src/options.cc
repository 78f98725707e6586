#include "options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/search_objective.h"
#include "base/text.h"
#include "cli/process.h"
#include "tilewright/map.h"

namespace tilewright::python {
namespace {

using Problems = std::vector<Diagnostic>;

std::string text_of(const Texts& texts, const std::string& name, const std::string& otherwise) {
  const auto found = texts.find(name);
  return found == texts.end() ? otherwise : found->second;
}

// In Python the words of a name are joined by underscores.
const MapperOption* option_of_mappers(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  for (const Mapper* mapper : mappers()) {
    if (const MapperOption* option = mapper->find(name)) return option;
  }
  return nullptr;
}

// What the parser of the command line checks.
void check_mapper_option(const MapperOption& option, const std::string& text, Problems& problems) {
  const std::string name = fmt::format("--{}", option.name);
  if (option.kind == MapperOption::Kind::Count) {
    whole_number(name, text, option.least, option.most, problems);
  }
  if (option.kind != MapperOption::Kind::Positive) return;
  const auto number = number_in<double>(text);
  if (!number || !(*number > 0)) {
    problems.push_back({{name}, fmt::format("{} is no number above 0", text), ""});
  }
}

}  // namespace

void check_choice(const std::string& option, const std::string& text,
                  const std::vector<std::string>& choices, Problems& problems) {
  if (contains(choices, text)) return;
  problems.push_back(
      {{option}, fmt::format("{} not in {{{}}}", text, fmt::join(choices, ",")), ""});
}

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t least,
                          std::int64_t most, Problems& problems) {
  const auto number = number_in<std::int64_t>(text);
  if (number && *number >= least && *number <= most) return *number;
  problems.push_back(
      {{option}, fmt::format("Value {} not in range [{} - {}]", text, least, most), ""});
  return least;
}

int checker_threads(const Texts& texts) {
  std::vector<Diagnostic> problems;
  std::int64_t threads = 0;
  if (texts.count("threads") > 0) {
    threads = whole_number("--threads", texts.at("threads"), 1, 1024, problems);
  }
  refuse_if_any(std::move(problems));
  return cli::thread_count(static_cast<int>(threads));
}

void check_objective(const std::string& text, Problems& problems, bool search) {
  if (search ? search_objective_named(text) : objective_named(text)) return;
  problems.push_back({{"--objective"}, reason_against_objective(text, search), ""});
}

cli::Inputs inputs_of(const Asked& asked) {
  Problems problems;
  cli::InputOptions options;
  options.accounting = text_of(asked.texts, "accounting", "");
  options.flex = text_of(asked.texts, "flex", "");
  options.layer = text_of(asked.texts, "layer", "");
  options.rename = text_of(asked.texts, "rename", "");
  options.constraint_lines = asked.constrain;
  options.full = asked.texts.count("full") > 0;
  if (!options.accounting.empty()) {
    check_choice("--accounting", options.accounting, {"exact", "timeloop"}, problems);
  }
  if (asked.texts.count("bits") > 0) options.bits = asked.texts.at("bits");
  if (!options.layer.empty() && asked.network == nullptr) {
    problems.push_back({{"--layer"}, "only a network has layers", "leave it out"});
  }
  cli::Inputs inputs;
  inputs.arch = asked.arch;
  inputs.constraints = asked.constraints;
  if (asked.workload != nullptr) inputs.workload = *asked.workload;
  if (asked.network != nullptr) inputs.network = *asked.network;
  cli::change_arch(options, inputs, problems);
  cli::change_work(options, inputs, problems);
  refuse_if_any(std::move(problems));
  return inputs;
}

std::optional<bool> uneven_of(const Texts& texts) {
  if (texts.count("uneven") > 0) return true;
  return texts.count("even") > 0 ? std::optional(false) : std::nullopt;
}

cli::MapCommandOptions map_command(const Texts& texts) {
  Problems problems;
  cli::MapCommandOptions command;
  command.mapspace = text_of(texts, "mapspace", "");
  command.mapper = text_of(texts, "mapper", command.mapper);
  command.mapper_given = texts.count("mapper") > 0;
  command.objective = text_of(texts, "objective", command.objective);
  command.roles = text_of(texts, "roles", command.roles);
  command.time = text_of(texts, "time", "");
  command.each_layer = texts.count("each_layer") > 0;
  command.uneven = uneven_of(texts);
  command.certificate = text_of(texts, "certificate", "");
  if (!command.mapspace.empty()) {
    check_choice("--mapspace", command.mapspace, {"pfm", "pfm-pad", "ruby-s", "ruby-t", "ruby"},
                 problems);
  }
  std::vector<std::string> names;
  for (const Mapper* mapper : mappers()) names.emplace_back(mapper->name);
  check_choice("--mapper", command.mapper, names, problems);
  check_choice("--roles", command.roles, {"given", "any"}, problems);
  check_objective(command.objective, problems, true);
  for (const auto& [name, text] : texts) {
    const MapperOption* option = option_of_mappers(name);
    if (option == nullptr) continue;
    check_mapper_option(*option, text, problems);
    command.mapper_options[std::string(option->name)] = text;
  }
  if (texts.count("threads") > 0) {
    command.threads =
        static_cast<int>(whole_number("--threads", texts.at("threads"), 1, 1024, problems));
  }
  refuse_if_any(std::move(problems));
  return command;
}

}  // namespace tilewright::python
