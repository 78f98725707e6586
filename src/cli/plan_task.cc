#include "cli/plan_task.h"

#include <fmt/format.h>

#include "tilewright/fusion.h"

namespace tilewright::cli {
namespace {

std::vector<std::string> lines_about(const Architecture& arch,
                                     const std::vector<std::string>& misfit) {
  std::vector<std::string> lines = {fmt::format("the plan does not fit {}:", arch.name)};
  for (const std::string& reason : misfit) lines.push_back("  " + reason);
  return lines;
}

std::vector<std::string> without_nests(const Cascade& cascade, const Plan& plan) {
  std::vector<std::string> names;
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    if (plan.leaves[at(e)].nests.empty()) names.push_back(cascade.workload(e).name);
  }
  return names;
}

void add_optimum(const std::atomic<bool>* cancelled, EvaluatedPlan& evaluated) {
  report::PlanReport& report = *evaluated.report;
  FuseOptions search;
  search.shared = report.plan.shared;
  search.longest_group = report.cascade.einsum_count();
  search.cancelled = cancelled;
  report.optimum = fuse(report.cascade, report.arch, search);
  if (report.optimum->found()) return;
  evaluated.problems = report.optimum->problems;
  evaluated.is_infeasible = report.optimum->status == FuseOutcome::Status::Infeasible;
}

}  // namespace

EvaluatedPlan evaluate_given_plan(const Cascade& cascade, const Architecture& arch,
                                  const Plan& plan, bool optimum,
                                  const std::atomic<bool>* cancelled) {
  EvaluatedPlan evaluated;
  PlanNests whole = find_nests(cascade, arch, plan);
  evaluated.problems = std::move(whole.problems);
  if (!whole.misfit.empty()) evaluated.misfit = lines_about(arch, whole.misfit);
  if (!evaluated.problems.empty() || !evaluated.misfit.empty()) return evaluated;
  Checked<PlanEvaluation> evaluation = evaluate_plan(cascade, arch, whole.plan);
  evaluated.problems = std::move(evaluation.problems);
  if (!evaluation.ok()) return evaluated;
  if (!evaluation.value->misfit.empty()) {
    evaluated.misfit = lines_about(arch, evaluation.value->misfit);
    return evaluated;
  }
  evaluated.report = report::PlanReport{cascade, arch, std::move(whole.plan),
                                        std::move(*evaluation.value), without_nests(cascade, plan)};
  if (optimum) add_optimum(cancelled, evaluated);
  return evaluated;
}

}  // namespace tilewright::cli
