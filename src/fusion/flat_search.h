// The best plan whose groups are those of flat_candidates.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "tilewright/fusion.h"

namespace tilewright::fusion {

// A group that another search has found; its plan has the einsums of the group alone.
struct GroupPlan {
  int first = 0, last = 0;
  Plan plan;
  double pj = 0;
};

struct FlatAim {
  Evenness evenness = Evenness::Even;  // of private nests
  // Plans that take more are of no use; where none takes less, any may come out.
  std::optional<double> to_beat_pj = {};
  // Groups of several einsums in another memory that no other ones beat there; those that are not
  // listed are of no use.
  std::vector<GroupPlan> others = {};
  // Memories that tensors of groups are then moved to, one at a time; none: they stay.
  std::vector<std::string> homes = {};
};

// If there are several memories, each group shares the best one for it. Where time counts, the aim
// has an evenness alone.
FuseOutcome fuse_flat(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                      const std::vector<std::string>& shared, const FlatAim& aim = {});

// The same for the least energy, on architectures that are known to be covered, or on which cycles
// have a price.
FuseOutcome search_flat(const Cascade& cascade, const Architecture& arch,
                        const FuseOptions& options, const std::vector<std::string>& shared,
                        const FlatAim& aim = {});

// Makes the nests of a plan those of this cascade, whose names may differ, on this architecture,
// whose prices may.
void take_nests(const Cascade& cascade, const Architecture& arch, Plan& plan);

// What each einsum takes at least in flat groups that share this memory. Throws Expired.
std::vector<double> flat_floors(const Cascade& cascade, const Architecture& arch,
                                const std::string& shared, const Deadline& deadline);

}  // namespace tilewright::fusion
