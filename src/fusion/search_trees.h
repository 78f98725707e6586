// The best plan whose groups are trees, for which there are tables of all nests.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fusion/flat_search.h"
#include "fusion/search_bounds.h"
#include "tilewright/fusion.h"

namespace tilewright::fusion {

struct TreesTask {
  const FuseOptions& options;
  const CascadeFacts& facts;
  const std::string& shared;
  int longest = 1;  // einsums of a group
};

// Where time counts, groups have fewer einsums at most.
inline int longest_group_of(const FuseOptions& options) {
  return goal_of(options).is_timed() ? std::min(options.longest_group, kLongestTimedGroup)
                                     : options.longest_group;
}

// Says why there is no plan.
FuseOutcome without_plan(std::vector<Diagnostic> problems);

// Where time counts, PortTimes cover it.
FuseOutcome fuse_trees(const Cascade& cascade, const Architecture& arch, const TreesTask& task);
// For the least energy, where groups may share another memory, too, in which einsums take so much
// at least. Lists the best tree of each group of several einsums that may be of use.
FuseOutcome fuse_trees(const Cascade& cascade, const Architecture& arch, const TreesTask& task,
                       const OtherFloors& others, std::vector<GroupPlan>& groups);

// The best plan of even and uneven nests, if it is no worse than that of even ones. The outcome
// says without a plan, too, what is proven.
FuseOutcome fuse_trees_uneven(const Cascade& cascade, const Architecture& arch,
                              const TreesTask& task, const FuseOutcome& even);

}  // namespace tilewright::fusion
