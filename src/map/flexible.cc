// The best mapping over all settings of a flexible accelerator. No setting can
// be faster than its multipliers, nor than the words that must come from outside the
// buffer, whatever the array does; those that cannot beat what is known are left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/deadline.h"
#include "base/search_objective.h"
#include "order_bounds.h"
#include "parts.h"

namespace tilewright::map {

namespace {

using Status = MapOutcome::Status;
using Stop = SearchResult::Stop;

// --- settings ------------------------------------------------------------------------

class Survey {
 public:
  // `constrained` is the architecture with the constraints of the options.
  Survey(const Workload& workload, const Architecture& arch, const Architecture& constrained,
         const MapOptions& options)
      : workload_(workload),
        arch_(arch),
        options_(options),
        nest_(shapes_nest(constrained)),
        deadline_(options.limits.seconds, options.limits.cancelled) {}

  MapOutcome run(std::vector<Setting> settings) {
    const std::size_t all = settings.size();
    bound_all(settings);
    MapOutcome best;
    std::size_t searched = 0;
    for (const Setting& setting : settings) {
      if (is_ruled_out(setting)) continue;
      if (cannot_improve(best, setting)) {
        if (options_.limits.gap > 0) leave_out(best, setting);
        if (searched == 0) best = none_better(setting);
        break;
      }
      const auto reason = searched > 0 ? reason_to_stop(best) : std::nullopt;
      if (reason) {
        give_up(best, setting, *reason);
        break;
      }
      MapOutcome next = map_with(setting, best);
      if (next.status == Status::BadInput || next.status == Status::TooLarge) return next;
      if (next.status == Status::Infeasible && no_array_helps(setting)) continue;
      best =
          searched == 0 ? std::move(next) : combined(std::move(best), std::move(next), objective());
      ++searched;
    }
    if (best.status == Status::NotTried) return nothing_fits();
    if (best.status == Status::Infeasible) explain_all(best, all);
    best.settings = all;
    best.settings_searched = searched;
    return best;
  }

 private:
  Objective objective() const { return options_.objective; }

  // The reasons are those of the first setting; there were others.
  void explain_all(MapOutcome& outcome, std::size_t all) const {
    for (Diagnostic& problem : outcome.problems) {
      if (all > 1) {
        problem.message =
            fmt::format("none of {} settings has a mapping; with {}", all, problem.message);
      }
      if (arch_.flexibility->tile.kind == TileFreedom::Kind::Fixed && problem.hint.empty()) {
        problem.hint = options_.space == SpaceKind::Perfect
                           ? "a fixed tile seldom divides a layer: allow remainders with ruby"
                           : "the tile is fixed: describe a smaller one";
      }
    }
  }

  // Remainders hold perfect factors, too. Of uneven mappings with remainders little would be
  // known in a long time; so bounds of perfect factors are those of perfect factors alone.
  Bounded bounded() const {
    const bool perfect = options_.space == SpaceKind::Perfect && !options_.padded;
    const bool even = options_.evenness == Evenness::Even;
    return {options_.evenness, !even && perfect ? SpaceKind::Perfect : SpaceKind::Ruby,
            limits_of_bounds()};
  }

  // A bound that is cut short is lower, but holds. Most of the time is for mappings.
  Limits limits_of_bounds() const {
    constexpr double kShare = 0.3;
    constexpr std::int64_t kUnevenBytes = std::int64_t{64} << 20;
    Limits limits;
    limits.threads = options_.limits.threads;
    limits.memory_bytes = options_.limits.memory_bytes;
    if (options_.evenness != Evenness::Even) {
      limits.memory_bytes = std::min(limits.memory_bytes, kUnevenBytes);
    }
    limits.cancelled = options_.limits.cancelled;
    if (options_.limits.seconds) {
      limits.seconds = std::max(0.0, kShare * *options_.limits.seconds - deadline_.seconds());
    }
    return limits;
  }

