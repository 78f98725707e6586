// The best plan whose groups are trees, for which there are tables of all nests.
#pragma once

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

FuseOutcome fuse_trees(const Cascade& cascade, const Architecture& arch, const TreesTask& task);
// For the least energy, where groups may share another memory, too, in which einsums take so much
// at least. Lists the best tree of each group of several einsums that may be of use.
FuseOutcome fuse_trees(const Cascade& cascade, const Architecture& arch, const TreesTask& task,
                       const OtherFloors& others, std::vector<GroupPlan>& groups);

// The plan of least energy whose nests are even or uneven, if it takes no more than one that is
// known. Its nests are not written; the outcome says without a plan, too, what is proven.
FuseOutcome fuse_trees_uneven(const Cascade& cascade, const Architecture& arch,
                              const TreesTask& task, double to_beat_pj);

}  // namespace tilewright::fusion
