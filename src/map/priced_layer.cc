#include "priced_layer.h"

#include <algorithm>
#include <cmath>

namespace tilewright::map {

PricedLayer::PricedLayer(const Workload& workload, const Architecture& arch, MapOutcome own_best,
                         std::int64_t count, const MapOptions& options)
    : workload_(workload), arch_(arch), count_(count), options_(options) {
  spend(own_best);
  if (own_best.proof && own_best.proof->bound > 0) product_bound_ = own_best.proof->bound;
  known_.push_back(std::move(own_best));
}

PricedLayer::Answer PricedLayer::at(double price) {
  for (const Solved& solved : solved_) {
    if (solved.price == price) return solved.answer;
  }
  const std::optional<std::size_t> sure = between_equals(price);
  Answer answer;
  if (sure) {
    answer = {*sure, value(*sure, price)};
  } else {
    answer = solve(price);
    solved_.push_back({price, answer});
  }
  return answer;
}

double PricedLayer::least_energy() {
  if (left_ && *left_ <= 0) return 0;
  MapOptions options = options_;
  options.objective = Objective::Energy;
  options.limits.seconds = left_;
  options.limits.target.reset();
  options.settle_ties = false;
  options.remarks = false;
  options.limits.gap = std::max(options.limits.gap, 1.0);
  const MapOutcome outcome = map_workload(workload_, arch_, options);
  spend(outcome);
  return outcome.proof ? outcome.proof->bound * (1 - 1e-12) : 0;
}

bool PricedLayer::is_proven(const Solved& solved) const {
  return solved.answer.least >= value(solved.answer.point, solved.price) * (1 - 1e-11);
}

std::optional<std::size_t> PricedLayer::between_equals(double price) const {
  const Solved* below = nullptr;
  const Solved* above = nullptr;
  for (const Solved& solved : solved_) {
    if (!is_proven(solved)) continue;
    if (solved.price < price && (below == nullptr || solved.price > below->price)) {
      below = &solved;
    }
    if (solved.price > price && (above == nullptr || solved.price < above->price)) {
      above = &solved;
    }
  }
  const bool same =
      below != nullptr && above != nullptr && below->answer.point == above->answer.point;
  return same ? std::optional(below->answer.point) : std::nullopt;
}

std::size_t PricedLayer::best_known(double price) const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < known_.size(); ++i) {
    if (value(i, price) < value(best, price)) best = i;
  }
  return best;
}

// From the least product alone, by the inequality of weighted means: of an EDP, a sum is
// at least twice the root of the product.
double PricedLayer::bound_by_product(double price) const {
  if (price == kAnyPrice) return 0;
  const double a = options_.objective.energy;
  const double b = options_.objective.cycles;
  // The root is the same on every machine, powers are not.
  const double part =
      options_.objective == Objective::Edp
          ? std::sqrt(price * product_bound_)
          : std::pow(product_bound_ * std::pow(price / b, b) / std::pow(a, a), 1 / (a + b));
  return (a + b) * part * (1 - 1e-12);
}

PricedLayer::Answer PricedLayer::solve(double price) {
  std::size_t best = best_known(price);
  const double trivial = bound_by_product(price);
  if (left_ && *left_ <= 0) return {best, std::min(trivial, value(best, price))};
  MapOutcome outcome = map_at(price, known_[best].search.score);
  spend(outcome);
  const bool none_better = outcome.status == MapOutcome::Status::NoneBetter && outcome.proof &&
                           outcome.proof->status == Proof::Status::NoneBetter;
  double least = none_better ? value(best, price) : 0;
  if (outcome.proof && !none_better) least = outcome.proof->bound;
  if (outcome.found() && restore(outcome, price)) {
    known_.push_back(std::move(outcome));
    if (value(known_.size() - 1, price) < value(best, price)) best = known_.size() - 1;
  }
  return {best, std::min(std::max(least, trivial), value(best, price))};
}

MapOutcome PricedLayer::map_at(double price, const Score& known) const {
  MapOptions options = options_;
  const bool time_alone = price == kAnyPrice;
  options.objective = time_alone ? Objective::Latency : Objective::Energy;
  options.limits.seconds = left_;
  options.settle_ties = false;
  options.remarks = false;
  if (options.mapper->proves) {
    options.to_beat = known;
    if (!time_alone) options.to_beat->energy_pj += price * static_cast<double>(known.cycles);
  }
  // Targets are EDPs of single layers, and shares of gaps add up to no more than one.
  options.limits.target.reset();
  return map_workload(workload_, time_alone ? arch_ : with_price(arch_, price), options);
}

bool PricedLayer::restore(MapOutcome& outcome, double price) const {
  if (price != kAnyPrice && !take_price_off(arch_, outcome)) return false;
  outcome.proof = proof_of(outcome.search.score);
  return true;
}

std::optional<Proof> PricedLayer::proof_of(const Score& score) const {
  std::optional<Proof> proof = known_.front().proof;
  if (!proof) return proof;
  proof->gap = proof->bound > 0 ? value_of(options_.objective, score) / proof->bound - 1 : INFINITY;
  if (proof->gap > 1e-12) proof->status = Proof::Status::Stopped;
  return proof;
}

void PricedLayer::spend(const MapOutcome& outcome) {
  if (!options_.limits.seconds) return;
  left_ = left_.value_or(*options_.limits.seconds) - outcome.search.seconds;
}

}  // namespace tilewright::map
