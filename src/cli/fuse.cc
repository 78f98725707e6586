#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "tilewright/fusion.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

Checked<FuseOptions> search_options(const FuseCommandOptions& options) {
  FuseOptions result;
  result.objective = *objective_named(options.objective);
  if (!options.shared.empty()) result.shared = options.shared;
  result.longest_group = static_cast<int>(options.longest_group);
  result.recompute = options.recompute;
  if (!options.time.empty()) {
    const Checked<double> seconds = read_duration(options.time, "--time");
    if (!seconds.ok()) return {std::nullopt, seconds.problems};
    result.seconds = *seconds.value;
  }
  result.cancelled = &catch_interrupts();
  return {std::move(result), {}};
}

}  // namespace

int run_fuse(const FuseCommandOptions& options) {
  std::vector<Diagnostic> problems;
  const auto search = taken(search_options(options), problems);
  if (search && !options.model.empty()) return run_fuse_network(options, *search);
  const auto arch = taken(load_architecture(options.arch, options.set), problems);
  const auto cascade = taken(load_cascade(options.cascade, options.sizes), problems);
  if (!problems.empty()) {
    complain(problems);
    return kBadInput;
  }
  if (refuse_flexible(*arch, "fuse")) return kBadInput;
  const FuseOutcome outcome = fuse(*cascade, *arch, *search);
  if (!outcome.found()) {
    complain(outcome.problems);
    return outcome.status == FuseOutcome::Status::Infeasible ? kInfeasible : kBadInput;
  }
  const Checked<PlanEvaluation> evaluation = evaluate_plan(*cascade, *arch, outcome.plan);
  if (refused(evaluation)) return kBadInput;
  std::optional<UnevenTotal> uneven;
  if (options.uneven) {
    Limits limits;
    limits.seconds = search->seconds;
    limits.cancelled = search->cancelled;
    uneven = unfused_and_uneven(*cascade, *arch, limits);
    if (!uneven->pj) complain(uneven->problems);
  }
  const report::FuseReport shown{*cascade,          *arch,           outcome,
                                 *evaluation.value, options.command, uneven};
  print_result(options.json ? report::fuse_json(shown) : report::fuse_text(shown), options.json);
  const bool saved =
      options.out.empty() || write_file(options.out, io::write_plan(*cascade, outcome.plan));
  return saved ? kGood : kBadInput;
}

}  // namespace tilewright::cli
