// A good mapping in milliseconds: QuickFlow's multi-hop local beam search.
//
// Neighbours of a mapping have factors of a dimension at another level. For
// each the best loop orders are chosen in one shot (orders.h), so that what is
// compared are allocations of factors alone. From the best allocation so far
// the search takes several hops, the most promising ones of each hop going on,
// until none leads to a better one. docs/quickflow.md tells where this follows the
// paper and where not.
#pragma once

#include <functional>

#include "tilewright/map.h"

namespace tilewright {

const Mapper& quickflow_mapper();

struct QuickflowSettings {
  // As the paper has it: one start, far hops in wide beams, EDP over utilisation as it is.
  static QuickflowSettings of_paper();

  // One round of the search (QuickFlow's N, K and M).
  struct Round {
    int hops = 1;       // away from the best so far; 0 leaves the round out
    int beam = 1;       // allocations that go on after each hop
    int widenings = 0;  // times that a beam in vain is made wider
  };
  Round parallelism{4, 16, 0};   // factors between fan-outs and the outermost level
  Round tiling{1, 1, 0};         // between memories; from each start
  Round both{1, 1, 0};           // all moves; from each start
  Round both_uneven{2, 8, 0};    // the same where remainders are allowed
  Round best{2, 8, 2};           // all moves, from the best that the starts led to
  int widening = 4;              // how many times wider
  int starts = kMaxTensors + 1;  // at most; the first has all factors outermost
  // Whether costs are compared in steps, within which deeper factors are better.
  bool tie_by_depth = true;
  // For studies: called with every valid mapping whose cost was taken, in its
  // chosen orders. With one thread only.
  std::function<void(const Mapping&)> on_visit;
  // For studies, with one thread only: called after each attempt to leave an allocation for a
  // better one.
  struct Step {
    int hops = 0;           // that it took
    bool better = false;    // whether it led to one
    bool memories = false;  // whether factors could move between memories alone
  };
  std::function<void(const Step&)> on_step;
};

// Gap and memory mean nothing here. A limit of evaluations is shared out to the starts, each of
// which takes one in any case. Without a best mapping in the result nothing is known: there was no
// start that fits, or no way to as many instances as a constraint wants; or the restrictions
// contradict each other.
SearchResult search_locally(const MappingTask& task, const Limits& limits,
                            const QuickflowSettings& settings = {});

}  // namespace tilewright
