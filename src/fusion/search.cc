// Fused mapping: which searches there are for what is asked for.
#include <algorithm>
#include <limits>
#include <variant>

#include "fusion/flat_nests.h"
#include "fusion/flat_search.h"
#include "fusion/search_bounds.h"
#include "fusion/search_ports.h"
#include "fusion/search_trees.h"
#include "fusion/uneven.h"
#include "tilewright/fusion.h"

namespace tilewright {

namespace {

// The better one of two searches of one cascade; both found a plan.
FuseOutcome better(FuseOutcome trees, FuseOutcome flat) {
  const bool proven = trees.proven && flat.proven;
  const double bound = std::min(trees.bound, flat.bound), seconds = trees.seconds + flat.seconds;
  const double bound_pj = std::min(trees.bound_pj, flat.bound_pj);
  trees.remainders = flat.remainders;
  trees.recomputes = flat.recomputes;
  FuseOutcome best = flat.value < trees.value ? std::move(flat) : std::move(trees);
  best.searched = FuseOutcome::Searched::TreesAndFlat;
  best.proven = proven;
  best.bound = bound;
  best.bound_pj = bound_pj;
  best.seconds = seconds;
  return best;
}

// What an objective with time cannot have.
std::vector<Diagnostic> refusals_with_time(const FuseOptions& options) {
  if (!fusion::goal_of(options).is_timed()) return {};
  std::vector<Diagnostic> problems;
  if (!options.also_shared.empty()) {
    problems.push_back({{},
                        "groups choose among memories for the least energy alone",
                        "name one memory to be shared"});
  }
  return problems;
}

// Why groups cannot choose among these memories.
std::vector<Diagnostic> refusals_of(const Cascade& cascade, const Architecture& arch,
                                    const std::vector<std::string>& memories) {
  std::vector<Diagnostic> problems;
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const auto before = memories.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(memories.begin(), before, memories[i]) != before) {
      problems.push_back({{}, memories[i] + " is named twice as a memory to be shared", ""});
      continue;
    }
    for (const CascadeEinsum& einsum : cascade.einsums) {
      append(problems, fusion::problems_with_nests(einsum.workload, arch, memories[i]));
    }
  }
  return problems;
}

// What einsums take at least in flat groups of all memories but one. Throws Expired.
fusion::OtherFloors others_of(const Cascade& cascade, const Architecture& arch,
                              const std::vector<std::string>& memories, const std::string& but,
                              const Deadline& deadline) {
  fusion::OtherFloors others;
  for (const std::string& memory : memories) {
    if (memory == but) continue;
    const std::vector<double> floors = fusion::flat_floors(cascade, arch, memory, deadline);
    others.by_einsum.resize(floors.size(), {std::numeric_limits<double>::infinity(), 0});
    for (std::size_t e = 0; e < floors.size(); ++e) {
      others.by_einsum[e].pj = std::min(others.by_einsum[e].pj, floors[e]);
    }
  }
  return others;
}

// What the search of trees says of plans that have flat groups, too.
void add_trees(const FuseOutcome& trees, FuseOutcome& outcome) {
  outcome.searched = FuseOutcome::Searched::TreesAndFlat;
  if (trees.proven) return;
  outcome.proven = false;
  outcome.bound = outcome.bound_pj = std::min(outcome.bound, trees.bound);
}

// The groups of trees in one of several memories.
FuseOutcome fuse_one_of(const Cascade& cascade, const Architecture& arch,
                        const fusion::TreesTask& task, const std::vector<std::string>& memories,
                        const Deadline& deadline, std::vector<fusion::GroupPlan>& groups) {
  try {
    const auto others = others_of(cascade, arch, memories, task.shared, deadline);
    return fusion::fuse_trees(cascade, arch, task, others, groups);
  } catch (const Expired&) {
    return fusion::without_plan(
        {{{}, "the time did not suffice to bound all einsums", "allow more by --time"}});
  }
}

