#include <fmt/format.h>

#include "base/search_objective.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/plan_task.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "tilewright/certificate.h"
#include "tilewright/fusion.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

Checked<FuseOptions> search_options(const FuseCommandOptions& options) {
  FuseOptions result;
  const std::optional<Objective> objective = objective_named(options.objective);
  if (!objective) {
    return {std::nullopt,
            {{{"--objective"}, reason_against_objective(options.objective, false), ""}}};
  }
  result.objective = *objective;
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

// Writes what the checker makes of the search's claim.
int save_plan_certificate(const std::string& path, const certificate::PlanProven& proven) {
  if (proven.certificate) {
    if (!proven.in_time) {
      complain(fmt::format("{}: --time did not suffice for the whole proof; the bound is {}", path,
                           proven.certificate->bound));
    }
    const std::string text = certificate::write_certificate(*proven.certificate);
    return write_file(path, text) ? kGood : kBadInput;
  }
  for (const Diagnostic& problem : proven.problems) {
    complain(fmt::format("{}: no certificate: {}", path, to_string(problem)));
  }
  return proven.is_beyond ? kBadInput : kDiffers;
}

// Says it if a certificate is asked for that there cannot be.
bool refuse_certificate(const FuseCommandOptions& options, const FuseOptions& search) {
  const char* reason = no_plan_certificate(search);
  if (options.certificate.empty() || reason == nullptr) return false;
  complain(std::vector<Diagnostic>{{{"--certificate"}, reason, ""}});
  return true;
}

}  // namespace

int run_fuse(const FuseCommandOptions& options) {
  std::vector<Diagnostic> problems;
  const auto search = taken(search_options(options), problems);
  if (search && refuse_certificate(options, *search)) return kBadInput;
  if (!options.model.empty()) {
    complain(problems);
    return search ? run_fuse_network(options, *search) : kBadInput;
  }
  const auto arch = taken(load_architecture(options.arch, options.set), problems);
  const auto cascade = taken(load_cascade(options.cascade, options.sizes), problems);
  if (!problems.empty()) {
    complain(problems);
    return kBadInput;
  }
  if (refuse_flexible(*arch, "fuse") || !try_file(options.certificate)) return kBadInput;
  FusedPlan fused = fuse_in_time(*cascade, *arch, *search, !options.certificate.empty());
  const FuseOutcome& outcome = fused.outcome;
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
  const report::FuseReport shown{*cascade,
                                 *arch,
                                 outcome,
                                 *evaluation.value,
                                 options.command,
                                 uneven,
                                 std::move(fused.not_fused)};
  print_result(options.json ? report::fuse_json(shown) : report::fuse_text(shown), options.json);
  const bool saved =
      options.out.empty() || write_file(options.out, io::write_plan(*cascade, outcome.plan));
  if (!saved || !fused.proven) return saved ? kGood : kBadInput;
  return save_plan_certificate(options.certificate, *fused.proven);
}

}  // namespace tilewright::cli
