#include <algorithm>
#include <limits>

#include "base/memory_budget.h"
#include "base/thread_pool.h"
#include "mappers/optimal/array_choices.h"
#include "mappers/optimal/home_load.h"
#include "mappers/optimal/mirrors.h"
#include "mappers/optimal/optimal.h"
#include "mappers/optimal/outer_filling.h"
#include "mappers/optimal/reasons.h"
#include "mappers/optimal/subproblem_search.h"
#include "mappers/optimal/uneven_search.h"

namespace tilewright {

namespace optimal {
namespace {

using Status = Proof::Status;
using Stop = Proof::Stop;

SolverTables tables_for(const MappingTask& task) {
  SolverTables tables = make_solver_tables(task.evaluator, task.space, task.restrictions);
  tables.uneven = task.uneven;
  tables.home_cycles = least_home_cycles(tables);
  if (!task.arrays.empty()) tables.arrays = std::make_shared<ArrayChoices>(tables, task.arrays);
  tables.mirrors = find_mirrors(tables);
  tables.only_tight_bounds = !tables.is_perfect();
  return tables;
}

// Rounded down, so that no mapping is below it.
SolverTables with_foreknown(const Foreknown& known, SolverTables tables) {
  tables.least_cycles = std::max(known.least_cycles, tables.home_cycles);
  const double units = known.least_filling_pj * tables.scale.per_pj * (1 - 1e-12);
  constexpr double kMost = 4e37;
  // Where energies are rounded, a mapping may seem to take less than it does.
  if (!tables.scale.exact || !(units > 0 && units < kMost)) return tables;
  tables.least_filling = tables.scale.table(static_cast<Energy>(units));
  tables.filled = index_of(tables.problem().memory_at(known.filled));
  return tables;
}

class Solver {
 public:
  // Without an aim: for the front of energy against latency.
  Solver(const MappingTask& task, std::optional<Aim> aim, const Limits& limits,
         const Granularity& granularity)
      : task_(task),
        deadline_(limits.seconds, limits.cancelled),
        solver_(with_foreknown(task.known, tables_for(task))),
        by_paths_(task.uneven != 0 || solver_.has_shared_rooms()),
        limits_(limits),
        granularity_(granularity),
        pool_(limits.threads),
        outer_(solver_),
        queue_(solver_, aim.value_or(Aim{}), limits.memory_bytes / 2, task.known.settled,
               {&outer_, granularity.plain_sets, granularity.unpooled_steps, granularity.most_asked,
                granularity.most_effort, granularity.ungrouped, granularity.short_steps,
                granularity.dives, granularity.many_frames, granularity.most_in_vain}),
        tables_(limits.memory_bytes - limits.memory_bytes / 2),
        filling_(solver_),
        goal_(aim, {solver_.macs, solver_.compute_macs, solver_.compute_cycles}) {
    solver_.outer = &outer_;
    if (!aim || aim->objective.cycles > 0) ports_ = list_ports(solver_);
  }

  OptimalResult run(const std::optional<Score>& to_beat, const Mapping* start) {
    if (to_beat) {
      // Not below what it really is: something as good may come out, nothing better is lost.
      const double units = to_beat->energy_pj * solver_.scale.per_pj * (1 + 1e-12);
      constexpr double kMost = 4e37;
      if (units < kMost) {
        goal_.add({static_cast<Energy>(units) + 1, to_beat->cycles, to_beat->instances});
      }
    }
    if (start != nullptr) begin_with(*start);
    if (start != nullptr && has_remainders_in_time(solver_)) begin_with_perfect_factors();
    settle();
    conclude();
    return std::move(result_);
  }

  ParetoFront run_front() {
    settle();
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return a.cost.cycles < b.cost.cycles; });
    ParetoFront front;
    for (const Found& found : found_) {
      front.points.push_back({found.mapping, score_of(found)});
      if (found.apart) front.points.back().apart = found.apart->problem();
    }
    front.complete = queue_.floor() == nullptr && open_.empty();
    front.stop = front.complete ? Stop::Complete : stop_reason();
    front.frames = queue_.made();
    front.seconds = deadline_.seconds();
    if (front.complete && found_.empty()) result_.reasons = why_nothing_fits(solver_, misfits_);
    front.reasons = std::move(result_.reasons);
    return front;
  }

 private:
  // Settles subproblems one wave after the other. Those of a wave know what was found before
  // it, no more: so the answer does not depend on the number of threads.
  void settle() {
    for (std::size_t size = 1; !is_enough() && !is_hopeless() &&
                               result_.frames_expanded < most_frames_ && !queue_.has_ended();
         size = std::min<std::size_t>(2 * size, 8)) {
      refine();
      ask_others();
      const std::vector<Candidate> wave = next_wave(size);
      if (wave.empty() && queue_.has_paused()) continue;
      if (wave.empty()) break;
      solve_wave(wave);
      if (deadline_.has_passed()) break;
    }
    result_.frames = queue_.made();
  }

