#include "fusion/search_ports.h"

#include <algorithm>

#include "fusion/flat_search.h"
#include "fusion/flat_times.h"
#include "fusion/search_trees.h"

namespace tilewright::fusion {

namespace {

Architecture without_inner_ports(Architecture arch) {
  for (std::size_t i = 1; i < arch.levels.size(); ++i) {
    if (auto* memory = std::get_if<Memory>(&arch.levels[i])) lift_bandwidths(*memory);
  }
  return arch;
}

FuseOptions in_time_left(FuseOptions options, double used) {
  if (options.seconds) options.seconds = std::max(0.001, *options.seconds - used);
  return options;
}

// Counts the plan with all ports; false if they make it slower.
bool keeps_its_time(const Cascade& cascade, const Architecture& arch, const Goal& goal,
                    FuseOutcome& outcome) {
  take_nests(cascade, arch, outcome.plan);
  const PlanEvaluation evaluation = *evaluate_plan(cascade, arch, outcome.plan).value;
  const bool keeps = evaluation.cycles == outcome.cycles;
  outcome.cycles = evaluation.cycles;
  outcome.value = value_of(goal, {evaluation.energy_pj, static_cast<double>(evaluation.cycles)});
  return keeps;
}

}  // namespace

std::optional<FuseOutcome> fuse_beside_ports(const Cascade& cascade, const Architecture& arch,
                                             const FuseOptions& options,
                                             const std::string& shared) {
  const Architecture beside = without_inner_ports(arch);
  const int longest = longest_group_of(options);
  const auto facts = CascadeFacts::create(cascade, beside, shared, longest);
  if (!facts.ok() || !PortTimes::covers(beside, *facts.value)) return std::nullopt;
  FuseOptions first = options;
  if (first.seconds) *first.seconds /= 2;
  FuseOutcome trees = fuse_trees(cascade, beside, {first, *facts.value, shared, longest});
  if (!trees.found()) return trees;
  const double bound = trees.bound, bound_pj = trees.bound_pj;
  const bool best = keeps_its_time(cascade, arch, goal_of(options), trees);
  // Without fusion ports may make einsums wait, too.
  FuseOptions rest = in_time_left(options, trees.seconds);
  if (best) rest.longest_group = 1;
  FuseOutcome flat = fuse_flat(cascade, arch, rest, {shared});
  if (!flat.found()) return flat;
  const double seconds = trees.seconds + flat.seconds;
  trees.unfused_pj = flat.unfused_pj;
  trees.unfused_cycles = flat.unfused_cycles;
  trees.unfused_value = flat.unfused_value;
  FuseOutcome outcome = best || trees.value <= flat.value ? std::move(trees) : std::move(flat);
  outcome.searched = best ? FuseOutcome::Searched::Trees : FuseOutcome::Searched::TreesAndFlat;
  outcome.bound = std::min(bound, outcome.value);
  outcome.bound_pj = bound_pj;
  outcome.proven = bound >= outcome.value * (1 - 1e-9);
  outcome.seconds = seconds;
  return outcome;
}

}  // namespace tilewright::fusion
