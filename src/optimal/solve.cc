#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "optimal/descent.h"
#include "optimal/fit.h"
#include "optimal/frames.h"
#include "tilewright/optimal.h"

namespace tilewright {

namespace optimal {
namespace {

using Status = OptimalResult::Status;
using Stop = OptimalResult::Stop;

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
  std::optional<Verdict> misfit;
  DescentResult descent;
};

class Solver {
 public:
  Solver(const Setting& setting, const OptimalOptions& options, const Watch& watch)
      : setting_(setting), options_(options), watch_(watch) {}

  OptimalResult run() {
    std::size_t next = 0;
    if (list_candidates()) {
      // Frames of a wave know what was found before it, no more: so the answer does
      // not depend on the number of threads.
      for (std::size_t wave = 1; next < candidates_.size() && !is_enough(next);
           wave = std::min<std::size_t>(2 * wave, 8)) {
        const std::size_t end = std::min(next + wave, candidates_.size());
        solve_wave(next, end);
        next = end;
        if (watch_.expired()) break;
      }
    }
    conclude(next);
    return std::move(result_);
  }

  // The best is too large for the unit of energy.
  bool saturated() const { return best_ && best_->cost.energy >= kTooMuch; }

 private:
  // False if there are too many.
  bool list_candidates() {
    placements_ = list_placements(setting_);
    constexpr std::int64_t kBytesOfFrame = 256;  // a candidate and its share of a spread
    const auto most = static_cast<std::size_t>(options_.memory_bytes / kBytesOfFrame) /
                      std::max<std::size_t>(placements_.size(), 1);
    auto spreads = list_spreads(setting_, most);
    if (!spreads) {
      result_.stop = Stop::Memory;
      return false;
    }
    spreads_ = std::move(*spreads);
    for (std::size_t p = 0; p < placements_.size(); ++p) {
      for (std::size_t s = 0; s < spreads_.size(); ++s) add_candidate(p, s);
      if (watch_.expired()) return false;
    }
    result_.frames = candidates_.size();
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       return is_less(options_.objective, a.floor, b.floor);
                     });
    listed_ = true;
    return true;
  }

  void add_candidate(std::size_t p, std::size_t s) {
    const Frame frame(setting_, placements_[p], spreads_[s]);
    if (const auto misfit = least_misfit(frame)) {
      note(*misfit);
      return;
    }
    Units energy = frame.fixed_energy();
    for (const Link& link : placements_[p].links) energy = sum(energy, frame.least_energy(link));
    candidates_.push_back(
        {static_cast<int>(p), static_cast<int>(s), bound_of(frame, energy, least_loads(frame))});
  }

  static Loads least_loads(const Frame& frame) {
    Loads loads = frame.fixed_loads();
    for (const Link& link : frame.placement().links) frame.add_least_load(link, loads);
    return loads;
  }

  // Keeps the least overflow of each kind, in case that nothing fits at all.
  void note(const Verdict& misfit) {
    for (Verdict& known : misfits_) {
      if (known.kind != misfit.kind || known.level != misfit.level) continue;
      if (misfit.needed < known.needed) known = misfit;
      return;
    }
    misfits_.push_back(misfit);
  }

  // Nothing from this candidate on beats the best, or beats it by enough.
  bool is_enough(std::size_t next) const {
    if (!best_) return false;
    if (!is_less(options_.objective, candidates_[next].floor, best_->cost)) return true;
    return options_.gap > 0 && value(best_->cost) <= value(lowest(next)) * (1 + options_.gap);
  }

  // --- waves ------------------------------------------------------------------

  void solve_wave(std::size_t first, std::size_t end) {
    std::vector<Outcome> outcomes(end - first);
    std::atomic<std::size_t> at{first};
    const std::optional<Cost> cap = best_ ? std::optional<Cost>(best_->cost) : std::nullopt;
    const auto work = [&] {
      for (std::size_t i = at++; i < end; i = at++)
        outcomes[i - first] = solve(candidates_[i], cap);
    };
    const auto threads =
        std::min<std::size_t>(static_cast<std::size_t>(options_.threads), end - first);
    if (options_.on_progress) {
      work_and_report(work, threads, first);
    } else {
      std::vector<std::jthread> helpers;
      for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
      work();
    }
    for (const Outcome& outcome : outcomes) take(outcome);
  }

