#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/eval_task.h"
#include "cli/inputs.h"
#include "cli/map_task.h"
#include "cli/output.h"
#include "cli/present.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

using report::SideBySide;

// --- two mappings of one design ---------------------------------------------------

int compare_mappings(const CompareOptions& options) {
  if (options.map.input.workload.empty() && options.map.input.layer.empty()) {
    complain("two mappings are of one workload; add --workload, or --model and --layer");
    return kBadInput;
  }
  const Checked<Inputs> inputs = load_inputs(options.map.input);
  if (refused(inputs)) return kBadInput;
  SideBySide both;
  both.command = options.map.command;
  both.work = fmt::format("{} on {}", inputs.value->workload->name, inputs.value->arch.name);
  both.layers.push_back({inputs.value->workload->name, 1, {}});
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string& file = options.sides[side];
    both.names[side] = name_of_input(file);
    const Checked<std::string> text = read_text(file);
    if (refused(text)) return kBadInput;
    Evaluated evaluated = evaluate_text(*inputs.value, *text.value, both.names[side]);
    complain(evaluated.problems);
    for (const std::string& line : evaluated.misfit) complain(line);
    if (!evaluated.result) return evaluated.misfit.empty() ? kBadInput : kInfeasible;
    both.layers[0].results[side] = std::move(evaluated.result);
  }
  present(options.map.output, both, {report::side_by_side_json, report::side_by_side_text});
  return kGood;
}

// --- two designs --------------------------------------------------------------------

// How one of the designs is mapped.
MapCommandOptions command_of(const CompareOptions& options, std::size_t side) {
  const CompareSide& own = options.own[side];
  MapCommandOptions command = options.map;
  command.input.arch = options.sides[side];
  append(command.input.set, own.set);
  if (!own.mapspace.empty()) command.mapspace = own.mapspace;
  if (!own.objective.empty()) command.objective = own.objective;
  if (!own.mapper.empty()) {
    command.mapper = own.mapper;
    command.mapper_given = true;
  }
  return command;
}

// What tells the designs apart.
std::string name_of_side(const std::string& arch, const CompareSide& own) {
  std::string name = arch;
  for (const std::string& change : own.set) name += ", " + change;
  for (const std::string& text : {own.mapspace, own.mapper, own.objective}) {
    if (!text.empty()) name += ", " + text;
  }
  return name;
}

// Maps everything on one of the designs; the exit code.
int map_side(const CompareOptions& options, std::size_t side, SideBySide& both) {
  const MapCommandOptions command = command_of(options, side);
  const Checked<Inputs> inputs = load_inputs(command.input);
  if (refused(inputs)) return kBadInput;
  Checked<MapOptions> search = map_options(command, *inputs.value);
  if (refused(search)) return kBadInput;
  search.value->limits.cancelled = &catch_interrupts();
  const Network network = network_of(*inputs.value);
  ProgressLine line(command.output.quiet);
  const NetworkOutcome found =
      map_network(network, inputs.value->arch, *search.value, [&](const NetworkProgress& progress) {
        line.show(fmt::format("{} of {}: layer {} of {}", side == 0 ? "A" : "B",
                              options.sides[side], progress.done + 1, progress.distinct));
      });
  line.clear();
  if (found.cancelled) return kInterrupted;
  both.work = network.name;
  both.names[side] = name_of_side(inputs.value->arch.name, options.own[side]);
  both.layers.resize(network.layers.size());
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    both.layers[i].name = network.layers[i].name;
    both.layers[i].count = network.layers[i].count;
    if (found.of(i).found()) both.layers[i].results[side] = report::result_of(found.of(i));
  }
  return kGood;
}

int compare_designs(const CompareOptions& options) {
  SideBySide both;
  both.command = options.map.command;
  for (std::size_t side = 0; side < 2; ++side) {
    if (const int code = map_side(options, side, both); code != kGood) return code;
  }
  present(options.map.output, both, {report::side_by_side_json, report::side_by_side_text});
  for (const SideBySide::OfLayer& layer : both.layers) {
    if (!layer.results[0] || !layer.results[1]) return kInfeasible;
  }
  return kGood;
}

}  // namespace

int run_compare(const CompareOptions& options) {
  return options.map.input.arch.empty() ? compare_designs(options) : compare_mappings(options);
}

}  // namespace tilewright::cli
