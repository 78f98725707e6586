#include "fusion/uneven.h"

#include <algorithm>

#include "fusion/count_loads.h"
#include "fusion/flat_nests.h"
#include "fusion/flat_search.h"
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

double energy_of(const PlanNode& node, const PlanEvaluation& evaluation) {
  double pj = node.is_leaf() ? evaluation.leaves[at(node.einsum)].energy_pj : 0;
  for (const PlanNode& child : node.children) pj += energy_of(child, evaluation);
  return pj;
}

// Takes a plan if it is better than that of the outcome.
void take_plan(const Cascade& cascade, const Architecture& arch, std::optional<Plan> plan,
               FuseOutcome& outcome) {
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
}

// The search of trees with even nests, gone on with.
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
    const bool trees = best_.searched != FuseOutcome::Searched::Flat;
    take_plan(cascade_, arch_, with_uneven_nests(cascade_, arch_, best_.plan, left()), best_);
    best_.bound = best_.bound_pj = std::min(best_.bound, best_.value);
    if (trees) search_trees();
    if (best_.searched != FuseOutcome::Searched::Trees) search_flat(trees);
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

  void search_trees() {
    // It could be searched with even nests.
    const auto facts = CascadeFacts::create(cascade_, arch_, shared_, options_.longest_group);
    const FuseOptions options = left();
    FuseOutcome trees = fuse_trees_uneven(
        cascade_, arch_, {options, *facts.value, shared_, options.longest_group}, best_.value);
    const double bound = trees.proven && trees.found() ? trees.energy_pj : trees.bound;
    if (trees.found() && trees.energy_pj < best_.energy_pj) {
      take_plan(cascade_, arch_, with_uneven_nests(cascade_, arch_, std::move(trees.plan), left()),
                best_);
    }
    best_.proven = trees.proven && bound >= best_.value * (1 - 1e-9);
    best_.bound = best_.bound_pj = best_.proven ? best_.value : std::min(bound, best_.value);
  }

  void search_flat(bool also_trees) {
    FuseOutcome flat =
        fuse_flat(cascade_, arch_, left(), {shared_}, {Evenness::Uneven, best_.value, {}});
    if (!flat.found()) return;
    const double value = std::min(best_.value, flat.value);
    const double bound = also_trees ? std::min(best_.bound, flat.bound) : flat.bound;
    const bool proven =
        flat.bound >= value * (1 - 1e-9) && (!also_trees || best_.bound >= value * (1 - 1e-9));
    flat.unfused_pj = best_.unfused_pj;
    flat.unfused_value = best_.unfused_value;
    flat.recomputes = best_.recomputes;
    flat.searched = best_.searched;
    if (flat.value < best_.value) best_ = std::move(flat);
    best_.proven = proven;
    best_.bound = best_.bound_pj = proven ? value : std::min(bound, value);
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
