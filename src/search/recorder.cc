#include "tilewright/search.h"

namespace tilewright {

namespace {

bool same_reason(const Verdict& a, const Verdict& b) {
  return a.kind == b.kind && a.level == b.level && a.tensor == b.tensor && a.axis == b.axis;
}

// By how much more is needed than there is, relative to what there is.
bool is_closer(const Verdict& a, const Verdict& b) {
  return static_cast<Int128>(a.needed) * b.available < static_cast<Int128>(b.needed) * a.available;
}

}  // namespace

Recorder::Failure& Recorder::failure_of(const Verdict& verdict, const Mapping& mapping) {
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    if (!same_reason(failures_[i].closest, verdict)) continue;
    last_failure_ = i;
    if (is_closer(verdict, failures_[i].closest)) {
      failures_[i].closest = verdict;
      failures_[i].mapping = mapping;
    }
    return failures_[i];
  }
  last_failure_ = failures_.size();
  failures_.push_back({verdict, mapping, 0});
  return failures_.back();
}

bool Recorder::note(const Mapping& mapping) {
  ++seen_;
  const Score score = evaluator_.score(mapping);
  if (!score.verdict.fits()) {
    ++failure_of(score.verdict, mapping).count;
    return false;
  }
  ++valid_;
  if (!best_ || is_better(objective_, score, *best_)) {
    best_ = score;
    improvements_.push_back({seen_, valid_, score, mapping});
  }
  return true;
}

void Recorder::add_to_last_failure(std::uint64_t mappings) {
  seen_ += mappings;
  failures_[last_failure_].count += mappings;
}

void Recorder::merge_failures(std::vector<Failure>& into, const std::vector<Failure>& from) {
  for (const Failure& failure : from) {
    bool known = false;
    for (Failure& other : into) {
      if (!same_reason(other.closest, failure.closest)) continue;
      known = true;
      other.count += failure.count;
      if (is_closer(failure.closest, other.closest)) {
        other.closest = failure.closest;
        other.mapping = failure.mapping;
      }
    }
    if (!known) into.push_back(failure);
  }
}

}  // namespace tilewright
