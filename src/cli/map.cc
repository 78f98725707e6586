#include "tilewright/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/mapping_file.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;
using Status = MapOutcome::Status;

// Why there can be no certificate; null if there can.
const char* no_certificate(const MapOptions& options, const Inputs& inputs) {
  if (inputs.network) return "a certificate is of one layer; add --layer";
  if (options.padded) return "a certificate is of one workload, not of its padded variants";
  if (inputs.arch.flexibility) return "a certificate is of one setting of a flexible architecture";
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
  result.objective = *objective_named(options.objective);
  result.each_layer = options.each_layer;
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
  result.limits.cancelled = &catch_interrupts();
  if (!options.certificate.empty()) {
    if (const char* reason = no_certificate(result, inputs)) {
      return {std::nullopt, {{{"--certificate"}, reason, {}}}};
    }
  }
  return {std::move(result), {}};
}

// --- files ----------------------------------------------------------------------

// Without its workload a mapping for other roles than were given means nothing: it goes beside.
bool save_workload(fs::path path, Workload given, const Workload& mapped) {
  for (std::size_t t = 0; t < given.tensors.size(); ++t) {
    given.tensors[t].role = mapped.tensors[t].role;
  }
  path.replace_extension(".workload.yaml");
  return write_file(path, io::write_workload(given));
}

bool save_mapping(const fs::path& path, const MapCommandOptions& command, const Workload& given,
                  const MapOutcome& outcome) {
  if (command.roles == "any" && !save_workload(path, given, outcome.problem->workload())) {
    return false;
  }
  return write_file(path, mapping_file_text({*outcome.problem, *outcome.search.best,
                                             outcome.search.score, command.command, given,
                                             outcome.setting ? to_string(*outcome.setting) : ""}));
}

// "03_conv1.yaml"; characters that file names do not like become "_".
std::string file_name(std::size_t number, const std::string& layer) {
  std::string name = fmt::format("{:02}_{}.yaml", number, layer);
  for (char& c : name) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (!fine) c = '_';
  }
  return name;
}

bool save_network(const MapCommandOptions& command, const Network& network,
                  const NetworkOutcome& outcome) {
  if (!make_folder(command.out)) return false;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (!outcome.of(i).found()) continue;
    const fs::path path = fs::path(command.out) / file_name(i + 1, network.layers[i].name);
    if (!save_mapping(path, command, network.layers[i].workload, outcome.of(i))) return false;
  }
  return true;
}

// --- certificates -------------------------------------------------------------------

// Writes what the checker makes of the mapper's claim.
int save_certificate(const std::string& path, const MapOptions& options,
                     const MapOutcome& outcome) {
  const Proof& proof = *outcome.proof;
  certificate::Claim claim{*outcome.problem,      options.space,        options.constraints,
                           options.objective,     *outcome.search.best, std::nullopt,
                           options.limits.threads};
  claim.cancelled = options.limits.cancelled;
  if (options.limits.seconds) {
    claim.seconds = std::max(0.0, *options.limits.seconds - proof.seconds);
  }
  const bool optimal = proof.status == Proof::Status::Proven && proof.gap == 0;
  if (!optimal) {
    // A whole number is a decimal in any unit. A bound that is the value would
    // claim more of latency: that no mapping as fast takes less energy.
    const double value = value_of(options.objective, outcome.search.score);
    claim.bound = fmt::format("{:.0f}", std::floor(proof.bound) - (proof.bound >= value ? 1 : 0));
  }
  const certificate::Proven proven = certificate::prove(claim);
  if (proven.certificate) {
    return write_file(path, certificate::write_certificate(*proven.certificate)) ? kGood
                                                                                 : kBadInput;
  }
  for (const Diagnostic& problem : proven.problems) {
    complain(fmt::format("{}: no certificate: {}", path, to_string(problem)));
  }
  if (proven.better) {
    complain(fmt::format("{}: no certificate: the checker knows a better mapping", path));
  }
  return kDiffers;
}

// --- one workload -----------------------------------------------------------------

// Says why there is no mapping, and gives the exit code.
int report_failure(const MapOptions& options, const MapOutcome& outcome) {
  if (outcome.status == Status::NothingValid) {
    const bool saw_nothing = outcome.search.seen == 0;
    if (outcome.proof || !outcome.found_by->counts || saw_nothing) {
      complain(fmt::format("no mapping found: {}", outcome.proof ? to_string(outcome.proof->stop)
                                                                 : to_string(outcome.search.stop)));
      return outcome.cancelled ? kInterrupted : kBadInput;
    }
    complain(report::failures_text({options, outcome}));
    return kInfeasible;
  }
  complain(outcome.problems);
  if (outcome.status != Status::Infeasible) return kBadInput;
  // A reason may be hardware that the workload has no use for.
  for (const std::string& remark : outcome.remarks) complain(remark);
  return kInfeasible;
}

