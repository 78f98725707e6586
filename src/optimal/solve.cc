#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "optimal/descent.h"
#include "optimal/frames.h"
#include "tilewright/optimal.h"

namespace tilewright {

namespace optimal {
namespace {

// A frame and what none of its mappings beats.
struct Candidate {
  int placement = 0, spread = 0;
  Cost floor;
};

struct Outcome {
  bool expanded = false;
  bool complete = true;
  bool too_large = false;
  Cost bound;  // of the frame, if it is not complete
  DescentResult descent;
};

class Solver {
 public:
  Solver(const Setting& setting, const OptimalOptions& options, const Watch& watch)
      : setting_(setting), options_(options), watch_(watch) {}

  OptimalResult run() {
    list_candidates();
    result_.frames = candidates_.size();
    std::size_t wave = 1;
    std::size_t next = 0;
    for (; next < candidates_.size() && !is_enough(next);
         wave = std::min<std::size_t>(2 * wave, 8)) {
      const std::size_t end = std::min(next + wave, candidates_.size());
      solve_wave(next, end);
      next = end;
      report(next);
      if (watch_.expired()) break;
    }
    conclude(next);
    return std::move(result_);
  }

  bool saturated() const { return best_ && best_->cost.energy >= kTooMuch; }

 private:
  void list_candidates() {
    placements_ = list_placements(setting_);
    spreads_ = list_spreads(setting_);
    for (std::size_t p = 0; p < placements_.size(); ++p) {
      for (std::size_t s = 0; s < spreads_.size(); ++s) {
        const Frame frame(setting_, placements_[p], spreads_[s]);
        Units energy = frame.fixed_energy();
        Loads loads = frame.fixed_loads();
        for (const Link& link : placements_[p].links) {
          energy = sum(energy, frame.least_energy(link));
          frame.add_least_load(link, loads);
        }
        candidates_.push_back(
            {static_cast<int>(p), static_cast<int>(s), bound_of(frame, energy, loads)});
      }
    }
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       return is_less(options_.objective, a.floor, b.floor);
                     });
  }

  std::optional<Cost> to_beat() const {
    return best_ ? std::optional<Cost>(best_->cost) : std::nullopt;
  }

  // What any mapping of the candidates from here on costs at least.
  bool is_enough(std::size_t next) const {
    return best_ && !is_less(options_.objective, candidates_[next].floor, best_->cost);
  }

  void solve_wave(std::size_t first, std::size_t end) {
    std::vector<Outcome> outcomes(end - first);
    std::atomic<std::size_t> at{first};
    const std::optional<Cost> cap = to_beat();
    const auto work = [&] {
      for (std::size_t i = at++; i < end; i = at++)
        outcomes[i - first] = solve(candidates_[i], cap);
    };
    std::vector<std::thread> helpers;
    const auto threads =
        std::min<std::size_t>(static_cast<std::size_t>(options_.threads), end - first);
    for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
    for (const Outcome& outcome : outcomes) take(outcome);
  }

  Outcome solve(const Candidate& candidate, const std::optional<Cost>& cap) const {
    Outcome outcome;
    outcome.bound = candidate.floor;
    if (cap && !is_less(options_.objective, candidate.floor, *cap)) return outcome;
    const Frame frame(setting_, placements_[static_cast<std::size_t>(candidate.placement)],
                      spreads_[static_cast<std::size_t>(candidate.spread)]);
    const Lattice lattice(frame);
    if (!lattice.ok()) return outcome;
    outcome.expanded = true;
    // Tables of all memories and labels, and those of the classes under way.
    if (lattice.vectors() * 8.0 * 64.0 > static_cast<double>(options_.memory_bytes)) {
      outcome.complete = false;
      outcome.too_large = true;
      return outcome;
    }
    const Relaxation relaxation(frame, lattice);
    if (relaxation.least() >= kNever) return outcome;
    Loads loads = frame.fixed_loads();
    for (const Link& link : frame.placement().links) frame.add_least_load(link, loads);
    outcome.bound = bound_of(frame, relaxation.least(), loads);
    if (cap && !is_less(options_.objective, outcome.bound, *cap)) return outcome;
    outcome.descent = descend(frame, lattice, relaxation, options_.objective, cap, watch_);
    outcome.complete = outcome.descent.complete;
    return outcome;
  }

