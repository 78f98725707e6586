#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/standard_input.h"
#include "tilewright/certificate.h"

namespace tilewright::cli {
namespace {

std::string objective_text(Objective objective) {
  if (objective == Objective::Edp) return "EDP (pJ*cycles)";
  if (objective == Objective::Energy) return "energy (pJ)";
  if (objective == Objective::Latency) return "latency (cycles)";
  return fmt::format("{} (in pJ and cycles)", to_string(objective));
}

void print_verified(const std::string& path, const certificate::Certificate& checked,
                    const certificate::Statistics& statistics) {
  const bool optimal = checked.bound == checked.value;
  print(fmt::format("{}: verified\n", path));
  print(fmt::format("  no {}mapping of the map-space {} has a lower {} than {}{}\n",
                    checked.uneven ? "" : "even ", to_string(checked.mapspace),
                    objective_text(checked.objective), checked.bound,
                    checked.uneven ? ", even or uneven" : ""));
  print(fmt::format("  the mapping has {}: {} pJ in {} cycles{}\n", checked.value,
                    checked.energy_pj, checked.cycles, optimal ? ", which is optimal" : ""));
  print(fmt::format("  cells {}: {} closed by floor, {} by lattice, {} by tree\n",
                    statistics.cells(), statistics.by_floor, statistics.by_lattice,
                    statistics.by_tree));
}

}  // namespace

int run_check(const CheckOptions& options) {
  const Checked<std::string> text = read_text(options.file, kMaxFileBytes);
  if (refused(text)) return kBadInput;
  const Checked<certificate::Certificate> read =
      certificate::read_certificate(*text.value, name_of_input(options.file));
  if (refused(read)) return kBadInput;
  const certificate::Outcome outcome =
      certificate::check(*read.value, thread_count(options.threads));
  if (!outcome.problems.empty()) {
    complain(fmt::format("{}: refused: {}", name_of_input(options.file),
                         to_string(outcome.problems.front())));
    return kDiffers;
  }
  print_verified(name_of_input(options.file), *read.value, outcome.statistics);
  return kGood;
}

}  // namespace tilewright::cli