// Groups that share different memories: trees where there are tables of nests, else flat ones.
FuseOutcome fuse_memories(const Cascade& cascade, const Architecture& arch,
                          const FuseOptions& options, const std::vector<std::string>& memories) {
  std::vector<Diagnostic> problems = refusals_of(cascade, arch, memories);
  if (!problems.empty()) return fusion::without_plan(std::move(problems));
  const Deadline deadline(options.seconds, options.cancelled);
  fusion::FlatAim aim;
  aim.homes = memories;
  std::vector<std::string> flat;
  std::optional<FuseOutcome> trees;
  for (const std::string& memory : memories) {
    const auto facts = fusion::CascadeFacts::create(cascade, arch, memory, options.longest_group);
    if (!facts.ok() || options.recompute || options.remainders) flat.push_back(memory);
    if (!facts.ok()) continue;
    FuseOptions first = options;
    if (first.seconds) *first.seconds /= 2;
    trees = fuse_one_of(cascade, arch, {first, *facts.value, memory, options.longest_group},
                        memories, deadline, aim.others);
    if (!trees->found()) return *trees;
  }
  FuseOptions rest = options;
  if (rest.seconds) rest.seconds = std::max(0.001, *rest.seconds - deadline.seconds());
  FuseOutcome outcome = fusion::fuse_flat(cascade, arch, rest, flat, aim);
  if (!outcome.found()) return outcome;
  outcome.shared = memories;
  if (trees) add_trees(*trees, outcome);
  outcome.seconds = deadline.seconds();
  return outcome;
}

// With even nests.
FuseOutcome fuse_even(const Cascade& cascade, const Architecture& arch,
                      const FuseOptions& options) {
  const auto shared = options.shared ? options.shared : default_shared_memory(arch);
  if (!shared)
    return fusion::without_plan({{{}, "the architecture has no second memory to be shared", ""}});
  std::vector<Diagnostic> problems = refusals_with_time(options);
  if (!problems.empty()) return fusion::without_plan(std::move(problems));
  if (!options.also_shared.empty()) {
    std::vector<std::string> memories = {*shared};
    append(memories, options.also_shared);
    return fuse_memories(cascade, arch, options, memories);
  }
  const int longest = fusion::longest_group_of(options);
  const Checked<fusion::CascadeFacts> facts =
      fusion::CascadeFacts::create(cascade, arch, *shared, longest);
  const bool timed = fusion::goal_of(options).is_timed();
  const bool covered = facts.ok() && (!timed || fusion::PortTimes::covers(arch, *facts.value));
  if (timed && !covered && !options.uneven_nests && !options.recompute && !options.remainders) {
    auto trees = fusion::fuse_beside_ports(cascade, arch, options, *shared);
    if (trees) return *trees;
  }
  if (!covered) {
    return fusion::fuse_flat(cascade, arch, options, {*shared});
  }
  FuseOutcome trees = fusion::fuse_trees(cascade, arch, {options, *facts.value, *shared, longest});
  if ((!options.recompute && !options.remainders) || !trees.found()) return trees;
  return better(std::move(trees), fusion::fuse_flat(cascade, arch, options, {*shared}));
}

}  // namespace

std::vector<Diagnostic> unknown_memories(const Architecture& arch, const FuseOptions& options) {
  std::vector<std::string> named = options.also_shared;
  if (options.shared) named.insert(named.begin(), *options.shared);
  std::string known;
  for (const Level& level : arch.levels) {
    const auto* memory = std::get_if<Memory>(&level);
    if (memory != nullptr) known += (known.empty() ? "its memories are " : ", ") + memory->name;
  }
  std::vector<Diagnostic> problems;
  for (const std::string& name : named) {
    const auto level = arch.find_level(name);
    if (level && std::holds_alternative<Memory>(arch.level(*level))) continue;
    problems.push_back({{}, "the architecture has no memory \"" + name + "\" to be shared", known});
  }
  return problems;
}

FuseOutcome fuse(const Cascade& cascade, const Architecture& arch, const FuseOptions& asked) {
  const FuseOptions options = fusion::options_on(arch, asked);
  std::vector<Diagnostic> unknown = unknown_memories(arch, options);
  if (!unknown.empty()) return fusion::without_plan(std::move(unknown));
  if (!options.uneven_nests || options.one_group) return fuse_even(cascade, arch, options);
  if (!options.also_shared.empty()) {
    return fusion::without_plan({{{},
                                  "nests are even where groups choose among memories",
                                  "leave out --uneven, or name one memory to be shared"}});
  }
  FuseOptions even = options;
  if (even.seconds) even.seconds = *even.seconds / 2;
  FuseOutcome outcome = fuse_even(cascade, arch, even);
  if (!outcome.found()) return outcome;
  return fusion::fuse_uneven(cascade, arch, options, std::move(outcome));
}

}  // namespace tilewright
