#include "tilewright/search.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace tilewright {

namespace {

using Clock = std::chrono::steady_clock;
using Stop = SearchResult::Stop;

// Units are handed out in order and their results taken in order, whatever
// order they are finished in: so the answer does not depend on the threads.
class Driver {
 public:
  Driver(const Evaluator& evaluator, const Strategy& strategy, const SearchOptions& options)
      : evaluator_(evaluator), strategy_(strategy), options_(options), start_(Clock::now()) {
    most_ = strategy.total();
    if (options.evaluations && (!most_ || *options.evaluations < *most_)) {
      most_ = options.evaluations;
      stop_at_most_ = Stop::Evaluations;
    }
    result_.stop = stop_at_most_;  // if there is nothing to explore
  }

  SearchResult run() {
    {
      std::vector<std::jthread> workers;
      for (int i = 0; i < std::max(1, options_.threads); ++i) {
        workers.emplace_back([this] { work(); });
      }
      watch();
    }
    if (failed_) std::rethrow_exception(failed_);
    take_rest();
    result_.seconds = elapsed();
    std::stable_sort(result_.failures.begin(), result_.failures.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return std::move(result_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void work() {
    try {
      const std::unique_ptr<Explorer> explorer = strategy_.explorer();
      while (explore_next(*explorer)) {
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = std::current_exception();
      finish(Stop::Cancelled);
    }
    const std::lock_guard lock(mutex_);
    ++workers_done_;
    changed_.notify_all();
  }

  // False if there is nothing more to do.
  bool explore_next(Explorer& explorer) {
    std::uint64_t unit = 0;
    std::uint64_t size = strategy_.unit_size();
    std::optional<Score> to_beat;
    {
      const std::lock_guard lock(mutex_);
      // Even a search that is stopped at once has something to show.
      if (stopped_ && next_unit_ > 0) return false;
      unit = next_unit_;
      const std::uint64_t first = unit * size;
      if (most_ && first >= *most_) return false;
      if (most_) size = std::min(size, *most_ - first);
      ++next_unit_;
      if (result_.best) to_beat = result_.score;
    }
    Recorder recorder(evaluator_, options_.objective, to_beat);
    explorer.explore(unit, size, recorder);
    const std::lock_guard lock(mutex_);
    finished_.emplace(unit, std::move(recorder));
    take_finished();
    return true;
  }

  void take_finished() {
    for (auto next = finished_.find(taken_); next != finished_.end() && !stopped_;
         next = finished_.find(taken_)) {
      take(next->second);
      finished_.erase(next);
      ++taken_;
      check_limits();
    }
  }

  void take(const Recorder& recorder) {
    for (const Recorder::Improvement& found : recorder.improvements()) {
      if (result_.best && !is_better(options_.objective, found.score, result_.score)) continue;
      result_.best = found.mapping;
      result_.score = found.score;
      result_.steps.push_back(
          {result_.seen + found.seen, result_.valid + found.valid, found.score});
      improved_ = true;
    }
    result_.seen += recorder.seen();
    result_.valid += recorder.valid();
    if (improved_) valid_at_improvement_ = result_.valid;
    improved_ = false;
    Recorder::merge_failures(result_.failures, recorder.failures());
  }

  std::uint64_t in_vain() const { return result_.valid - valid_at_improvement_; }

  void check_limits() {
    if (options_.target && result_.best &&
        value_of(options_.objective, result_.score) <= *options_.target) {
      finish(Stop::Target);
    } else if (most_ && result_.seen >= *most_) {
      finish(stop_at_most_);
    } else if (options_.valid_evaluations && result_.valid >= *options_.valid_evaluations) {
      finish(Stop::Evaluations);
    } else if (options_.patience && result_.best && in_vain() >= *options_.patience) {
      finish(Stop::Patience);
    } else if (!strategy_.total() && result_.valid == 0 && result_.seen >= options_.hopeless) {
      finish(Stop::Hopeless);
    }
  }

  void finish(Stop reason) {
    if (stopped_) return;
    stopped_ = true;
    result_.stop = reason;
    changed_.notify_all();
  }

  // The calling thread reports progress and looks at the clock.
  void watch() {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    while (!stopped_ && workers_done_ < std::max(1, options_.threads)) {
      if (options_.cancelled != nullptr && options_.cancelled->load()) finish(Stop::Cancelled);
      if (!stopped_) changed_.wait_for(lock, 50ms);
      if (stopped_) break;
      if (options_.seconds && elapsed() >= *options_.seconds) finish(Stop::Time);
      if (options_.on_progress) report(lock);
    }
  }

  void report(std::unique_lock<std::mutex>& lock) {
    SearchProgress progress{result_.seen, result_.valid, elapsed(), {}, fraction(), {}};
    if (result_.best) progress.best = result_.score;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      options_.on_progress(progress);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (!thrown) return;
    failed_ = thrown;
    finish(Stop::Cancelled);
  }

  std::optional<double> fraction() const {
    std::optional<double> done;
    const auto consider = [&](double part, double whole) {
      done = std::max(done.value_or(0), std::min(1.0, part / whole));
    };
    if (most_) consider(static_cast<double>(result_.seen), static_cast<double>(*most_));
    if (options_.valid_evaluations) {
      consider(static_cast<double>(result_.valid),
               static_cast<double>(*options_.valid_evaluations));
    }
    if (options_.seconds) consider(elapsed(), *options_.seconds);
    if (options_.patience && result_.best) {
      consider(static_cast<double>(in_vain()), static_cast<double>(*options_.patience));
    }
    return done;
  }

  // A search that was cut short still uses what was finished out of turn.
  void take_rest() {
    if (result_.stop != Stop::Time && result_.stop != Stop::Cancelled) return;
    for (const auto& [unit, recorder] : finished_) take(recorder);
  }

  const Evaluator& evaluator_;
  const Strategy& strategy_;
  const SearchOptions& options_;
  Clock::time_point start_;
  std::optional<std::uint64_t> most_;  // mappings to see
  Stop stop_at_most_ = Stop::Complete;

  std::mutex mutex_;  // for all below
  std::condition_variable changed_;
  std::map<std::uint64_t, Recorder> finished_;  // out of turn
  std::uint64_t next_unit_ = 0, taken_ = 0;
  std::uint64_t valid_at_improvement_ = 0;
  bool improved_ = false;
  bool stopped_ = false;
  int workers_done_ = 0;
  std::exception_ptr failed_;
  SearchResult result_;
};

}  // namespace

SearchResult search(const Evaluator& evaluator, const Strategy& strategy,
                    const SearchOptions& options) {
  return Driver(evaluator, strategy, options).run();
}

}  // namespace tilewright
