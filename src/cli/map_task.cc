#include "cli/map_task.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/search_objective.h"
#include "base/text.h"
#include "cli/output.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

using Status = MapOutcome::Status;

// Why there can be no certificate; null if there can.
const char* no_certificate(const MapOptions& options, const Inputs& inputs) {
  if (inputs.network) return "a certificate is of one layer; add --layer";
  if (options.padded) return "a certificate is of one workload, not of its padded variants";
  if (options.any_roles) {
    return "a certificate is of one way to deal out the roles; write the best into the workload";
  }
  return nullptr;
}

// An option that means nothing to the mapper, with the first one that it is for.
std::optional<Diagnostic> idle_option(const MapCommandOptions& options, const Mapper& mapper) {
  const auto complain_about = [&](const std::string& option, std::string_view other) {
    return Diagnostic{{option},
                      fmt::format("means nothing to the {} mapper", mapper.name),
                      fmt::format("leave it out, or add --mapper {}", other)};
  };
  for (const Mapper* other : options.mappers) {
    for (const MapperOption& option : other->options) {
      const bool given = options.mapper_options.count(std::string(option.name)) > 0;
      if (!given || mapper.find(option.name) != nullptr) continue;
      return complain_about(fmt::format("--{}", option.name), other->name);
    }
  }
  if (!options.certificate.empty() && !mapper.proves) {
    return complain_about("--certificate", options.mappers.front()->name);
  }
  return std::nullopt;
}

// The value of an option as it was written.
Checked<OptionValue> read_value(const MapperOption& option, const std::string& text) {
  const std::string name = fmt::format("--{}", option.name);
  if (option.kind == MapperOption::Kind::Bytes) {
    const Checked<std::int64_t> bytes = read_bytes(text, name);
    if (!bytes.ok()) return {std::nullopt, bytes.problems};
    return {OptionValue(*bytes.value), {}};
  }
  if (option.kind == MapperOption::Kind::Choice) {
    const auto found = std::find(option.choices.begin(), option.choices.end(), text);
    if (found != option.choices.end()) return {OptionValue(found - option.choices.begin()), {}};
    return {std::nullopt,
            {{{name}, fmt::format("{} not in {{{}}}", text, fmt::join(option.choices, ",")), ""}}};
  }
  if (option.kind == MapperOption::Kind::Count) {
    if (const auto count = number_in<std::int64_t>(text)) return {OptionValue(*count), {}};
    return {std::nullopt, {{{name}, "must be a whole number", "such as 1000"}}};
  }
  const auto number = number_in<double>(text);
  if (number && std::isfinite(*number) && *number >= 0) return {OptionValue(*number), {}};
  if (option.kind == MapperOption::Kind::Share) {
    return {std::nullopt, {{{name}, "must be a number from 0 on", "such as 0.01"}}};
  }
  return {std::nullopt, {{{name}, "must be a number above 0", "such as 1e9"}}};
}

// Reads what was given into limits and options of the mapper.
std::vector<Diagnostic> read_mapper_options(const MapCommandOptions& options, MapOptions& result) {
  for (const MapperOption& option : result.mapper->options) {
    const auto given = options.mapper_options.find(std::string(option.name));
    if (given == options.mapper_options.end()) continue;
    const Checked<OptionValue> value = read_value(option, given->second);
    if (!value.ok()) return value.problems;
    if (option.limit != nullptr) {
      option.limit(*value.value, result.limits);
    } else {
      result.mapper_options.set(option.name, *value.value);
    }
  }
  return {};
}

}  // namespace

const Mapper* mapper_named(const std::string& name, const std::vector<const Mapper*>& table) {
  return *std::find_if(table.begin(), table.end(),
                       [&](const Mapper* mapper) { return mapper->name == name; });
}

Checked<MapOptions> map_options(const MapCommandOptions& options, const Inputs& inputs) {
  MapOptions result;
  result.mapper = mapper_named(options.mapper, options.mappers);
  if (auto idle = idle_option(options, *result.mapper)) return {std::nullopt, {std::move(*idle)}};
  result.padded = options.mapspace == "pfm-pad";
  // Tiles that are built into hardware seldom divide a layer.
  const bool remainders = inputs.arch.flexibility && options.mapspace.empty();
  result.space =
      space_kind(options.mapspace).value_or(remainders ? SpaceKind::Ruby : SpaceKind::Perfect);
  result.any_roles = options.roles == "any";
  result.remarks = true;
  result.proof_wanted = options.mapper_given || options.mapper_options.count("gap") > 0 ||
                        !options.certificate.empty();
  result.objective = *search_objective_named(options.objective);
  if (result.mapper->proves && !can_be_bounded(result.objective)) {
    return {std::nullopt,
            {{{"--objective"}, reason_against_objective(options.objective, false), ""}}};
  }
  result.each_layer = options.each_layer;
  result.evenness = evenness_for(inputs.arch, options.uneven);
  const bool product = result.objective.energy > 0 && result.objective.cycles > 0;
  if (options.each_layer && (!inputs.network || !product)) {
    return {std::nullopt,
            {{{"--each-layer"},
              "only the EDP of a network can be that of each layer",
              "leave it out, or give --model without --layer and -o edp"}}};
  }
  result.constraints = inputs.constraints;
  result.limits.threads = thread_count(options.threads);
  if (auto problems = read_mapper_options(options, result); !problems.empty()) {
    return {std::nullopt, std::move(problems)};
  }
  if (!options.time.empty()) {
    Checked<double> seconds = read_duration(options.time, "--time");
    if (!seconds.ok()) return {std::nullopt, std::move(seconds.problems)};
    result.limits.seconds = *seconds.value;
  }
  if (!options.certificate.empty()) {
    if (const char* reason = no_certificate(result, inputs)) {
      return {std::nullopt, {{{"--certificate"}, reason, {}}}};
    }
  }
  return {std::move(result), {}};
}

MapOutcome map_one(const Inputs& inputs, const MapOptions& options, bool with_certificate) {
  MapOptions of_search = options;
  // A bound that is left takes as long to certify as to find.
  if (with_certificate && options.limits.seconds) *of_search.limits.seconds /= 2;
  return map_workload(*inputs.workload, inputs.arch, of_search);
}

MapFailure failure_of(const MapOptions& options, const MapOutcome& outcome) {
  if (outcome.status == Status::NothingValid) {
    const bool saw_nothing = outcome.search.seen == 0;
    if (outcome.proof || !outcome.found_by->counts || saw_nothing) {
      return {{fmt::format("no mapping found: {}", outcome.proof ? to_string(outcome.proof->stop)
                                                                 : to_string(outcome.search.stop))},
              outcome.cancelled ? kInterrupted : kBadInput};
    }
    return {{report::failures_text({options, outcome})}, kInfeasible};
  }
  MapFailure failure{complaints_about(outcome.problems), kBadInput};
  if (outcome.status != Status::Infeasible) return failure;
  failure.code = kInfeasible;
  // A reason may be hardware that the workload has no use for.
  append(failure.lines, outcome.remarks);
  return failure;
}

}  // namespace tilewright::cli