  // Bounds the settings by what has to come from outside as well, and sorts them: the promising
  // first, among equals those with the lighter multipliers.
  void bound_all(std::vector<Setting>& settings) {
    if (settings.size() == 1) return;
    least_filling_ = INFINITY;
    for (Setting& setting : settings) {
      const std::string key = order_key(setting);
      if (!by_order_.contains(key)) {
        by_order_[key] =
            bounds_of_order(workload_, arch_, setting.order, objective().energy > 0, bounded());
      }
      const OrderBounds& bounds = by_order_[key];
      if (!bounds.reasons.empty()) reasons_ = bounds.reasons;
      if (!bounds.reasons.empty()) continue;
      setting.least_cycles = std::max(setting.least_cycles, bounds.least_cycles);
      least_filling_ = std::min(least_filling_, bounds.least_filling);
    }
    std::stable_sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
      return a.least_cycles < b.least_cycles;
    });
  }

  // Whether nothing fits outside the array with the order of a setting.
  bool is_ruled_out(const Setting& setting) const {
    const auto bounds = by_order_.find(order_key(setting));
    return bounds != by_order_.end() && !bounds->second.reasons.empty();
  }

  // The same of a setting that has no mapping: whether others with its order have none, either.
  bool no_array_helps(const Setting& setting) {
    const auto bounds = by_order_.find(order_key(setting));
    if (bounds == by_order_.end()) return false;
    look_for_reasons(workload_, arch_, setting.order, bounded(), bounds->second);
    if (is_ruled_out(setting)) reasons_ = bounds->second.reasons;
    return is_ruled_out(setting);
  }

  MapOutcome nothing_fits() const {
    MapOutcome outcome = failed(Status::Infeasible, reasons_);
    explain_all(outcome, 1);
    return outcome;
  }

  static std::string order_key(const Setting& setting) {
    return setting.order ? to_string(*setting.order) : "";
  }

  // The least value of the objective that a setting can have.
  double least_value(const Setting& setting) const {
    if (!can_be_bounded(objective())) return 0;
    const auto macs = static_cast<double>(multiply_accumulates(workload_));
    const double energy = (least_filling_ + macs * arch_.compute().mac_pj) * (1 - 1e-12);
    const auto cycles = static_cast<double>(setting.least_cycles);
    // The outermost memory leaks with every mapping.
    const double leaks = std::get<Memory>(arch_.levels.front()).leakage_pj_per_cycle * cycles;
    const double all = energy + leaks * (1 - 1e-12);
    return value_of(objective(), {{}, all, setting.least_cycles, 0});
  }

  // Where ties count, as fast is not enough to be left out: the one with less energy
  // is the better.
  bool cannot_improve(const MapOutcome& best, const Setting& setting) const {
    const std::optional<Score> to_beat =
        best.found() ? std::optional(best.search.score) : options_.to_beat;
    if (!to_beat) return false;
    const double known = value_of(objective(), *to_beat);
    const double least = least_value(setting);
    if (options_.limits.gap > 0) return best.found() && least * (1 + options_.limits.gap) >= known;
    if (least != known || !options_.settle_ties || options_.only_value) return least >= known;
    return objective().energy > 0 && setting.least_cycles > to_beat->cycles;
  }

  std::optional<Stop> reason_to_stop(const MapOutcome& best) const {
    const Limits& limits = options_.limits;
    if (deadline_.is_cancelled()) return Stop::Cancelled;
    const bool good =
        limits.target && best.found() && value_of(objective(), best.search.score) <= *limits.target;
    if (good) return Stop::Target;
    if (limits.evaluations && seen_ >= *limits.evaluations) return Stop::Evaluations;
    if (deadline_.is_out_of_time()) return Stop::Time;
    return std::nullopt;
  }

  // Whether nothing of interest is left, as long as more is asked for than to beat this.
  static bool is_settled(const MapOutcome& outcome) {
    if (outcome.status == Status::Infeasible) return true;
    if (!outcome.proof || outcome.proof->stop != Proof::Stop::Complete) return false;
    return outcome.proof->status == Proof::Status::Proven ||
           outcome.proof->status == Proof::Status::NoneBetter;
  }

  static bool differ_in_shape(const Setting& a, const Setting& b) {
    return a.pair == b.pair && a.order == b.order && a.unrolled == b.unrolled;
  }

