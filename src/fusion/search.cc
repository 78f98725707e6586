#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fusion/search_plan.h"
#include "fusion/search_tree.h"
#include "tilewright/fusion.h"

namespace tilewright {

namespace {

// The best cuts: groups share no memory, so what comes before a cut and what comes behind it
// do not depend on each other.
struct Cuts {
  std::vector<double> pj;   // of the first einsums
  std::vector<int> before;  // where the last group begins

  Cuts(const fusion::TreeSearch& search, int einsums, bool fused)
      : pj(at(einsums + 1), std::numeric_limits<double>::infinity()), before(at(einsums + 1), -1) {
    pj[0] = 0;
    for (int end = 1; end <= einsums; ++end) {
      for (int begin = fused ? 0 : end - 1; begin < end; ++begin) {
        const fusion::FrontPoint* group = search.best_group(begin, end - 1);
        if (group == nullptr || pj[at(begin)] + group->pj >= pj[at(end)]) continue;
        pj[at(end)] = pj[at(begin)] + group->pj;
        before[at(end)] = begin;
      }
    }
  }
};

FuseOutcome refused(std::vector<Diagnostic> problems) {
  FuseOutcome outcome;
  outcome.problems = std::move(problems);
  return outcome;
}

// Everything resident, and nothing loaded: no nest of the einsum takes less.
double floor_pj(const fusion::CascadeFacts& facts, const fusion::TreeSearch& search) {
  double pj = 0;
  for (int e = 0; e < facts.einsums(); ++e) {
    const fusion::LeafFronts& leaf = search.leaf(e);
    const fusion::Front& front = leaf.front(leaf.must_stream(), leaf.lattice().last());
    pj += facts.fixed_pj(e) + (front.empty() ? 0 : front.points().back().pj);
  }
  return pj;
}

}  // namespace

FuseOutcome fuse(const Cascade& cascade, const Architecture& arch, const FuseOptions& options) {
  const auto shared = options.shared ? options.shared : default_shared_memory(arch);
  if (!shared) return refused({{{}, "the architecture has no second memory to be shared", ""}});
  Checked<fusion::CascadeFacts> facts =
      fusion::CascadeFacts::create(cascade, arch, *shared, options.longest_group);
  if (!facts.ok()) return refused(std::move(facts.problems));
  const Deadline deadline(options.seconds, options.cancelled);
  fusion::TreeSearch search(*facts.value, deadline, options.prunes);
  FuseOutcome outcome;
  outcome.proven = search.search();
  outcome.seconds = deadline.seconds();
  if (!search.has_leaves()) {
    return refused({{{}, "the time did not suffice for the tables of all einsums", "allow more"}});
  }
  const Cuts cuts(search, cascade.einsum_count(), true);
  outcome.unfused_pj = Cuts(search, cascade.einsum_count(), false).pj.back();
  outcome.energy_pj = cuts.pj.back();
  if (cuts.before.back() < 0) {
    outcome.status = FuseOutcome::Status::Infeasible;
    for (int e = 0; e < cascade.einsum_count(); ++e) {
      if (search.best_group(e, e) != nullptr) continue;
      const std::string& name = cascade.workload(e).name;
      outcome.problems.push_back(
          {{},
           fmt::format("{}: no nest fits, not even with every tensor streamed", name),
           "make memories larger; tilewright map of this einsum says which"});
    }
    return outcome;
  }
  outcome.status = FuseOutcome::Status::Found;
  outcome.bound_pj = outcome.proven ? outcome.energy_pj : floor_pj(*facts.value, search);
  outcome.plan.shared = *shared;
  fusion::PlanBuilder builder(cascade, arch, *facts.value, search, outcome.plan);
  std::vector<std::pair<int, int>> groups;
  for (int end = cascade.einsum_count(); end > 0; end = cuts.before[at(end)]) {
    groups.emplace_back(cuts.before[at(end)], end);
  }
  std::reverse(groups.begin(), groups.end());
  for (const auto& [begin, end] : groups) {
    const fusion::FrontPoint* group = search.best_group(begin, end - 1);
    outcome.group_pj.push_back(group->pj);
    builder.add_group(*group);
  }
  return outcome;
}

}  // namespace tilewright
