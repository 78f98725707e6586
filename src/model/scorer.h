// Scores of many mappings, one after the other, as searches ask for them.
#pragma once

#include <memory>

#include "tilewright/model.h"

namespace tilewright {

// The same evaluator with counts of 128 bits, which give the same scores; for tests.
Evaluator in_wide_counts(const Evaluator& evaluator);

// Gives what Evaluator::score gives, to the last digit, and takes less time
// where factors are perfect: what follows from what the memories keep is worked out once and
// stays while mappings keep the same. One per thread; allocates when it is made only.
class Scorer {
 public:
  explicit Scorer(const Evaluator& evaluator);
  ~Scorer();
  Scorer(Scorer&&) noexcept;

  // The mapping must be structurally sound.
  Score score(const Mapping& mapping);

 private:
  friend class Screen;
  const std::shared_ptr<const model::Compiled>& compiled() const;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