  // Nothing of padded workloads: the bounds are those of the workload as it is.
  Foreknown known_of(const Setting& setting) const {
    Foreknown known;
    const auto bounds = by_order_.find(order_key(setting));
    if (options_.padded || bounds == by_order_.end()) return known;
    known.least_cycles = setting.least_cycles;
    known.least_filling_pj = bounds->second.least_filling;
    const FlexibleParts parts = *parts_of(arch_, *arch_.flexibility);
    known.filled = parts.buffer;
    for (const Setting& other : settled_) {
      if (!nest_ || !differ_in_shape(setting, other)) continue;
      known.settled.push_back({parts.array, other.shape.rows, other.shape.columns});
    }
    return known;
  }

  MapOutcome map_with(const Setting& setting, const MapOutcome& best) {
    SetUp set = set_up(workload_, arch_, setting);
    MapOptions options = options_;
    // A gap leaves more out than what cannot beat the best.
    if (best.found() && options.limits.gap == 0) options.to_beat = best.search.score;
    append(options.constraints, set.constraints);
    options.evenness = evenness_of_setting(arch_, options_.evenness, set.arch);
    options.known = known_of(setting);
    if (options.limits.seconds) {
      *options.limits.seconds = std::max(0.01, *options.limits.seconds - deadline_.seconds());
    }
    if (options.limits.evaluations) {
      *options.limits.evaluations -= std::min(seen_, *options.limits.evaluations - 1);
    }
    MapOutcome outcome = map_fixed(workload_, set.arch, options);
    outcome.setting = setting;
    if (is_settled(outcome)) settled_.push_back(setting);
    seen_ += outcome.search.seen;
    put_before(to_string(setting), outcome.problems);
    return outcome;
  }

  // What is left out for the gap may be better, but not by more than that.
  void leave_out(MapOutcome& best, const Setting& next) const {
    const double known = value_of(objective(), best.search.score);
    if (!best.proof || least_value(next) >= known) return;
    Proof& proof = *best.proof;
    proof.bound = std::min(proof.bound, least_value(next));
    proof.status = Proof::Status::Stopped;
    proof.stop = Proof::Stop::Gap;
    proof.gap = proof.bound > 0 ? known / proof.bound - 1 : INFINITY;
  }

  MapOutcome without_mapping(Status status, const Setting& next) const {
    MapOutcome outcome;
    outcome.status = status;
    outcome.found_by = options_.mapper;
    outcome.problem = Problem::create(workload_, set_up(workload_, arch_, next).arch).value;
    return outcome;
  }

  // That some settings have no mapping, or none better than what was to beat, says
  // nothing of those that were not searched.
  MapOutcome nothing_yet(const Setting& next) const {
    MapOutcome outcome = without_mapping(Status::NothingValid, next);
    if (!options_.mapper->proves) return outcome;
    double& bound = outcome.proof.emplace().bound;
    bound = least_value(next);
    if (options_.to_beat) bound = std::min(bound, value_of(objective(), *options_.to_beat));
    return outcome;
  }

  // No setting can have a mapping that is better than what was to beat.
  MapOutcome none_better(const Setting& next) const {
    MapOutcome outcome = without_mapping(Status::NoneBetter, next);
    outcome.proof.emplace().status = Proof::Status::NoneBetter;
    return outcome;
  }

  // What was not searched may be better, but not by more than its bound.
  void give_up(MapOutcome& best, const Setting& next, Stop reason) const {
    if (best.status == Status::Infeasible || best.status == Status::NoneBetter) {
      best = nothing_yet(next);
    }
    best.search.stop = reason;
    if (!best.proof) return;
    Proof& proof = *best.proof;
    proof.status = Proof::Status::Stopped;
    proof.stop = reason == Stop::Cancelled ? Proof::Stop::Cancelled : Proof::Stop::Time;
    proof.bound = std::min(proof.bound, least_value(next));
    proof.gap = best.found() && proof.bound > 0
                    ? value_of(objective(), best.search.score) / proof.bound - 1
                    : INFINITY;
  }

