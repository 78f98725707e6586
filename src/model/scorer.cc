#include "model/scorer.h"

#include "model/perfect_counter.h"

namespace tilewright {

struct Scorer::State {
  explicit State(std::shared_ptr<const model::Compiled> c, const Evaluator& e)
      : compiled(std::move(c)), evaluator(e), plan(*compiled), counter(*compiled) {}

  std::shared_ptr<const model::Compiled> compiled;
  Evaluator evaluator;
  model::LinkPlan plan;
  model::PerfectCounter counter;
};

Scorer::Scorer(const Evaluator& evaluator)
    : state_(std::make_unique<State>(evaluator.compiled_, evaluator)) {}
Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;

Score Scorer::score(const Mapping& mapping) {
  State& s = *state_;
  s.plan.follow(mapping);
  if (!s.plan.is_simple() || !s.counter.lay_out(s.plan, mapping)) {
    return s.evaluator.score(mapping);
  }
  Score score;
  score.verdict = s.counter.check_fit();
  return score.verdict.fits() ? s.counter.score() : score;
}

}  // namespace tilewright