  // Most searches end before better floors, and a better mapping, would be of use.
  void refine() {
    // Where energies decide only between equals, they close little.
    const bool soon =
        has_remainders_in_time(solver_) && (goal_.is_front() || goal_.aim()->objective.energy > 0);
    const std::uint64_t most = soon ? 1 : granularity_.plain_frames;
    const bool early = !is_waiting_ && queue_.steps() < granularity_.short_steps &&
                       result_.frames_expanded < std::min(most, granularity_.plain_frames);
    if (is_refined_ || goal_.empty() || early) return;
    is_refined_ = true;
    outer_.find(tables_.bytes(), deadline_);
    const bool begins = solver_.is_perfect() || has_remainders_in_time(solver_);  // with them
    if (!begins && !is_part_ && !by_paths_ && !goal_.is_front()) begin_with_perfect_factors();
  }

  // Often nothing is better than the best mapping without remainders, which is found soon. So it
  // is looked for, too, where someone looked for a mapping to begin with.
  void begin_with_perfect_factors() {
    constexpr std::uint64_t kFrames = 128;
    constexpr std::uint64_t kSteps = std::uint64_t{1} << 27U;
    begin_with_best_of(SpaceKind::Perfect, kFrames, kSteps, limits_.memory_bytes);
  }

  // Where a search with remainders takes long, another one is asked for a mapping, with more effort
  // each time: what is not better is closed. With those in space alone it takes longer to come to
  // no end. Without such a search the best mapping of these is looked for.
  void ask_others() {
    const bool is_of_use = !solver_.is_perfect() && !by_paths_ && !goal_.is_front();
    const std::uint64_t soon = (has_remainders_in_time(solver_) ? 2 : 8) * granularity_.short_steps;
    const bool has_part = task_.space == SpaceKind::Ruby;  // all mappings of ruby-s
    const bool is_there = task_.other_search || has_part;
    if (!is_there || !is_of_use) return;
    queue_.pause_after(patience_ * soon);
    if (!queue_.has_paused()) return;
    if (task_.other_search) {
      const SearchResult other = task_.other_search(asked_effort_, limits_left());
      asked_effort_ *= 2;
      result_.mappings_evaluated += other.seen;
      if (other.best) begin_with(*other.best);
    } else {
      constexpr std::uint64_t kFrames = 1024;
      // Between waves the tables' memory is free.
      begin_with_best_of(SpaceKind::RubyS, kFrames, patience_ * soon, tables_.bytes());
    }
    patience_ *= 4;
    queue_.pause_after(patience_ * soon);
  }

  // No clock decides how far that search goes.
  void begin_with_best_of(SpaceKind space, std::uint64_t most_frames, std::uint64_t most_steps,
                          std::int64_t most_bytes) {
    MappingTask part = task_;
    part.space = space;
    part.other_search = {};
    Limits limits = limits_left();
    limits.memory_bytes = most_bytes;
    Solver solver(part, goal_.aim(), limits, granularity_);
    solver.is_part_ = true;
    solver.most_frames_ = most_frames;
    solver.queue_.end_after(most_steps);
    std::optional<Score> known;
    if (!found_.empty()) known = score_of(found_.front());
    const OptimalResult best = solver.run(known, nullptr);
    result_.mappings_evaluated += best.mappings_evaluated;
    if (!best.best) return;
    std::shared_ptr<const Evaluator> apart;
    if (best.apart) apart = std::make_shared<Evaluator>(*Evaluator::compile(*best.apart).value);
    begin_with(*best.best, apart);
  }

  // For a search beside this one.
  Limits limits_left() const {
    Limits limits = limits_;
    limits.on_progress = {};
    limits.evaluations.reset();
    limits.target.reset();
    limits.gap = 0;
    if (limits.seconds) *limits.seconds = std::max(0.0, *limits.seconds - deadline_.seconds());
    return limits;
  }

  std::vector<Candidate> next_wave(std::size_t size) {
    std::vector<Candidate> wave;
    try {
      while (wave.size() < size) {
        std::optional<Candidate> next = queue_.next(goal_, deadline_, !wave.empty());
        if (!next) break;
        wave.push_back(std::move(*next));
      }
    } catch (const Expired&) {
      return wave;  // what is still in the queue stays open
    } catch (const TooLarge&) {
      result_.stop = Stop::Memory;
    }
    return wave;
  }

