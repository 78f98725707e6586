// What ends a search from outside, and who wants to know how far it is.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

#include "tilewright/search.h"

namespace tilewright::quickflow {

class Watch {
 public:
  explicit Watch(const SearchOptions& options)
      : options_(options), begin_(Clock::now()), last_report_(begin_) {}

  // Notes costs taken since the last call, and the best of a climb; true if the
  // search is over. Worker 0 is the thread that called.
  bool pass(int worker, std::uint64_t seen, std::uint64_t valid, const std::optional<Score>& best) {
    const std::lock_guard lock(mutex_);
    seen_ += seen;
    valid_ += valid;
    if (best && (!best_ || is_better(options_.objective, *best, *best_))) best_ = best;
    if (!stop_) stop_ = reason();
    if (worker == 0) report();
    return stop_.has_value();
  }

  std::optional<SearchResult::Stop> stop() const { return stop_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<SearchResult::Stop> reason() const {
    if (options_.cancelled != nullptr && options_.cancelled->load()) {
      return SearchResult::Stop::Cancelled;
    }
    if (options_.seconds && seconds() >= *options_.seconds) return SearchResult::Stop::Time;
    return std::nullopt;
  }

  void report() {
    constexpr std::chrono::milliseconds kPause(100);
    const auto now = Clock::now();
    if (!options_.on_progress || now - last_report_ < kPause) return;
    last_report_ = now;
    SearchProgress progress;
    progress.seen = seen_;
    progress.valid = valid_;
    progress.seconds = seconds();
    progress.best = best_;
    options_.on_progress(progress);
  }

  const SearchOptions& options_;
  Clock::time_point begin_, last_report_;
  std::mutex mutex_;
  std::uint64_t seen_ = 0, valid_ = 0;
  std::optional<Score> best_;
  std::optional<SearchResult::Stop> stop_;
};

}  // namespace tilewright::quickflow
