#include "mappers/quickflow/scorer.h"

#include <cmath>

namespace tilewright::quickflow {

Key plain_key(Objective objective, const Cost& cost) {
  const double energy_or_time = value_of(objective, cost.score);
  // Where nothing has an energy, time is all that tells mappings apart.
  return {(energy_or_time > 0 ? energy_or_time : value_of(Objective::Latency, cost.score)) /
              cost.utilisation * cost.missing,
          0};
}

Key search_key(Objective objective, const Cost& cost) {
  const double value = plain_key(objective, cost).first;
  // A logarithm in steps; the real one is not the same to the last digit everywhere.
  constexpr double kStepsPerOctave = 64;
  int octave = 0;
  const double within = 2 * std::frexp(value, &octave) - 1;
  return {octave * kStepsPerOctave + std::floor(within * kStepsPerOctave), -cost.depth};
}

Key final_key(Objective objective, const Cost& cost) {
  const double tie =
      objective.energy == 0 ? cost.score.energy_pj : static_cast<double>(cost.score.cycles);
  return {value_of(objective, cost.score) * cost.missing, tie};
}

Cost Scorer::score(const Allocation& from, const Move& move) {
  scratch_ = from;
  scratch_.apply(move);
  return score_scratch();
}

Cost Scorer::score(const Allocation& allocation) {
  scratch_ = allocation;
  return score_scratch();
}

Cost Scorer::score_scratch() {
  const SearchTables& tables = scratch_.tables();
  Cost cost;
  cost.score = chooser_.choose(scratch_.mapping());
  if (tables.only_model_knows) {
    cost.score.verdict = tables.evaluator.score(scratch_.mapping()).verdict;
  }
  cost.utilisation = scratch_.utilisation();
  cost.missing = scratch_.missing_instances();
  cost.depth = scratch_.depth();
  if (on_visit_ && cost.is_valid()) on_visit_(scratch_.mapping());
  return cost;
}

}  // namespace tilewright::quickflow