  void begin_with(const Mapping& mapping, std::shared_ptr<const Evaluator> apart = nullptr) {
    const Evaluator& evaluator = apart ? *apart : *solver_.evaluator;
    const Score score = evaluator.score(mapping);
    if (!score.verdict.fits()) return;
    const Cost cost{exact_energy(solver_, evaluator, mapping), score.cycles, score.instances};
    if (!goal_.is_improved_by(cost)) return;
    goal_.add(cost);
    found_ = {{mapping, cost, std::move(apart)}};
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

  // The best is as near to what is left as was asked for.
  bool is_enough() const {
    if (goal_.is_front() || goal_.empty() || limits_.gap <= 0) return false;
    return value(goal_.best()) <= value(lowest()) * (1 + limits_.gap);
  }

  // Too many frames were too large for uneven mappings with remainders in time: there are mostly
  // more of them, and the proof will not come.
  bool is_hopeless() const {
    constexpr std::uint64_t kMostTooLarge = 32;
    return by_paths_ && too_large_ >= kMostTooLarge;
  }

  // --- waves ------------------------------------------------------------------

  void solve_wave(const std::vector<Candidate>& wave) {
    std::vector<SearchOutcome> outcomes(wave.size());
    const bool takes_long = queue_.steps() >= granularity_.short_steps;
    const SearchSetting setting{solver_, ports_, deadline_, tables_, granularity_, takes_long};
    for (const Candidate& candidate : wave) {
      if (by_paths_) UnevenSearch(setting, filling_, candidate, goal_).prepare();
    }
    ThreadPool::Options sharing;
    if (limits_.on_progress) sharing.look_on = [&] { report(wave.front().floor); };
    sharing.on_throw = [&] { deadline_.cancel(); };
    pool_.parallel_for(
        outcomes.size(),
        [&](int /*worker*/, std::size_t i) {
          if (goal_.is_improved_by(wave[i].floor)) {
            outcomes[i] = by_paths_ ? UnevenSearch(setting, filling_, wave[i], goal_).run()
                                    : SubproblemSearch(setting, wave[i], goal_).run();
          }
          return true;
        },
        sharing);
    for (std::size_t i = 0; i < wave.size(); ++i) take(wave[i], outcomes[i]);
    for (std::size_t i = 0; i < wave.size(); ++i) {
      if (!outcomes[i].postponed) continue;
      queue_.put_back(wave[i], outcomes[i].bound, outcomes[i].expanded, goal_,
                      std::move(outcomes[i].parts));
      is_waiting_ = true;
    }
  }

  void take(const Candidate& candidate, const SearchOutcome& outcome) {
    result_.frames_expanded += outcome.expanded && !candidate.expanded ? 1 : 0;
    result_.mappings_evaluated += outcome.evaluated;
    queue_.add_steps(outcome.steps);
    if (outcome.too_large) result_.stop = Stop::Memory;
    too_large_ += outcome.too_large ? 1 : 0;
    if (outcome.misfit) note(*outcome.misfit);
    if (!outcome.complete && !outcome.postponed) open_.push_back(outcome.bound);
    if (!outcome.postponed) queue_.settle(candidate);
    for (const Found& found : outcome.found) {
      if (!goal_.is_improved_by(found.cost)) continue;
      goal_.add(found.cost);
      // What it beats is of interest no more.
      std::erase_if(found_, [&](const Found& known) {
        return !goal_.is_front() ||
               (found.cost.energy <= known.cost.energy && found.cost.cycles <= known.cost.cycles);
      });
      found_.push_back(found);
    }
  }

  // --- results ----------------------------------------------------------------

  void report(const Cost& next) const {
    SearchProgress progress;
    const auto made = static_cast<double>(std::max<std::uint64_t>(queue_.made(), 1));
    progress.fraction = static_cast<double>(result_.frames_expanded) / made;
    progress.points = found_.size();
    progress.seconds = deadline_.seconds();
    if (!goal_.is_front()) {
      if (!found_.empty()) progress.best = score_of(found_.front());
      Cost bound = lowest();
      if (is_less(*goal_.aim(), next, bound)) bound = next;
      progress.bound = value(bound);
    }
    limits_.on_progress(progress);
  }

  Score score_of(const Found& found) const {
    return (found.apart ? *found.apart : *solver_.evaluator).score(found.mapping);
  }

  // The least of what is not settled, or the best if all is.
  Cost lowest() const {
    Cost cost = goal_.empty() ? Cost{} : goal_.best();
    const auto consider = [&](const Cost& other) {
      if (is_less(*goal_.aim(), other, cost)) cost = other;
    };
    for (const Cost& bound : open_) consider(bound);
    if (queue_.floor() != nullptr) consider(*queue_.floor());
    return cost;
  }

  double value(const Cost& cost) const {
    const double energy = static_cast<double>(cost.energy) / solver_.scale.per_pj;
    return value_of(goal_.aim()->objective, {{}, energy, cost.cycles, cost.instances});
  }

  bool is_proven() const {
    const auto settled = [&](const Cost& bound) {
      return !goal_.empty() && !goal_.is_improved_by(bound);
    };
    if (queue_.floor() != nullptr && !settled(*queue_.floor())) return false;
    return std::all_of(open_.begin(), open_.end(), settled);
  }

  Stop stop_reason() const {
    if (result_.stop == Stop::Memory) return Stop::Memory;
    if (deadline_.is_cancelled()) return Stop::Cancelled;
    if (deadline_.has_passed()) return Stop::Time;
    return is_enough() ? Stop::Gap : Stop::Steps;
  }

  void conclude() {
    const bool proven = is_proven();
    result_.seconds = deadline_.seconds();
    if (found_.empty() && proven) return conclude_empty();
    double best = 0;
    if (!found_.empty()) {
      result_.best = found_.front().mapping;
      result_.score = score_of(found_.front());
      if (found_.front().apart) result_.apart = found_.front().apart->problem();
      best = value_of(goal_.aim()->objective, result_.score);
    }
    if (proven && solver_.scale.exact) {
      result_.status = Status::Proven;
      result_.stop = Stop::Complete;
      result_.bound = best;
      return;
    }
    result_.stop = proven ? Stop::Inexact : stop_reason();
    result_.bound = value(lowest());
    // Rounded down: the conversion from whole units rounds to the nearest.
    if (goal_.aim()->objective.energy > 0) result_.bound *= 1 - 1e-15;
    if (!result_.best) return;
    // What is left may be better among equals alone.
    if (solver_.scale.exact &&
        !is_value_less(goal_.aim()->objective, lowest(), found_.front().cost)) {
      result_.bound = best;
    }
    result_.bound = std::min(result_.bound, best);
    if (result_.bound > 0) result_.gap = best / result_.bound - 1;
    if (limits_.gap > 0 && result_.gap <= limits_.gap) result_.stop = Stop::Gap;
  }

  // Nothing is better than what was to beat, or nothing fits at all.
  void conclude_empty() {
    result_.stop = Stop::Complete;
    result_.status = goal_.empty() ? Status::Infeasible : Status::NoneBetter;
    if (goal_.empty()) result_.reasons = why_nothing_fits(solver_, misfits_);
  }

  const MappingTask& task_;
  Deadline deadline_;
  SolverTables solver_;
  const bool by_paths_;  // whether how much room is left depends on more than extents
  const Limits& limits_;
  Granularity granularity_;
  ThreadPool pool_;
  OuterFilling outer_;
  SubproblemQueue queue_;
  MemoryBudget tables_;
  FillingFloor filling_;
  std::vector<Port> ports_;
  std::uint64_t most_frames_ = std::numeric_limits<std::uint64_t>::max();  // to be looked into
  bool is_part_ = false;  // of a search in a larger map-space, which knows a mapping to begin with
  bool is_refined_ = false;
  int asked_effort_ = 2;         // of another search, the next time
  std::uint64_t patience_ = 1;   // until then
  bool is_waiting_ = false;      // some subproblem that took long
  std::uint64_t too_large_ = 0;  // subproblems
  std::vector<Verdict> misfits_;
  Goal goal_;
  std::vector<Found> found_;  // the best, or the front
  std::vector<Cost> open_;    // bounds of subproblems that were left unfinished
  OptimalResult result_;
};

}  // namespace
}  // namespace optimal