std::string explanation_of(const report::MapReport& report) {
  return report::explanation_text(report::result_of(report.outcome));
}

int map_one(const MapCommandOptions& command, const Inputs& inputs, MapOptions options) {
  ProgressLine line(command.output.quiet);
  if (line.is_shown()) {
    options.limits.on_progress = [&](const SearchProgress& progress) {
      line.show(fmt::format("{} {}", bar(progress.fraction.value_or(0)),
                            search_progress(progress, options.objective)));
    };
  }
  MapOptions of_search = options;
  // A bound that is left takes as long to certify as to find.
  if (!command.certificate.empty() && options.limits.seconds) *of_search.limits.seconds /= 2;
  const report::MapReport report{options, map_workload(*inputs.workload, inputs.arch, of_search)};
  const MapOutcome& outcome = report.outcome;
  line.clear();
  if (!outcome.found()) {
    if (command.output.json) print(report::map_json(report));
    return report_failure(options, outcome);
  }
  if (outcome.cancelled) complain("interrupted: the best so far");
  const bool rows = present(command.output, report,
                            {report::map_json, report::map_text, report::map_csv, explanation_of});
  const bool saved =
      command.out.empty() || save_mapping(command.out, command, *inputs.workload, outcome);
  const int code =
      command.certificate.empty() ? kGood : save_certificate(command.certificate, options, outcome);
  return saved && rows ? code : kBadInput;
}

// --- a network ----------------------------------------------------------------------

int map_all(const MapCommandOptions& command, const Inputs& inputs, const MapOptions& options) {
  const Network& network = *inputs.network;
  ProgressLine line(command.output.quiet);
  NetworkOutcome found =
      map_network(network, inputs.arch, options, [&](const NetworkProgress& progress) {
        const auto distinct = static_cast<double>(progress.distinct);
        const std::string price =
            progress.price > 0 ? fmt::format(" at price {} of a cycle", progress.price) : "";
        line.show(fmt::format("{} {}/{} {}{}: {}",
                              bar(static_cast<double>(progress.done) / distinct), progress.done + 1,
                              progress.distinct, network.layers[progress.layer].name, price,
                              search_progress(progress.search, options.objective)));
      });
  line.clear();
  const report::NetworkReport report{network, inputs.arch, options, std::move(found)};
  const NetworkOutcome& outcome = report.outcome;
  const bool rows = present(command.output, report,
                            {report::mapped_network_json, report::mapped_network_text,
                             report::mapped_network_csv, report::network_explanation});
  const bool saved = command.out.empty() || save_network(command, network, outcome);
  int code = saved && rows ? kGood : kBadInput;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const MapOutcome& of_layer = outcome.layers[i].outcome;
    if (of_layer.found() || of_layer.status == Status::NotTried) continue;
    complain(fmt::format("layer #{} ({}):", i + 1, network.layers[i].name));
    code = std::max(code, report_failure(options, of_layer));
  }
  if (!outcome.cancelled) return code;
  complain("interrupted: what was found so far");
  return outcome.missing() == 0 ? code : kInterrupted;
}

// Whether what is asked for can be written; better known now than after the search.
bool try_outputs(const MapCommandOptions& options, bool whole_network) {
  const bool mapping = whole_network ? try_optional_folder(options.out) : try_file(options.out);
  const bool certificate = try_file(options.certificate);
  const bool rows = try_csv(options.output);
  return mapping && certificate && rows;
}

}  // namespace

const Mapper* mapper_named(const std::string& name, const std::vector<const Mapper*>& table) {
  return *std::find_if(table.begin(), table.end(),
                       [&](const Mapper* mapper) { return mapper->name == name; });
}

int run_map(const MapCommandOptions& options) {
  const Checked<Inputs> inputs = load_inputs(options.input);
  if (refused(inputs)) return kBadInput;
  const Checked<MapOptions> search = map_options(options, *inputs.value);
  if (refused(search)) return kBadInput;
  if (!try_outputs(options, inputs.value->network.has_value())) return kBadInput;
  return inputs.value->network ? map_all(options, *inputs.value, *search.value)
                               : map_one(options, *inputs.value, *search.value);
}

}  // namespace tilewright::cli