  void take(const Outcome& outcome) {
    result_.frames_expanded += outcome.expanded ? 1 : 0;
    result_.mappings_evaluated += outcome.descent.evaluated;
    nodes_ += outcome.descent.expanded;
    if (outcome.too_large) result_.stop = OptimalResult::Stop::Memory;
    if (!outcome.complete) open_.push_back(outcome.bound);
    const auto& found = outcome.descent.better;
    if (found && (!best_ || is_less(options_.objective, found->cost, best_->cost))) best_ = found;
  }

  void report(std::size_t next) const {
    if (!options_.on_progress) return;
    OptimalProgress progress;
    progress.frames = candidates_.size();
    progress.frames_done = next;
    progress.seconds = watch_.seconds();
    if (best_) progress.best = setting_.evaluator->score(best_->mapping);
    progress.bound = value(lowest(next));
    options_.on_progress(progress);
  }

  // The least of what is not settled, or the best if all is.
  Cost lowest(std::size_t next) const {
    Cost cost;
    const auto consider = [&](const Cost& other) {
      if (is_less(options_.objective, other, cost)) cost = other;
    };
    for (const Cost& bound : open_) consider(bound);
    if (next < candidates_.size()) consider(candidates_[next].floor);
    if (best_) consider(best_->cost);
    return cost;
  }

  double value(const Cost& cost) const {
    const double energy = static_cast<double>(cost.energy) / setting_.scale.per_pj;
    return value_of(options_.objective, {{}, energy, cost.cycles});
  }

  void conclude(std::size_t next) {
    const bool all = next >= candidates_.size() || is_enough(next);
    bool proven = all;
    for (const Cost& bound : open_) {
      proven = proven && best_ && !is_less(options_.objective, bound, best_->cost);
    }
    result_.seconds = watch_.seconds();
    if (best_) {
      result_.best = best_->mapping;
      result_.score = setting_.evaluator->score(best_->mapping);
    }
    if (proven) {
      result_.status = best_ ? OptimalResult::Status::Proven : OptimalResult::Status::Infeasible;
      result_.stop = OptimalResult::Stop::Complete;
    } else if (result_.stop != OptimalResult::Stop::Memory) {
      result_.stop =
          watch_.cancelled() ? OptimalResult::Stop::Cancelled : OptimalResult::Stop::Time;
    }
    if (best_) {
      const double best = value_of(options_.objective, result_.score);
      result_.bound = proven ? best : std::min(best, value(lowest(next)));
      result_.gap = result_.bound > 0 ? best / result_.bound - 1 : 0;
    } else if (!proven) {
      result_.bound = value(lowest(next));
    }
  }

  const Setting& setting_;
  const OptimalOptions& options_;
  const Watch& watch_;
  std::vector<Placement> placements_;
  std::vector<Spread> spreads_;
  std::vector<Candidate> candidates_;
  std::optional<Found> best_;
  std::vector<Cost> open_;  // bounds of frames that were left unfinished
  std::uint64_t nodes_ = 0;
  OptimalResult result_;
};

}  // namespace
}  // namespace optimal

OptimalResult find_optimum(const Evaluator& evaluator, SpaceKind kind,
                           const Restrictions& restrictions, const OptimalOptions& options) {
  const optimal::Watch watch(options.seconds, options.cancelled);
  constexpr int kMostDecimals = 12;
  for (int decimals = kMostDecimals;; --decimals) {
    const optimal::Setting setting = optimal::make_setting(evaluator, kind, restrictions, decimals);
    optimal::Solver solver(setting, options, watch);
    OptimalResult result = solver.run();
    // Energies too large for the unit: once more with a coarser one.
    if (decimals == 0 || !solver.saturated()) return result;
  }
}

}  // namespace tilewright