  const Workload& workload_;
  const Architecture& arch_;
  const MapOptions& options_;
  bool nest_;                     // whether a shape has all that one inside it has
  std::vector<Setting> settled_;  // so far
  std::map<std::string, OrderBounds> by_order_;
  std::vector<Diagnostic> reasons_;  // why some order has no mapping
  double least_filling_ = 0;         // of all settings
  Deadline deadline_;
  std::uint64_t seen_ = 0;
};

// Whether more is to be tried than was found with all settings as one map-space.
bool wants_more(const MapOutcome& as_one, const MapOptions& options) {
  const Proof& proof = *as_one.proof;
  if (proof.status != Proof::Status::Stopped || proof.stop == Proof::Stop::Gap) return false;
  return !as_one.found() || (!options.proof_wanted && !is_cancelled(options));
}

// The better mapping of two, with the bound of all settings.
MapOutcome better_of(MapOutcome as_one, MapOutcome one_by_one, Objective objective) {
  const Proof bound = *as_one.proof;
  const std::size_t settings = as_one.settings;
  MapOutcome best = combined(std::move(as_one), std::move(one_by_one), objective);
  if (!best.proof) return best;
  const double value = value_of(objective, best.search.score);
  best.settings = best.settings_searched = settings;
  best.proof->status = Proof::Status::Stopped;
  best.proof->stop = bound.stop;
  best.proof->bound = std::min(bound.bound, value);
  best.proof->gap = best.proof->bound > 0 ? value / best.proof->bound - 1 : INFINITY;
  return best;
}

// One by one, unless the mapper searches all at once, or as one map-space. Where that finds
// nothing, it takes the solver to say whether there is anything.
MapOutcome map_settings(const Workload& workload, const Architecture& arch,
                        const Architecture& constrained, const MapOptions& options,
                        std::vector<Setting> settings) {
  MapOptions one_by_one = options;
  if (options.mapper->run_settings && settings.size() > 1 && !options.padded) {
    auto found = map_settings_together(workload, arch, options, settings);
    if (found) return std::move(*found);
    one_by_one.mapper = mappers().front();
    one_by_one.mapper_options = {};
  }
  auto as_one = map_settings_as_one(workload, arch, constrained, options, settings);
  if (as_one && !wants_more(*as_one, options)) return std::move(*as_one);
  Limits& rest = one_by_one.limits;
  if (as_one && rest.seconds) *rest.seconds = std::max(0.0, *rest.seconds - as_one->search.seconds);
  const bool is_found = as_one && as_one->found();
  if (is_found) one_by_one.to_beat = as_one->search.score;
  MapOutcome outcome = Survey(workload, arch, constrained, one_by_one).run(std::move(settings));
  return is_found ? better_of(std::move(*as_one), std::move(outcome), options.objective) : outcome;
}

}  // namespace

Checked<SettingsToSearch> settings_to_search(const Workload& workload, const Architecture& arch,
                                             const std::vector<Constraint>& more) {
  const std::vector<std::string> wrong = problems_of(arch);
  if (!wrong.empty()) return {std::nullopt, {{{}, wrong.front(), ""}}};
  Architecture constrained = arch;
  append(constrained.constraints, more);
  Checked<std::vector<Setting>> settings = settings_of(workload, constrained);
  if (!settings.ok()) return {std::nullopt, std::move(settings.problems)};
  return {SettingsToSearch{std::move(constrained), std::move(*settings.value)}, {}};
}

MapOutcome map_flexible(const Workload& workload, const Architecture& arch,
                        const MapOptions& options) {
  auto found = settings_to_search(workload, arch, options.constraints);
  if (!found.ok()) return failed(Status::BadInput, std::move(found.problems));
  MapOutcome outcome = map_settings(workload, arch, found.value->constrained, options,
                                    std::move(found.value->settings));
  outcome.flexibility_um2 = overhead_of(arch).sum();
  outcome.flexibility_area = outcome.flexibility_um2 / base_area_um2(arch);
  return outcome;
}

}  // namespace tilewright::map
