// The best mapping of a map-space, and the proof that none is better.
//
// Every choice of what memories keep and of the spatial bounds is a subproblem; in
// a subproblem, shortest paths over vectors of tile extents give the least energy, or a
// lower bound of it where remainders or slow ports come in; what is left is
// searched within that bound. docs/optimal.md goes through the proof.
#pragma once

#include <array>
#include <cstdint>

#include "tilewright/map.h"

namespace tilewright {

const Mapper& optimal_mapper();

struct OptimalResult : Proof {
  std::optional<Mapping> best;
  std::optional<Problem> apart;     // that the best is a mapping of, if it is uneven
  Score score;                      // of the best
  std::vector<Diagnostic> reasons;  // why nothing fits
};

// How much of a subproblem with remainders in time is looked at at once: more takes longer, less
// may leave more to be taken apart. The answer does not depend on it.
struct Granularity {
  struct Look {
    double ranges = 1;       // vectors of ranges of extents
    std::int64_t bytes = 1;  // for tables of all extents that are left then
  };
  std::array<Look, 3> looks = {{{1 << 12, 4 << 20}, {1 << 14, 16 << 20}, {1 << 16, 64 << 20}}};
  double most_extents = 1 << 24;  // vectors of extents that are looked at one by one
  // Where more is known of what is ahead, one look at so many vectors is enough; the first is not.
  double many_extents = 1e9;
  // A subproblem that took so many steps waits, with the bound that is known by then, until others
  // have a higher one; the next time it has so many times as many.
  std::uint64_t first_effort = std::uint64_t{1} << 23U;
  std::uint64_t more_effort = 8;
  // After so many steps of relaxations a search takes long. Until then the second of the looks is
  // left out. From then on subproblems that go on with the parts that are left of them, and do
  // nothing twice, have so many steps.
  std::uint64_t short_steps = std::uint64_t{1} << 26U;
  std::uint64_t first_part_effort = std::uint64_t{1} << 20U;
  std::uint64_t more_part_effort = 4;
  // Floors that know how much memories hold are worth their time after so many sets of subproblems
  // and so many frames. One frame with remainders in time takes as long as many others.
  std::uint64_t plain_sets = 2048, plain_frames = 16;
  // So are those that know how much all instances of memories hold together, after so many steps of
  // relaxations; and with certain branches, if these were asked for so often. All of that takes at
  // most so many times as many steps as the frames after them.
  std::uint64_t unpooled_steps = std::uint64_t{1} << 27U;
  int most_asked = 8;
  // Sets of no fewer frames have a bound of their own of what goes out of outer memories.
  double many_frames = 16;
  // Such bounds, and those of what is moved inside outer memories, are not asked for any more after
  // so many in a row that raise next to nothing.
  int most_in_vain = 8;
  std::uint64_t most_effort = 4;
  // Sets of frames that differ in the outermost fan-out alone have floors of their own after so
  // many frames, or after as many steps as make a search long.
  std::uint64_t ungrouped = 256;
  // Then so many of them are gone into before others, for a mapping that closes more of them.
  int dives = 4;
  // Where uneven mappings cost more than their paths say, a subproblem stays open after so many
  // steps; so of this one the proof depends.
  std::uint64_t most_steps = 200'000;
};

// The best mapping by the objective and the rest of its key, the same one with any
// number of threads. Limits of evaluations and a target mean nothing here.
OptimalResult find_optimum(const MappingTask& task, const Limits& limits,
                           const Granularity& granularity = {});

}  // namespace tilewright
