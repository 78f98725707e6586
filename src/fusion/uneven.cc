#include "fusion/uneven.h"

#include <algorithm>

#include "fusion/count_loads.h"
#include "fusion/flat_nests.h"
#include "fusion/flat_search.h"

namespace tilewright {

namespace fusion {

namespace {

// The plan with the best nests, even or uneven, for its loops and places; nothing if the time does
// not suffice.
std::optional<Plan> with_uneven_nests(const Cascade& cascade, const Architecture& arch, Plan plan,
                                      const FuseOptions& options) {
  const Deadline deadline(options.seconds, options.cancelled);
  SolvedNests solved(cascade, arch, plan.shared, deadline, options.seconds, Evenness::Uneven);
  const Geometry geometry(cascade, plan);
  try {
    for (int e = 0; e < cascade.einsum_count(); ++e) {
      std::vector<PrivateNest> nests;
      for (const Execution& execution : executions_of(geometry, e)) {
        std::optional<PlannedNest> found = solved.find_in(geometry, e, execution);
        if (!found) return std::nullopt;
        nests.push_back(std::move(found->nest));
      }
      plan.leaves[at(e)].nests = std::move(nests);
    }
  } catch (const Expired&) {
    return std::nullopt;
  }
  return plan;
}

double energy_of(const PlanNode& node, const PlanEvaluation& evaluation) {
  double pj = node.is_leaf() ? evaluation.leaves[at(node.einsum)].energy_pj : 0;
  for (const PlanNode& child : node.children) pj += energy_of(child, evaluation);
  return pj;
}

// Makes the nests of the best plan uneven where that pays.
void make_uneven(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                 FuseOutcome& outcome) {
  std::optional<Plan> plan = with_uneven_nests(cascade, arch, outcome.plan, options);
  if (!plan) return;
  const Checked<PlanEvaluation> evaluation = evaluate_plan(cascade, arch, *plan);
  if (!evaluation.ok() || !evaluation.value->misfit.empty()) return;
  if (evaluation.value->energy_pj >= outcome.energy_pj * (1 - 1e-12)) return;
  outcome.plan = std::move(*plan);
  outcome.energy_pj = outcome.value = evaluation.value->energy_pj;
  outcome.group_pj.clear();
  for (const PlanNode& group : outcome.plan.groups) {
    outcome.group_pj.push_back(energy_of(group, *evaluation.value));
  }
  outcome.made_uneven = true;
}

FuseOptions in_what_is_left(FuseOptions options, double seconds) {
  if (options.seconds) options.seconds = std::max(0.001, *options.seconds - seconds);
  return options;
}

}  // namespace

FuseOutcome fuse_uneven(const Cascade& cascade, const Architecture& arch,
                        const FuseOptions& options, FuseOutcome even) {
  const std::string shared = even.plan.shared;
  const Deadline deadline(std::nullopt);
  const double even_seconds = even.seconds, even_bound = even.bound;
  make_uneven(cascade, arch, in_what_is_left(options, even_seconds), even);
  even.bound = even.bound_pj = std::min(even.bound, even.value);
  FuseOutcome flat =
      fuse_flat(cascade, arch, in_what_is_left(options, even_seconds + deadline.seconds()),
                {shared}, {Evenness::Uneven, even.value, {}});
  const double seconds = even_seconds + deadline.seconds();
  even.seconds = seconds;
  if (!flat.found()) return even;
  const bool all_flat = even.searched == FuseOutcome::Searched::Flat;
  const double value = std::min(even.value, flat.value);
  const bool proven = flat.bound >= value * (1 - 1e-9) && (all_flat || even.proven);
  // Trees were bounded with even nests alone.
  const double bound = all_flat ? flat.bound : std::min(even_bound, flat.bound);
  flat.unfused_pj = even.unfused_pj;
  flat.unfused_value = even.unfused_value;
  flat.recomputes = even.recomputes;
  const auto searched = all_flat ? even.searched : FuseOutcome::Searched::TreesAndFlat;
  FuseOutcome best = flat.value < even.value ? std::move(flat) : std::move(even);
  best.searched = searched;
  best.uneven_nests = true;
  // Flat groups are all searched with uneven nests.
  if (all_flat) best.made_uneven = false;
  best.proven = proven;
  best.bound = best.bound_pj = proven ? value : std::min(bound, value);
  best.seconds = seconds;
  return best;
}

}  // namespace fusion

UnevenTotal unfused_and_uneven(const Cascade& cascade, const Architecture& arch,
                               const Limits& limits) {
  MapOptions options;
  options.objective = Objective::Energy;
  options.evenness = Evenness::Uneven;
  options.settle_ties = false;
  options.limits = limits;
  UnevenTotal total{0, true, {}};
  for (const CascadeEinsum& einsum : cascade.einsums) {
    const Workload& workload = einsum.workload;
    const MapOutcome outcome = map_workload(workload, arch, options);
    for (const Diagnostic& problem : outcome.problems) total.problems.push_back(problem);
    if (!outcome.found()) {
      total.pj.reset();
      total.proven = false;
      return total;
    }
    *total.pj += outcome.search.score.energy_pj;
    total.proven = total.proven && outcome.proof && outcome.proof->status == Proof::Status::Proven;
    if (!einsum.then) continue;
    std::vector<std::int64_t> sizes;
    for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
    *total.pj += einsum.then->energy_pj *
                 static_cast<double>(fusion::tile_words(workload, workload.output(), sizes));
  }
  return total;
}

}  // namespace tilewright