  // This thread only looks on.
  template <typename Work>
  void work_and_report(const Work& work, std::size_t threads, std::size_t first) {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t busy = threads;
    std::vector<std::jthread> helpers;
    for (std::size_t t = 0; t < threads; ++t) {
      helpers.emplace_back([&] {
        work();
        const std::scoped_lock lock(mutex);
        --busy;
        changed.notify_one();
      });
    }
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(100), [&] { return busy == 0; })) {
      report(first);
    }
  }

  Outcome solve(const Candidate& candidate, const std::optional<Cost>& cap) const {
    Outcome outcome;
    outcome.bound = candidate.floor;
    if (cap && !is_less(options_.objective, candidate.floor, *cap)) return outcome;
    try {
      expand(candidate, cap, outcome);
    } catch (const Expired&) {
      outcome.complete = false;
    }
    return outcome;
  }

  void expand(const Candidate& candidate, const std::optional<Cost>& cap, Outcome& outcome) const {
    const Frame frame(setting_, placements_[static_cast<std::size_t>(candidate.placement)],
                      spreads_[static_cast<std::size_t>(candidate.spread)]);
    const Lattice lattice(frame);
    if (!lattice.ok()) return;
    outcome.expanded = true;
    // Tables of all memories and labels, and those of the classes under way.
    constexpr double kBytesOfVector = 8.0 * 64.0;
    const double bytes = lattice.vectors() * kBytesOfVector * options_.threads;
    if (bytes > static_cast<double>(options_.memory_bytes)) {
      outcome.complete = false;
      outcome.too_large = true;
      return;
    }
    const Relaxation relaxation(frame, lattice, energy_limit(frame, candidate.floor.cycles, cap),
                                watch_);
    outcome.misfit = relaxation.misfit();
    if (relaxation.least() >= kNever) return;
    outcome.bound = bound_of(frame, relaxation.least(), least_loads(frame));
    if (cap && !is_less(options_.objective, outcome.bound, *cap)) return;
    outcome.descent = descend(frame, lattice, relaxation, options_.objective, cap, watch_);
    outcome.complete = outcome.descent.complete;
  }

  // The least energy, leakage aside, with which a mapping of the frame would be no
  // better than the cap.
  Units energy_limit(const Frame& frame, std::int64_t cycles,
                     const std::optional<Cost>& cap) const {
    if (!cap) return kNever;
    Int128 limit = cap->energy;
    if (options_.objective == Objective::Latency) {
      if (cycles < cap->cycles) return kNever;
    } else if (options_.objective == Objective::Edp) {
      limit = (limit * cap->cycles + cycles - 1) / cycles;
    }
    limit -= frame.leakage(cycles);
    return limit < kNever ? static_cast<Units>(std::max<Int128>(limit, 0)) : kNever;
  }

  void take(const Outcome& outcome) {
    result_.frames_expanded += outcome.expanded ? 1 : 0;
    result_.mappings_evaluated += outcome.descent.evaluated;
    if (outcome.too_large) result_.stop = Stop::Memory;
    if (outcome.misfit) note(*outcome.misfit);
    if (!outcome.complete) open_.push_back(outcome.bound);
    const auto& found = outcome.descent.better;
    if (found && (!best_ || is_less(options_.objective, found->cost, best_->cost))) best_ = found;
  }

  // --- results ----------------------------------------------------------------

  void report(std::size_t next) const {
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

  bool is_proven(std::size_t next) const {
    if (!listed_) return false;
    const bool all = next >= candidates_.size() ||
                     (best_ && !is_less(options_.objective, candidates_[next].floor, best_->cost));
    return all && std::all_of(open_.begin(), open_.end(), [&](const Cost& bound) {
             return best_ && !is_less(options_.objective, bound, best_->cost);
           });
  }

  void conclude(std::size_t next) {
    const bool proven = is_proven(next);
    result_.seconds = watch_.seconds();
    if (best_) {
      result_.best = best_->mapping;
      result_.score = setting_.evaluator->score(best_->mapping);
    }
    if (proven) {
      result_.status = best_ ? Status::Proven : Status::Infeasible;
      result_.stop = Stop::Complete;
      if (!best_) give_reasons();
    } else if (result_.stop != Stop::Memory) {
      result_.stop = watch_.cancelled() ? Stop::Cancelled
                     : watch_.expired() ? Stop::Time
                                        : Stop::Gap;
      if (result_.stop == Stop::Gap) result_.status = Status::Proven;
    }
    const double best = best_ ? value_of(options_.objective, result_.score) : 0;
    if (proven) {
      result_.bound = best;
    } else if (listed_) {
      // Rounded down: the conversion from whole units rounds to the nearest.
      result_.bound = value(lowest(next)) * (1 - 1e-15);
      if (best_) result_.bound = std::min(result_.bound, best);
    }
    if (best_ && result_.bound > 0) result_.gap = best / result_.bound - 1;
  }

  void give_reasons() {
    for (const Verdict& misfit : misfits_) {
      result_.reasons.push_back(
          {{},
           fmt::format("no mapping fits {}: even the smallest tiles are too large",
                       to_string(misfit, setting_.problem())),
           {}});
    }
  }

  const Setting& setting_;
  const OptimalOptions& options_;
  const Watch& watch_;
  std::vector<Placement> placements_;
  std::vector<Spread> spreads_;
  std::vector<Candidate> candidates_;
  bool listed_ = false;
  std::vector<Verdict> misfits_;
  std::optional<Found> best_;
  std::vector<Cost> open_;  // bounds of frames that were left unfinished
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

std::string to_string(OptimalResult::Stop stop) {
  switch (stop) {
    case OptimalResult::Stop::Gap:
      return "within the gap asked for";
    case OptimalResult::Stop::Time:
      return "out of time";
    case OptimalResult::Stop::Memory:
      return "out of memory allowed";
    case OptimalResult::Stop::Cancelled:
      return "interrupted";
    case OptimalResult::Stop::Complete:
      break;
  }
  return "all of the space settled";
}

}  // namespace tilewright
