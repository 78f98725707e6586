// The best mapping of a map-space, and the proof that none is better.
//
// Every choice of what memories keep and of the spatial bounds is a frame; in
// a frame, shortest paths over vectors of tile extents give the least energy, or a
// lower bound of it where remainders or slow ports come in; what is left is
// searched within that bound. docs/optimal.md goes through the proof.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/mapspace.h"
#include "tilewright/search.h"

namespace tilewright {

struct OptimalProgress {
  std::optional<Score> best;
  double bound = 0;          // nothing is better than this value of the objective
  std::uint64_t points = 0;  // of a front, so far
  double seconds = 0;
  std::uint64_t frames_done = 0, frames = 0;
};

struct OptimalOptions {
  Objective objective = Objective::Edp;
  int threads = 1;
  // Whether mappings that are equal by the objective are told apart by the rest of its
  // key (see is_better). Without it any of the best may come out, but always the same one;
  // of those with the least latency one with the least energy.
  bool settle_ties = true;
  double gap = 0;  // good enough: the value is at most 1 + gap times the bound
  // What is known to be possible elsewhere: only better mappings are of interest.
  std::optional<Score> to_beat;
  std::optional<double> seconds;
  std::int64_t memory_bytes = std::int64_t{2} << 30;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(const OptimalProgress&)> on_progress;
};

struct OptimalResult {
  enum class Status {
    Proven,      // the best is optimal
    Stopped,     // at a limit; `bound` still holds
    Infeasible,  // no mapping fits; `reasons` say why
    NoneBetter,  // than what was to beat, up to the rounding of its energy
  };
  enum class Stop { Complete, Gap, Time, Memory, Cancelled, Inexact };

  Status status = Status::Stopped;
  Stop stop = Stop::Complete;
  std::optional<Mapping> best;
  Score score;                        // of the best
  double bound = 0;                   // of the objective's value, rounded down
  double gap = 0;                     // value / bound - 1
  std::uint64_t frames = 0;           // in the space
  std::uint64_t frames_expanded = 0;  // not closed by the cheap bound
  std::uint64_t mappings_evaluated = 0;
  double seconds = 0;
  std::vector<Diagnostic> reasons;
};

std::string to_string(OptimalResult::Stop stop);

// The best mapping by the objective and the rest of its key, the same one with any
// number of threads.
OptimalResult find_optimum(const Evaluator& evaluator, SpaceKind kind,
                           const Restrictions& restrictions, const OptimalOptions& options);

// Every mapping that no other beats in both energy and cycles; of those with
// the same cost, one.
struct ParetoFront {
  struct Point {
    Mapping mapping;
    Score score;
  };
  std::vector<Point> points;  // fastest first
  bool complete = false;      // proven: there are no other points
  OptimalResult::Stop stop = OptimalResult::Stop::Complete;
  std::uint64_t frames = 0;
  double seconds = 0;
  std::vector<Diagnostic> reasons;  // if it is complete and empty
};

// The options' objective and gap mean nothing here.
ParetoFront find_front(const Evaluator& evaluator, SpaceKind kind, const Restrictions& restrictions,
                       const OptimalOptions& options);

}  // namespace tilewright
