#include "map/search_log.h"

#include <algorithm>
#include <utility>

#include "map/failures.h"

namespace tilewright {

using Stop = SearchResult::Stop;

Score SearchLog::note(const Mapping& mapping, Scorer& scorer) {
  const Score score = scorer.score(mapping);
  note(mapping, score, 1, 1);
  return score;
}

void SearchLog::note(const Mapping& mapping, const Score& score, std::uint64_t count,
                     std::uint64_t place) {
  improved_ = false;
  if (stop_) return;
  ++noted_;
  if (score.verdict.fits()) {
    take(mapping, score, {result_.seen + place, result_.valid + place, score});
    result_.valid += count;
  } else {
    result_.failures[place_failure(result_.failures, score.verdict, mapping)].count += count;
  }
  result_.seen += count;
  look_around();
}

void SearchLog::take(const Mapping& mapping, const Score& score, const SearchResult::Step& step) {
  if (result_.best && !is_better(objective_, score, result_.score)) return;
  improved_ = true;
  result_.best = mapping;
  result_.score = score;
  result_.steps.push_back(step);
  if (limits_.target && value_of(objective_, score) <= *limits_.target) stop_ = Stop::Target;
}

// What ends the search from outside, and who wants to know how far it is.
void SearchLog::look_around() {
  if (limits_.evaluations && result_.seen >= *limits_.evaluations && !stop_) {
    stop_ = Stop::Evaluations;
  }
  constexpr std::uint64_t kPause = 64;  // mappings, some microseconds each
  if (stop_ || result_.seen < next_look_) return;
  next_look_ = result_.seen + kPause;
  if (deadline_.is_cancelled()) stop_ = Stop::Cancelled;
  if (!stop_ && deadline_.is_out_of_time()) stop_ = Stop::Time;
  if (limits_.on_progress) report();
}

void SearchLog::report() {
  constexpr double kPause = 0.1;
  const double now = deadline_.seconds();
  if (now - last_report_ < kPause) return;
  last_report_ = now;
  SearchProgress progress;
  progress.seen = result_.seen;
  progress.valid = result_.valid;
  progress.seconds = now;
  if (result_.best) progress.best = result_.score;
  progress.fraction = fraction();
  limits_.on_progress(progress);
}

std::optional<double> SearchLog::fraction() const {
  std::optional<double> done;
  const auto consider = [&](double part, double whole) {
    done = std::max(done.value_or(0), std::min(1.0, part / whole));
  };
  const auto seen = static_cast<double>(result_.seen);
  if (expected_) consider(static_cast<double>(noted_), *expected_);
  if (limits_.evaluations) consider(seen, static_cast<double>(*limits_.evaluations));
  if (limits_.seconds) consider(deadline_.seconds(), *limits_.seconds);
  return done;
}

SearchResult SearchLog::conclude(Stop end) {
  result_.stop = stop_.value_or(end);
  if (result_.best) result_.best = canonical(evaluator_.problem(), *result_.best);
  result_.seconds = deadline_.seconds();
  std::stable_sort(result_.failures.begin(), result_.failures.end(),
                   [](const Failure& a, const Failure& b) { return a.count > b.count; });
  return std::exchange(result_, {});
}

}  // namespace tilewright
