#include <fmt/format.h>

#include "base/search_objective.h"
#include "base/text.h"
#include "cli/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/standard_input.h"
#include "proofs/plan_task.h"
#include "proofs/proof_commands.h"
#include "tilewright/certificate.h"
#include "tilewright/fusion.h"
#include "tilewright/report.h"

namespace tilewright::cli {
namespace {

// The memory that groups share, or several with commas between them.
std::vector<Diagnostic> take_memories(const std::string& names, FuseOptions& options) {
  if (names.empty()) return {};
  for (const std::string_view name : split(names, ',')) {
    if (name.empty()) {
      return {{{"--shared"},
               fmt::format("\"{}\" is no list of memories", names),
               "write their names with commas between them, such as \"L2,L1\""}};
    }
    if (options.shared) {
      options.also_shared.emplace_back(name);
    } else {
      options.shared = name;
    }
  }
  return {};
}

Checked<FuseOptions> search_options(const FuseCommandOptions& options) {
  FuseOptions result;
  const std::optional<Objective> objective = objective_named(options.objective);
  if (!objective) {
    return {std::nullopt,
            {{{"--objective"}, reason_against_objective(options.objective, false), ""}}};
  }
  result.objective = *objective;
  std::vector<Diagnostic> problems = take_memories(options.shared, result);
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  result.longest_group = static_cast<int>(options.longest_group);
  result.recompute = options.recompute;
  result.remainders = options.remainders;
  result.uneven_nests = options.uneven;
  if (!options.time.empty()) {
    const Checked<double> seconds = read_duration(options.time, "--time");
    if (!seconds.ok()) return {std::nullopt, seconds.problems};
    result.seconds = *seconds.value;
  }
  result.cancelled = &catch_interrupts();
  return {std::move(result), {}};
}

// Writes a bound of all plans, if there is one.
bool save_plan_bound(const std::string& path, const certificate::PlanBound& bound,
                     const certificate::PlanProven& proven) {
  complain(fmt::format("{}: {}; the certificate is of a bound: no plan takes less than {} pJ", path,
                       to_string(proven.problems.front()), bound.bound));
  return write_file(path, certificate::write_certificate(bound));
}

// Writes a proof about plans of flat groups. Its bound may be below what the plan takes.
bool save_flat_certificate(const std::string& path, const FusedPlan& fused) {
  const certificate::FlatCertificate& made = *fused.flat;
  if (made.bound != made.energy_pj) {
    complain(fmt::format("{}: {}; the bound is {}", path,
                         fused.proven->in_time ? "the plan is not proven to be the best"
                                               : "--time did not suffice for the whole proof",
                         made.bound));
  }
  return write_file(path, certificate::write_certificate(made));
}

// Writes what the checker makes of the search's claim.
int save_plan_certificate(const std::string& path, const FusedPlan& fused) {
  const certificate::PlanProven& proven = *fused.proven;
  if (proven.certificate) {
    if (!proven.in_time) {
      complain(fmt::format("{}: --time did not suffice for the whole proof; the bound is {}", path,
                           proven.certificate->bound));
    }
    const std::string text = certificate::write_certificate(*proven.certificate);
    return write_file(path, text) ? kGood : kBadInput;
  }
  if (fused.flat) return save_flat_certificate(path, fused) ? kGood : kBadInput;
  if (fused.bounded) return save_plan_bound(path, *fused.bounded, proven) ? kGood : kBadInput;
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

// What uneven nests take without fusion, if that is asked for.
std::optional<UnevenTotal> uneven_total(const FuseCommandOptions& options, const Cascade& cascade,
                                        const Architecture& arch, const FuseOptions& search) {
  if (!options.uneven) return std::nullopt;
  Limits limits;
  limits.seconds = search.seconds;
  limits.cancelled = search.cancelled;
  UnevenTotal uneven = unfused_and_uneven(cascade, arch, limits);
  if (!uneven.pj) complain(uneven.problems);
  return uneven;
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
  bound_in_time(*cascade, *arch, *search, fused);
  const FuseOutcome& outcome = fused.outcome;
  if (!outcome.found()) {
    complain(outcome.problems);
    return outcome.status == FuseOutcome::Status::Infeasible ? kInfeasible : kBadInput;
  }
  const Checked<PlanEvaluation> evaluation = evaluate_plan(*cascade, *arch, outcome.plan);
  if (refused(evaluation)) return kBadInput;
  const report::FuseReport shown{*cascade,
                                 *arch,
                                 outcome,
                                 *evaluation.value,
                                 options.command,
                                 uneven_total(options, *cascade, *arch, *search),
                                 std::move(fused.not_fused)};
  print_result(options.json ? report::fuse_json(shown) : report::fuse_text(shown), options.json);
  const bool saved =
      options.out.empty() || write_file(options.out, io::write_plan(*cascade, outcome.plan));
  if (!saved || !fused.proven) return saved ? kGood : kBadInput;
  return save_plan_certificate(options.certificate, fused);
}

}  // namespace tilewright::cli
