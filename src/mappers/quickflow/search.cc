#include <algorithm>
#include <memory>
#include <unordered_set>

#include "mappers/quickflow/climb.h"
#include "mappers/quickflow/start.h"

namespace tilewright {
namespace quickflow {
namespace {

class Search {
 public:
  Search(const Allocation& start, Objective objective, const Limits& limits,
         const QuickflowSettings& settings)
      : start_(start),
        objective_(objective),
        limits_(limits),
        settings_(settings),
        key_(settings.tie_by_depth ? search_key : plain_key),
        monitor_(objective, limits),
        pool_(limits.threads) {
    for (int i = 0; i < pool_.workers(); ++i) {
      owned_.push_back(std::make_unique<Scorer>(start, objective, settings.on_visit));
      scorers_.push_back(owned_.back().get());
    }
  }

  SearchResult run() {
    spread_ = std::make_unique<Climb>(start_, objective_, limits_, settings_);
    spread_->limit(share_of_visits(8));
    spread_->work_with(scorers_, &pool_, &monitor_, 0);
    spread_->search(kParallelism, settings_.parallelism, key_);
    if (!spread_->has_reached_target()) {
      climb_from_each_start();
      climb_from_best();
    }
    return result();
  }

 private:
  static constexpr Scope kParallelism{.temporal = false, .keepers = false};
  static constexpr Scope kTiling{.spatial = false, .keepers = false};
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

  // The starts get equal shares of a limit, so that none depends on another's time.
  std::uint64_t share_of_visits(std::size_t parts) const {
    return limits_.evaluations ? *limits_.evaluations / parts + 1 : kNoLimit;
  }

  // As the factors lie after the first round, and with each tensor made stationary.
  void climb_from_each_start() {
    const int others = std::min(start_.tables().tensors, settings_.starts - 1);
    add_climb(spread_->centre());
    for (int t = 0; t < others; ++t) add_climb(start_with(t));
    pool_.parallel_for(climbs_.size(),
                       [&](int worker, std::size_t i) {
                         climb_from_start(i, worker);
                         return true;
                       },
                       {.on_throw = [&] { monitor_.cancel(); }});
  }

  void climb_from_start(std::size_t number, int worker) {
    Climb& climb = *climbs_[number];
    climb.work_with({&scorers_[at(worker)], 1}, nullptr, &monitor_, worker);
    if (number > 0) begin_with(climb, static_cast<int>(number) - 1);
    climb.search(kTiling, settings_.tiling, key_);
    climb.search(both(), has_remainders() ? settings_.both_uneven : settings_.both, key_);
    if (!climb.centre_cost().is_valid()) climb.return_to_best();
  }

  void add_climb(const Allocation& from) {
    climbs_.push_back(std::make_unique<Climb>(from, objective_, limits_, settings_));
    climbs_.back()->limit(
        share_of_visits(2 * (1 + static_cast<std::size_t>(from.tables().tensors))));
  }

  bool is_alone(int tensor) const {
    Allocation alone = start_;
    keep_alone(alone, tensor);
    return alone == start_;
  }

  Allocation start_with(int tensor) const {
    const bool alone = is_alone(tensor);
    Allocation from = alone ? spread_->centre() : start_;
    if (alone) {
      make_stationary(from, tensor);
    } else {
      keep_alone(from, tensor);
    }
    return from;
  }

  // Other fan-outs suit a tensor that has others taken from beside it.
  void begin_with(Climb& climb, int tensor) const {
    if (is_alone(tensor)) return;
    climb.search(kParallelism, settings_.parallelism, key_);
    Allocation stationary = climb.centre();
    make_stationary(stationary, tensor);
    climb.go_to(stationary);
  }

  // With remainders fewer instances can have more to do.
  Scope both() const {
    constexpr double kIdleWithRemainders = 0.25;
    return {.idle = has_remainders() ? kIdleWithRemainders : 0};
  }
  bool has_remainders() const { return start_.tables().uneven_slots != 0; }

