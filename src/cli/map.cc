#include "tilewright/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/map_task.h"
#include "cli/mapping_file.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;
using Status = MapOutcome::Status;

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

// --- one workload -----------------------------------------------------------------

// Says why there is no mapping, and gives the exit code.
int report_failure(const MapOptions& options, const MapOutcome& outcome) {
  const MapFailure failure = failure_of(options, outcome);
  for (const std::string& line : failure.lines) complain(line);
  return failure.code;
}

std::string explanation_of(const report::MapReport& report) {
  return report::explanation_text(report::result_of(report.outcome));
}

int map_layer(const MapCommandOptions& command, const Inputs& inputs, MapOptions options,
              SaveCertificate save) {
  ProgressLine line(command.output.quiet);
  if (line.is_shown()) {
    options.limits.on_progress = [&](const SearchProgress& progress) {
      line.show(fmt::format("{} {}", bar(progress.fraction.value_or(0)),
                            search_progress(progress, options.objective)));
    };
  }
  const report::MapReport report{options, map_one(inputs, options, !command.certificate.empty()),
                                 command.command};
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
      command.certificate.empty() ? kGood : save(command.certificate, inputs, options, outcome);
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
  const report::NetworkReport report{network, inputs.arch, options, std::move(found),
                                     command.command};
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

int run_map(const MapCommandOptions& options, SaveCertificate save) {
  const Checked<Inputs> inputs = load_inputs(options.input);
  if (refused(inputs)) return kBadInput;
  Checked<MapOptions> search = map_options(options, *inputs.value);
  if (refused(search)) return kBadInput;
  search.value->limits.cancelled = &catch_interrupts();
  if (!try_outputs(options, inputs.value->network.has_value())) return kBadInput;
  return inputs.value->network ? map_all(options, *inputs.value, *search.value)
                               : map_layer(options, *inputs.value, *search.value, save);
}

}  // namespace tilewright::cli
