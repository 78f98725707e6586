// The best mapping of a map-space, and the proof that none is better.
//
// Every choice of what memories keep and of the spatial bounds is a subproblem; in
// a subproblem, shortest paths over vectors of tile extents give the least energy, or a
// lower bound of it where remainders or slow ports come in; what is left is
// searched within that bound. docs/optimal.md goes through the proof.
#pragma once

#include "tilewright/map.h"

namespace tilewright {

const Mapper& optimal_mapper();

struct OptimalResult : Proof {
  std::optional<Mapping> best;
  Score score;                      // of the best
  std::vector<Diagnostic> reasons;  // why nothing fits
};

// The best mapping by the objective and the rest of its key, the same one with any
// number of threads. Limits of evaluations and a target mean nothing here.
OptimalResult find_optimum(const MappingTask& task, const Limits& limits);

}  // namespace tilewright
