#include "proofs/plan_task.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/deadline.h"
#include "cli/map_task.h"
#include "proofs/certified.h"
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

const char* no_plan_certificate(const FuseOptions& search) {
  if (search.recompute) return "there are no certificates yet of plans that do work again";
  if (search.remainders) return "there are no certificates yet of loops that leave a remainder";
  if (!search.also_shared.empty()) {
    return "there are no certificates yet of plans that share several memories";
  }
  return nullptr;
}

certificate::PlanProven certified_plan(const Cascade& cascade, const Architecture& arch,
                                       const FuseOptions& allowed, const FoundPlan& found) {
  const char* reason = no_plan_certificate(allowed);
  if (found.searched != FuseOutcome::Searched::Trees) {
    reason = allowed.objective.cycles > 0
                 ? "there are no certificates yet of flat groups where time counts"
                 : "there are no certificates yet of plans with flat groups";
  }
  if (reason != nullptr) {
    certificate::PlanProven none;
    none.problems.push_back({{}, reason, ""});
    none.is_beyond = true;
    return none;
  }
  certificate::PlanClaim claim{cascade, arch, found.plan, allowed.longest_group};
  claim.objective = allowed.objective;
  if (allowed.uneven_nests) claim.nests = certificate::Among::All;
  if (claim.objective.cycles > 0) {
    claim.longest_group = std::min(allowed.longest_group, kLongestTimedGroup);
  }
  claim.seconds = found.seconds;
  claim.cancelled = allowed.cancelled;
  certificate::PlanProven proven = certificate::prove(claim);
  const auto& made = proven.certificate;
  if (found.proven && proven.in_time && made && made->bound != made->value) {
    proven.problems.push_back({{},
                               fmt::format("the checker knows of a plan with a lower {}, {}",
                                           to_string(claim.objective), made->bound),
                               ""});
    proven.certificate.reset();
  }
  return proven;
}

namespace {

// The best mapping of a nest with its proof, or with that of its bound.
certificate::Proven certified_nest(const Problem& nest, const FuseOptions& allowed,
                                   std::optional<double> seconds) {
  const Inputs inputs{nest.arch(), {}, nest.workload(), {}};
  MapOptions options = alone_options(allowed);
  options.limits.seconds = seconds;
  if (allowed.uneven_nests) options.evenness = Evenness::Uneven;
  const MapOutcome outcome = map_one(inputs, options, /*with_certificate=*/true);
  if (outcome.found() && outcome.proof) return certified(inputs, options, outcome);
  certificate::Proven none;
  none.problems = outcome.problems;
  none.problems.push_back({{}, "a nest inside the shared memory has no mapping", ""});
  return none;
}

}  // namespace

Checked<certificate::PlanBound> certified_bound(const Cascade& cascade, const Architecture& arch,
                                                const FuseOptions& allowed, const FoundPlan& found,
                                                double energy_pj) {
  auto nests = certificate::nests_to_bound(cascade, arch, found.plan.shared, allowed.longest_group);
  if (!nests.ok()) return {std::nullopt, std::move(nests.problems)};
  const Stopwatch stopwatch;
  std::vector<certificate::Certificate> proofs;
  for (std::size_t i = 0; i < nests.value->size(); ++i) {
    std::optional<double> seconds = found.seconds;
    if (seconds) {
      *seconds = std::max(0.0, *seconds - stopwatch.seconds()) /
                 static_cast<double>(nests.value->size() - i);
    }
    certificate::Proven proven = certified_nest((*nests.value)[i], allowed, seconds);
    if (!proven.certificate) return {std::nullopt, std::move(proven.problems)};
    proofs.push_back(std::move(*proven.certificate));
  }
  return certificate::bound_of({cascade, arch, found.plan, energy_pj, allowed.longest_group},
                               std::move(proofs));
}

certificate::FlatProven certified_flat_plan(const Cascade& cascade, const Architecture& arch,
                                            const FuseOptions& allowed, const FoundPlan& found) {
  certificate::FlatClaim claim{cascade, arch, found.plan, {}, allowed.longest_group};
  claim.seconds = found.seconds;
  claim.cancelled = allowed.cancelled;
  if (allowed.uneven_nests) claim.among = certificate::Among::All;
  claim.prove_nest = [&](const Problem& nest, std::optional<double> seconds) {
    return certified_nest(nest, allowed, seconds).certificate;
  };
  return certificate::prove_flat(claim);
}

namespace {

// What the checker makes of a plan of trees or of flat groups.
void certify(const Cascade& cascade, const Architecture& arch, const FuseOptions& allowed,
             FusedPlan& fused) {
  const FuseOutcome& outcome = fused.outcome;
  FoundPlan found{outcome.plan, outcome.searched, outcome.proven};
  if (allowed.seconds) found.seconds = std::max(0.0, *allowed.seconds - outcome.seconds);
  fused.proven = certified_plan(cascade, arch, allowed, found);
  const bool flat = outcome.searched == FuseOutcome::Searched::Flat;
  const bool timed = allowed.objective.cycles > 0;
  if (!flat || timed || no_plan_certificate(allowed) != nullptr) return;
  certificate::FlatProven proven = certified_flat_plan(cascade, arch, allowed, found);
  fused.flat = std::move(proven.certificate);
  fused.proven->in_time = proven.in_time;
  fused.proven->problems = std::move(proven.problems);
}

}  // namespace

FusedPlan fuse_in_time(const Cascade& cascade, const Architecture& arch, const FuseOptions& allowed,
                       bool with_certificate) {
  FusedPlan fused;
  FuseOptions search = allowed;
  // A plan takes about as long to certify as to find.
  if (with_certificate && allowed.seconds) search.seconds = *allowed.seconds / 2;
  fused.outcome = fuse(cascade, arch, search);
  if (!fused.outcome.found()) return fused;
  if (with_certificate) {
    const Stopwatch stopwatch;
    certify(cascade, arch, allowed, fused);
    fused.proof_seconds = stopwatch.seconds();
    search = allowed;
    if (allowed.seconds) *search.seconds -= fused.proof_seconds;
  }
  fused.not_fused = why_not_fused(cascade, arch, search, fused.outcome);
  return fused;
}

void bound_in_time(const Cascade& cascade, const Architecture& arch, const FuseOptions& allowed,
                   FusedPlan& fused) {
  const bool is_proven = !fused.proven || !fused.proven->is_beyond || fused.flat.has_value();
  if (is_proven || allowed.uneven_nests || allowed.objective != Objective::Energy) return;
  const FuseOutcome& outcome = fused.outcome;
  FoundPlan found{outcome.plan, outcome.searched, outcome.proven};
  if (allowed.seconds) {
    found.seconds = std::max(0.0, *allowed.seconds - outcome.seconds - fused.proof_seconds);
  }
  auto bound = certified_bound(cascade, arch, allowed, found, outcome.energy_pj);
  fused.bounded = std::move(bound.value);
  append(fused.proven->problems, bound.problems);
}

}  // namespace tilewright::cli