  void climb_from_best() {
    if (any_climb(&Climb::has_reached_target)) return;
    Climb& best = best_of_climbs();
    best.limit(limits_.evaluations
                   ? best.visits() + *limits_.evaluations - std::min(*limits_.evaluations, visits())
                   : kNoLimit);
    best.work_with(scorers_, &pool_, &monitor_, 0);
    best.search(both(), last_round(), key_);
    best.return_to_best();
    constexpr double kIdleInTheEnd = 0.4;  // no longer counts as such
    best.search({.idle = kIdleInTheEnd}, last_round(), final_key);
  }

  // Where fan-outs must divide what remainders inside leave, what suits them lies further away.
  QuickflowSettings::Round last_round() const {
    QuickflowSettings::Round round = settings_.best;
    const SearchTables& tables = start_.tables();
    const bool dividing = (tables.spatial_slots & ~tables.uneven_slots) != 0;
    if (has_remainders() && dividing && round.hops > 0) ++round.hops;
    return round;
  }

  Climb& best_of_climbs() const {
    const auto rank = [&](const Climb& climb) {
      return std::pair(!climb.centre_cost().is_valid(), key_(objective_, climb.centre_cost()));
    };
    Climb* best = climbs_[0].get();
    for (const auto& climb : climbs_) {
      if (rank(*climb) < rank(*best)) best = climb.get();
    }
    return *best;
  }

  std::uint64_t visits() const {
    std::uint64_t sum = spread_->visits();
    for (const auto& climb : climbs_) sum += climb->visits();
    return sum;
  }

  // Whether it is so of any climb, the first one included.
  bool any_climb(bool (Climb::*is_so)() const) const {
    return ((*spread_).*is_so)() ||
           std::any_of(climbs_.begin(), climbs_.end(),
                       [&](const auto& climb) { return ((*climb).*is_so)(); });
  }

  SearchResult::Stop reason() const {
    if (monitor_.stop()) return *monitor_.stop();
    if (any_climb(&Climb::has_reached_target)) return SearchResult::Stop::Target;
    if (any_climb(&Climb::was_limited)) return SearchResult::Stop::Evaluations;
    return SearchResult::Stop::LocalOptimum;
  }

  // What several climbs have met counts once.
  SearchResult result() {
    SearchResult result;
    const Climb* best = nullptr;
    std::unordered_set<std::uint64_t> met;
    met.reserve(visits());
    const auto add = [&](const Climb& climb) {
      auto step = climb.steps().begin();
      for (std::size_t i = 0; i < climb.visited().size(); ++i) {
        const bool is_new = met.insert(climb.visited()[i].hash).second;
        result.seen += is_new ? 1 : 0;
        result.valid += is_new && climb.visited()[i].valid ? 1 : 0;
        if (step == climb.steps().end() || step->seen != i + 1) continue;
        const Score score = (step++)->score;
        if (best != nullptr && !is_better(objective_, score, result.score)) continue;
        best = &climb;
        result.score = score;
        result.steps.push_back({result.seen, result.valid, score});
      }
    };
    add(*spread_);
    for (const auto& climb : climbs_) add(*climb);
    result.stop = reason();
    if (best != nullptr) {
      const SearchTables& tables = start_.tables();
      result.best = best->best()->mapping();
      OrderChooser(tables.evaluator, tables.restrictions, objective_).choose(*result.best);
      result.score = tables.evaluator.score(*result.best);
      result.steps.back().score = result.score;
    }
    result.seconds = monitor_.seconds();
    return result;
  }

  const Allocation& start_;
  const Objective objective_;
  const Limits& limits_;
  const QuickflowSettings& settings_;
  const Climb::KeyOf key_;  // while the search is under way
  Monitor monitor_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<Scorer>> owned_;
  std::vector<Scorer*> scorers_;
  std::unique_ptr<Climb> spread_;  // over the fan-outs
  std::vector<std::unique_ptr<Climb>> climbs_;
};

}  // namespace
}  // namespace quickflow

SearchResult search_locally(const MappingTask& task, const Limits& limits,
                            const QuickflowSettings& settings) {
  if (!task.restrictions.contradictions().empty()) return {};
  const quickflow::SearchTables tables(task.evaluator, task.space, task.restrictions);
  const auto start = quickflow::start_of(tables);
  if (!start) return {};
  return quickflow::Search(*start, task.objective, limits, settings).run();
}

}  // namespace tilewright
