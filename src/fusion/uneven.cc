#include "fusion/uneven.h"

#include <algorithm>

#include "fusion/count_loads.h"
#include "fusion/flat_nests.h"
#include "fusion/flat_search.h"
#include "fusion/flat_times.h"
#include "fusion/search_trees.h"

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

// Takes a plan of flat groups if it takes less energy than that of the outcome.
void take_plan(const Cascade& cascade, const Architecture& arch, std::optional<Plan> plan,
               FuseOutcome& outcome) {
  if (!plan) return;
  const Checked<PlanEvaluation> evaluation = evaluate_plan(cascade, arch, *plan);
  if (!evaluation.ok() || !evaluation.value->misfit.empty()) return;
  if (evaluation.value->energy_pj >= outcome.energy_pj * (1 - 1e-12)) return;
  outcome.plan = std::move(*plan);
  outcome.energy_pj = outcome.value = evaluation.value->energy_pj;
  outcome.group_pj = group_energies(outcome.plan, *evaluation.value);
}

// The search with even nests, gone on with.
class UnevenFusing {
 public:
  UnevenFusing(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
               FuseOutcome even)
      : cascade_(cascade),
        arch_(arch),
        options_(options),
        shared_(even.plan.shared),
        even_seconds_(even.seconds),
        best_(std::move(even)) {}

  FuseOutcome run() {
    const auto searched = best_.searched;
    const bool trees = searched != FuseOutcome::Searched::Flat;
    if (trees) search_trees();
    if (searched != FuseOutcome::Searched::Trees) search_flat(trees);
    best_.searched = searched;
    best_.uneven_nests = true;
    best_.seconds = even_seconds_ + clock_.seconds();
    return std::move(best_);
  }

 private:
  FuseOptions left() const {
    FuseOptions options = options_;
    if (options.seconds) {
      options.seconds = std::max(0.001, *options.seconds - even_seconds_ - clock_.seconds());
    }
    return options;
  }

  // What was searched with nests of both kinds alone counts for what is proven.
  void take(FuseOutcome found, bool proven, double bound, double bound_pj) {
    const auto total_of = [](const FuseOutcome& one) {
      return Total{one.energy_pj, static_cast<double>(one.cycles.value_or(0))};
    };
    if (found.found() && is_better(goal_of(options_), total_of(found), total_of(best_))) {
      found.unfused_pj = best_.unfused_pj;
      found.unfused_cycles = best_.unfused_cycles;
      found.unfused_value = best_.unfused_value;
      found.recomputes = best_.recomputes;
      found.remainders = best_.remainders;
      best_ = std::move(found);
    }
    best_.proven = proven;
    best_.bound = proven ? best_.value : std::min(bound, best_.value);
    best_.bound_pj = std::min(bound_pj, best_.energy_pj);
  }

  void search_trees() {
    // It could be searched with even nests.
    const int longest = longest_group_of(options_);
    const auto facts = CascadeFacts::create(cascade_, arch_, shared_, longest);
    const FuseOptions options = left();
    FuseOutcome trees =
        fuse_trees_uneven(cascade_, arch_, {options, *facts.value, shared_, longest}, best_);
    const bool proven = trees.proven;
    const double bound = trees.bound, bound_pj = trees.bound_pj;
    take(std::move(trees), proven, bound, bound_pj);
  }

  void search_flat(bool also_trees) {
    if (!also_trees && !goal_of(options_).is_timed()) {
      take_plan(cascade_, arch_, with_uneven_nests(cascade_, arch_, best_.plan, left()), best_);
    }
    FuseOutcome flat =
        fuse_flat(cascade_, arch_, left(), {shared_}, {Evenness::Uneven, best_.value, {}});
    double bound = flat.found() ? flat.bound : 0, bound_pj = flat.found() ? flat.bound_pj : 0;
    if (also_trees) bound = std::min(bound, best_.bound);
    if (also_trees) bound_pj = std::min(bound_pj, best_.bound_pj);
    const double value = flat.found() ? std::min(best_.value, flat.value) : best_.value;
    take(std::move(flat), bound >= value * (1 - 1e-9), bound, bound_pj);
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  const std::string shared_;
  const double even_seconds_;
  const Deadline clock_{std::nullopt};
  FuseOutcome best_;
};

}  // namespace

FuseOutcome fuse_uneven(const Cascade& cascade, const Architecture& arch,
                        const FuseOptions& options, FuseOutcome even) {
  return UnevenFusing(cascade, arch, options, std::move(even)).run();
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
