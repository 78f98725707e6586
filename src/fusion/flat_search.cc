#include "fusion/flat_search.h"

#include <algorithm>
#include <map>

#include "fusion/count_loads.h"
#include "fusion/flat_group.h"

namespace tilewright::fusion {

namespace {

// How consecutive einsums are best mapped: as one group, or cut in two.
struct Best {
  double pj = 0, bound_pj = 0;
  int cut = -1;              // the last einsum of the first part; -1: not cut
  std::optional<Plan> plan;  // of a group
};

class FlatSearch {
 public:
  FlatSearch(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
             const std::string& shared)
      : cascade_(cascade),
        arch_(arch),
        options_(options),
        shared_(shared),
        deadline_(options.seconds, options.cancelled),
        nests_(cascade, arch, shared, deadline_, options.seconds) {}

  FuseOutcome run() {
    FuseOutcome outcome;
    const int count = cascade_.einsum_count();
    try {
      for (int e = 0; e < count; ++e) add_alone(e, outcome);
    } catch (const Expired&) {
      outcome.problems = {
          {{}, "the time did not suffice for the einsums one by one", "allow more"}};
      return outcome;
    }
    if (!outcome.problems.empty()) {
      outcome.status = FuseOutcome::Status::Infeasible;
      return outcome;
    }
    for (int length = 2; length <= count; ++length) {
      for (int first = 0; first + length <= count; ++first) add_run(first, first + length - 1);
    }
    fill(outcome);
    return outcome;
  }

 private:
  Cascade part(int first, int last) const {
    Cascade part{cascade_.name, cascade_.source, {}, {}};
    part.einsums.assign(cascade_.einsums.begin() + first, cascade_.einsums.begin() + last + 1);
    return part;
  }

  void add_alone(int e, FuseOutcome& outcome) {
    const Workload& workload = cascade_.workload(e);
    std::vector<std::int64_t> sizes;
    for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
    const SolvedNest& nest = nests_.find({e, sizes, 0, nests_.capacity()});
    if (!nest.mapping) {
      outcome.problems.push_back(
          {{}, workload.name + ": no nest fits", "tilewright map of this einsum says why"});
      return;
    }
    Best best{nest.pj, nest.bound_pj, -1, unfused(part(e, e), shared_)};
    if (cascade_.einsums[at(e)].then) {
      const double elements = static_cast<double>(tile_words(workload, workload.output(), sizes));
      best.pj += cascade_.einsums[at(e)].then->energy_pj * elements;
      best.bound_pj += cascade_.einsums[at(e)].then->energy_pj * elements;
    }
    Checked<Problem> problem = leaf_problem(workload, arch_, shared_, 0, sizes);
    best.plan->leaves.front().nests.push_back({std::move(*problem.value), *nest.mapping});
    outcome.unfused_pj += best.pj;
    best_[{e, e}] = std::move(best);
  }

  // Groups need something to hand on, and may keep nothing for those behind them.
  bool may_be_group(int first, int last) const {
    bool any = false;
    for (const Intermediate& one : intermediates_of(cascade_)) {
      if (one.writer < first || one.readers.front().einsum > last) continue;
      if (one.readers.back().einsum > last) return false;
      any = true;
    }
    return any && last - first < options_.longest_group;
  }

  void add_run(int first, int last) {
    Best best;
    for (int cut = first; cut < last; ++cut) {
      const Best& before = best_.at({first, cut});
      const Best& behind = best_.at({cut + 1, last});
      const double bound_pj = before.bound_pj + behind.bound_pj;
      if (best.cut < 0 || before.pj + behind.pj < best.pj) {
        best.pj = before.pj + behind.pj;
        best.cut = cut;
      }
      best.bound_pj = cut == first ? bound_pj : std::min(best.bound_pj, bound_pj);
    }
    if (may_be_group(first, last)) {
      const Cascade einsums = part(first, last);
      FlatGroupSearch search({einsums, arch_, shared_, nests_, first, options_.recompute});
      FlatGroup group = search.search(best.pj, deadline_);
      best.bound_pj = std::min(best.bound_pj, group.bound_pj);
      if (group.plan) best = {group.pj, best.bound_pj, -1, std::move(group.plan)};
    }
    best_[{first, last}] = std::move(best);
  }

  void fill(FuseOutcome& outcome) const {
    outcome.status = FuseOutcome::Status::Found;
    outcome.searched = FuseOutcome::Searched::Flat;
    outcome.plan.shared = shared_;
    add_groups(0, cascade_.einsum_count() - 1, outcome);
    const Best& whole = best_.at({0, cascade_.einsum_count() - 1});
    outcome.energy_pj = outcome.value = whole.pj;
    outcome.unfused_value = outcome.unfused_pj;
    outcome.proven = whole.bound_pj >= whole.pj * (1 - 1e-9);
    outcome.bound = outcome.bound_pj = outcome.proven ? whole.pj : whole.bound_pj;
    outcome.seconds = deadline_.seconds();
  }

  void add_groups(int first, int last, FuseOutcome& outcome) const {
    const Best& best = best_.at({first, last});
    if (best.cut >= 0) {
      add_groups(first, best.cut, outcome);
      add_groups(best.cut + 1, last, outcome);
      return;
    }
    outcome.group_pj.push_back(best.pj);
    PlanNode group = best.plan->groups.front();
    renumber(group, first);
    outcome.plan.groups.push_back(std::move(group));
    append(outcome.plan.leaves, best.plan->leaves);
  }

  static void renumber(PlanNode& node, int first) {
    if (node.is_leaf()) node.einsum += first;
    for (PlanNode& child : node.children) renumber(child, first);
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  const std::string& shared_;
  Deadline deadline_;
  SolvedNests nests_;
  std::map<std::pair<int, int>, Best> best_;
};

}  // namespace

FuseOutcome fuse_flat(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                      const std::string& shared) {
  FuseOutcome refused;
  for (const CascadeEinsum& einsum : cascade.einsums) {
    append(refused.problems, problems_with_nests(einsum.workload, arch, shared));
  }
  if (!refused.problems.empty()) return refused;
  return FlatSearch(cascade, arch, options, shared).run();
}

}  // namespace tilewright::fusion
