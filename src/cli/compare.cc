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

// Maps everything on one of the designs; the exit code.
int map_side(const CompareOptions& options, std::size_t side, SideBySide& both) {
  MapCommandOptions command = options.map;
  command.input.arch = options.sides[side];
  append(command.input.set, options.set_of[side]);
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
  both.names[side] = inputs.value->arch.name;
  for (const std::string& change : options.set_of[side]) both.names[side] += ", " + change;
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
