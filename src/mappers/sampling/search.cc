#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "base/deadline.h"
#include "base/thread_pool.h"
#include "map/failures.h"
#include "mappers/sampling/sampling.h"

namespace tilewright {

namespace {

using Stop = SearchResult::Stop;

// Units are handed out in order and their results taken in order, whatever
// order they are finished in: so the answer does not depend on the threads.
class Driver {
 public:
  Driver(const Evaluator& evaluator, const Strategy& strategy, const SamplingOptions& options)
      : evaluator_(evaluator),
        strategy_(strategy),
        options_(options),
        deadline_(options.seconds, options.cancelled),
        pool_(options.threads),
        workers_(static_cast<std::size_t>(pool_.workers())) {
    most_ = strategy.total();
    if (options.evaluations && (!most_ || *options.evaluations < *most_)) {
      most_ = options.evaluations;
      stop_at_most_ = Stop::Evaluations;
    }
    result_.stop = stop_at_most_;  // if there is nothing to explore
  }

  SearchResult run() {
    if (deadline_.is_cancelled()) finish(Stop::Cancelled);
    // The calling thread reports progress and looks at the clock.
    constexpr std::chrono::milliseconds kPause(50);
    pool_.parallel_for(units(),
                       [this](int worker, std::size_t unit) { return explore(worker, unit); },
                       {.look_on = [this] { look_on(); }, .pause = kPause});
    take_rest();
    result_.seconds = deadline_.seconds();
    std::stable_sort(result_.failures.begin(), result_.failures.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return std::move(result_);
  }

 private:
  // What a thread needs.
  struct Worker {
    Worker(std::unique_ptr<Explorer> e, Scorer s) : explorer(std::move(e)), scorer(std::move(s)) {}
    std::unique_ptr<Explorer> explorer;
    Scorer scorer;
  };

  std::size_t units() const {
    if (!most_) return std::numeric_limits<std::size_t>::max();
    const std::uint64_t size = strategy_.unit_size();
    return *most_ / size + (*most_ % size > 0 ? 1 : 0);
  }

  // False if there is nothing more to do.
  bool explore(int worker, std::uint64_t unit) {
    std::optional<Score> to_beat;
    {
      const std::lock_guard lock(mutex_);
      // Even a search that is stopped at once has something to show.
      if (stopped_ && unit > 0) return false;
      if (result_.best) to_beat = result_.score;
    }
    std::optional<Worker>& own = workers_[at(worker)];
    if (!own) own.emplace(strategy_.explorer(), Scorer(evaluator_));
    std::uint64_t size = strategy_.unit_size();
    if (most_) size = std::min(size, *most_ - unit * size);
    Recorder recorder(own->scorer, options_.objective, to_beat);
    own->explorer->explore(unit, size, recorder);
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
    merge_failures(result_.failures, recorder.failures());
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
  }

  void look_on() {
    SearchProgress progress;
    {
      const std::lock_guard lock(mutex_);
      if (deadline_.is_cancelled()) finish(Stop::Cancelled);
      if (stopped_) return;
      if (deadline_.is_out_of_time()) finish(Stop::Time);
      progress = {result_.seen, result_.valid, deadline_.seconds(), {}, fraction(), {}, 0};
      if (result_.best) progress.best = result_.score;
    }
    if (options_.on_progress) options_.on_progress(progress);
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
    if (options_.seconds) consider(deadline_.seconds(), *options_.seconds);
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
  const SamplingOptions& options_;
  const Deadline deadline_;
  ThreadPool pool_;
  std::vector<std::optional<Worker>> workers_;
  std::optional<std::uint64_t> most_;  // mappings to see
  Stop stop_at_most_ = Stop::Complete;

  std::mutex mutex_;                            // for all below
  std::map<std::uint64_t, Recorder> finished_;  // out of turn
  std::uint64_t taken_ = 0;
  std::uint64_t valid_at_improvement_ = 0;
  bool improved_ = false;
  bool stopped_ = false;
  SearchResult result_;
};

}  // namespace

bool Recorder::note(const Mapping& mapping) {
  ++seen_;
  const Score score = scorer_.score(mapping);
  if (!score.verdict.fits()) {
    last_failure_ = place_failure(failures_, score.verdict, mapping);
    ++failures_[last_failure_].count;
    return false;
  }
  ++valid_;
  if (!best_ || is_better(objective_, score, *best_)) {
    best_ = score;
    improvements_.push_back({seen_, valid_, score, mapping});
  }
  return true;
}

bool Recorder::count_misfit(const Verdict& verdict) {
  if (!count_failure(failures_, verdict)) return false;
  ++seen_;
  return true;
}

void Recorder::add_to_last_failure(std::uint64_t mappings) {
  seen_ += mappings;
  failures_[last_failure_].count += mappings;
}

SearchResult search(const Evaluator& evaluator, const Strategy& strategy,
                    const SamplingOptions& options) {
  return Driver(evaluator, strategy, options).run();
}

}  // namespace tilewright