OptimalResult find_optimum(const MappingTask& task, const Limits& limits,
                           const Granularity& granularity) {
  if (!task.restrictions.contradictions().empty()) {
    OptimalResult result;
    result.status = Proof::Status::Infeasible;
    result.reasons = task.restrictions.contradictions();
    return result;
  }
  const optimal::Aim aim{task.objective, task.settle_ties && !task.only_value, task.only_value};
  if (task.uneven == 0) {
    return optimal::Solver(task, aim, limits, granularity).run(task.to_beat, task.start);
  }
  // The best even mapping is found soon and closes most of what is left.
  MappingTask even = task;
  even.uneven = 0;
  const OptimalResult first = find_optimum(even, limits, granularity);
  Limits rest = limits;
  if (rest.seconds) *rest.seconds = std::max(0.0, *rest.seconds - first.seconds);
  OptimalResult result = optimal::Solver(task, aim, rest, granularity)
                             .run(task.to_beat, first.best ? &*first.best : nullptr);
  result.seconds += first.seconds;
  result.mappings_evaluated += first.mappings_evaluated;
  return result;
}

ParetoFront find_front(const MappingTask& task, const Limits& limits) {
  if (!task.restrictions.contradictions().empty()) {
    ParetoFront front;
    front.complete = true;
    front.reasons = task.restrictions.contradictions();
    return front;
  }
  return optimal::Solver(task, std::nullopt, limits, {}).run_front();
}

}  // namespace tilewright
