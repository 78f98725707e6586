#include "map/failures.h"
#include "mappers/sampling/sampling.h"

namespace tilewright {

bool Recorder::note(const Mapping& mapping) {
  ++seen_;
  const Score score = evaluator_.score(mapping);
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

void Recorder::add_to_last_failure(std::uint64_t mappings) {
  seen_ += mappings;
  failures_[last_failure_].count += mappings;
}

}  // namespace tilewright
