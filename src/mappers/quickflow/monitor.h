// Counts what the climbs of a search have done, reports it, and ends them at a limit.
#pragma once

#include <mutex>
#include <optional>

#include "base/deadline.h"
#include "tilewright/map.h"

namespace tilewright::quickflow {

class Monitor {
 public:
  Monitor(Objective objective, const Limits& limits)
      : objective_(objective), limits_(limits), deadline_(limits.seconds, limits.cancelled) {}

  // Notes costs taken since the last call, and the best of a climb; true if the
  // search is over. Worker 0 is the thread that called.
  bool pass(int worker, std::uint64_t seen, std::uint64_t valid, const std::optional<Score>& best) {
    const bool stopped = note(seen, valid, best);
    if (worker == 0 && limits_.on_progress) report();
    return stopped;
  }

  // Ends all climbs.
  void cancel() { deadline_.cancel(); }

  std::optional<SearchResult::Stop> stop() const { return stop_; }
  double seconds() const { return deadline_.seconds(); }

 private:
  bool note(std::uint64_t seen, std::uint64_t valid, const std::optional<Score>& best) {
    const std::lock_guard lock(mutex_);
    so_far_.seen += seen;
    so_far_.valid += valid;
    if (best && (!so_far_.best || is_better(objective_, *best, *so_far_.best))) {
      so_far_.best = best;
    }
    if (!stop_ && deadline_.is_cancelled()) stop_ = SearchResult::Stop::Cancelled;
    if (!stop_ && deadline_.is_out_of_time()) stop_ = SearchResult::Stop::Time;
    return stop_.has_value();
  }

  void report() {
    constexpr double kPause = 0.1;
    const double now = seconds();
    if (now - last_report_ < kPause) return;
    last_report_ = now;
    SearchProgress progress;
    {
      const std::lock_guard lock(mutex_);
      progress = so_far_;
    }
    progress.seconds = now;
    limits_.on_progress(progress);
  }

  const Objective objective_;
  const Limits& limits_;
  Deadline deadline_;
  double last_report_ = 0;  // seconds since the start
  std::mutex mutex_;        // for what follows
  SearchProgress so_far_;
  std::optional<SearchResult::Stop> stop_;
};

}  // namespace tilewright::quickflow
