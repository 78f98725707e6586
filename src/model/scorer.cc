#include "model/scorer.h"

#include "model/perfect_counter.h"

namespace tilewright {

struct Scorer::State {
  explicit State(std::shared_ptr<const model::Compiled> c)
      : compiled(std::move(c)), perfect(*compiled) {}

  std::shared_ptr<const model::Compiled> compiled;
  model::PerfectScorer perfect;
};

Scorer::Scorer(const Evaluator& evaluator) : state_(std::make_unique<State>(evaluator.compiled_)) {}
Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;

Score Scorer::score(const Mapping& mapping) {
  Score score;
  if (state_->perfect.score(mapping, score)) return score;
  return model::score_of_any(*state_->compiled, mapping);
}

const std::shared_ptr<const model::Compiled>& Scorer::compiled() const { return state_->compiled; }

}  // namespace tilewright
