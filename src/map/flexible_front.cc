// Energy against cycles over all settings of a flexible accelerator.
#include <fmt/format.h>

#include <algorithm>

#include "base/deadline.h"
#include "parts.h"

namespace tilewright {

namespace {

using Point = ParetoFront::Point;

// Sums of the same terms in another order differ in the last digits.
bool is_beaten(const Score& score, const Score& by) {
  constexpr double kLastDigits = 1e-12;
  return by.cycles <= score.cycles && by.energy_pj <= score.energy_pj * (1 + kLastDigits);
}

class FrontOfSettings {
 public:
  FrontOfSettings(const Workload& workload, const Architecture& arch, const MapOptions& options)
      : workload_(workload),
        arch_(arch),
        options_(options),
        deadline_(options.limits.seconds, options.limits.cancelled) {}

  ParetoFront run(const std::vector<Setting>& settings) {
    front_.complete = true;
    front_.settings = settings.size();
    for (const Setting& setting : settings) {
      if (deadline_.has_passed()) {
        give_up(deadline_.is_cancelled() ? Proof::Stop::Cancelled : Proof::Stop::Time);
        break;
      }
      if (!has_nothing_new(setting)) add_front_of(setting);
      tell(settings.size());
    }
    std::sort(front_.points.begin(), front_.points.end(),
              [](const Point& a, const Point& b) { return a.score.cycles < b.score.cycles; });
    if (!front_.points.empty()) front_.reasons.clear();
    front_.seconds = deadline_.seconds();
    return std::move(front_);
  }

 private:
  Limits limits() const {
    Limits rest = options_.limits;
    rest.on_progress = {};
    if (rest.seconds) *rest.seconds = std::max(0.01, *rest.seconds - deadline_.seconds());
    return rest;
  }

  void give_up(Proof::Stop stop) {
    front_.complete = false;
    front_.stop = stop;
  }

  void tell(std::size_t all) {
    ++done_;
    if (!options_.limits.on_progress) return;
    SearchProgress progress;
    progress.seconds = deadline_.seconds();
    progress.fraction = static_cast<double>(done_) / static_cast<double>(all);
    progress.points = front_.points.size();
    options_.limits.on_progress(progress);
  }

  // Whether a point that is as fast as anything of a setting takes no more energy than all of it.
  bool has_nothing_new(const Setting& setting) {
    std::optional<Score> to_beat;
    for (const Point& point : front_.points) {
      const bool is_fast = point.score.cycles <= setting.least_cycles;
      if (is_fast && (!to_beat || point.score.energy_pj < to_beat->energy_pj)) {
        to_beat = point.score;
      }
    }
    if (!to_beat) return false;
    MapOptions options = options_;
    options.objective = Objective::Energy;
    options.settle_ties = false;
    options.to_beat = to_beat;
    options.limits = limits();
    SetUp set = set_up(workload_, arch_, setting);
    append(options.constraints, set.constraints);
    options.evenness = map::evenness_of_setting(arch_, options_.evenness, set.arch);
    const MapOutcome outcome = map::map_fixed(workload_, set.arch, options);
    return outcome.status == MapOutcome::Status::NoneBetter ||
           outcome.status == MapOutcome::Status::Infeasible;
  }

  void add_front_of(const Setting& setting) {
    SetUp set = set_up(workload_, arch_, setting);
    const Evenness evenness = map::evenness_of_setting(arch_, options_.evenness, set.arch);
    std::vector<Constraint> constraints = options_.constraints;
    append(constraints, set.constraints);
    const Checked<Evaluator> evaluator = Evaluator::compile(workload_, set.arch);
    if (!evaluator.ok()) return give_up_because(evaluator.problems);
    const Problem& problem = evaluator.value->problem();
    const Checked<Restrictions> restrictions = Restrictions::create(problem, constraints);
    if (!restrictions.ok()) return give_up_because(restrictions.problems);
    MappingTask task{*evaluator.value, options_.space, *restrictions.value};
    task.uneven = uneven_memories(problem, evenness);
    if (task.uneven != 0) {
      const std::vector<Diagnostic> reasons = reasons_against_uneven(task);
      if (!reasons.empty()) return give_up_because(reasons);
    }
    ParetoFront own = find_front(task, limits());
    ++front_.settings_searched;
    front_.frames += own.frames;
    if (!own.complete) give_up(own.stop);
    put_before(to_string(setting), own.reasons);
    if (front_.reasons.empty()) front_.reasons = std::move(own.reasons);
    for (Point& point : own.points) {
      if (!point.apart) point.apart = problem;
      point.setting = setting;
      add(std::move(point));
    }
  }

  void give_up_because(const std::vector<Diagnostic>& problems) {
    give_up(Proof::Stop::Inexact);
    front_.reasons = problems;
  }

  void add(Point point) {
    const auto beats = [&](const Point& other) { return is_beaten(point.score, other.score); };
    if (std::any_of(front_.points.begin(), front_.points.end(), beats)) return;
    std::erase_if(front_.points,
                  [&](const Point& other) { return is_beaten(other.score, point.score); });
    front_.points.push_back(std::move(point));
  }

  const Workload& workload_;
  const Architecture& arch_;
  const MapOptions& options_;
  Deadline deadline_;
  std::size_t done_ = 0;
  ParetoFront front_;
};

}  // namespace

Checked<ParetoFront> find_flexible_front(const Workload& workload, const Architecture& arch,
                                         const MapOptions& options) {
  auto found = map::settings_to_search(workload, arch, options.constraints);
  if (!found.ok()) return {std::nullopt, std::move(found.problems)};
  return {FrontOfSettings(workload, arch, options).run(found.value->settings), {}};
}

}  // namespace tilewright
