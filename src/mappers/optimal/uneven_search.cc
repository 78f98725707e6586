#include "mappers/optimal/uneven_search.h"

#include <algorithm>
#include <limits>

#include "mappers/optimal/fit.h"
#include "mappers/optimal/uneven_descent.h"

namespace tilewright::optimal {

UnevenSearch::UnevenSearch(const SearchSetting& setting, FillingFloor& filling,
                           const Candidate& candidate, const Goal& goal)
    : setting_(setting),
      filling_(filling),
      solver_(setting.solver),
      goal_(goal),
      sub_(solver_, candidate.placement, *candidate.spatial),
      mappings_(sub_) {
  outcome_.bound = candidate.floor;
}

SearchOutcome UnevenSearch::run() {
  outcome_.fill([this] { expand(); });
  return std::move(outcome_);
}

void UnevenSearch::prepare() {
  try {
    UnevenPaths::Options options;
    options.most_bytes = bytes();
    options.limit = energy_limit();
    set_filling(options);
  } catch (const Expired&) {
    return;  // which the search will notice, too
  }
}

// A mapping of at least this energy, without leakage, is of no interest.
Units UnevenSearch::energy_limit() const {
  const Int128 cycles = std::max(outcome_.bound.cycles, solver_.least_cycles);
  const Units limit = goal_.energy_limit(cycles, outcome_.bound.instances, solver_.scale);
  const Units leakage = solver_.scale.table(sub_.leakage(cycles));
  return limit >= kNever ? kNever : std::max<Units>(limit - leakage, 0);
}

// The least energy is found first, without a look at ports. If a mapping with that energy
// waits for no port, there is none better. Otherwise paths are told apart by what they load
// on ports, too.
void UnevenSearch::expand() {
  outcome_.misfit = least_misfit(sub_);
  if (outcome_.misfit) return;
  outcome_.expanded = true;
  const MemoryBudget::Share share(setting_.tables, bytes());
  UnevenPaths::Options options;
  options.most_bytes = bytes();
  options.limit = energy_limit();
  set_filling(options);
  constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
  if (!solver_.is_perfect()) return go_through_all(options, kAnyNumber);
  {
    const UnevenPaths paths(sub_, goal_, options, setting_.deadline);
    if (paths.ends().empty()) return;
    const Cost least = cost_of(
        *std::min_element(paths.ends().begin(), paths.ends().end(),
                          [](const auto& a, const auto& b) { return a.energy < b.energy; }));
    outcome_.bound.energy = std::max(outcome_.bound.energy, least.energy);
    take_ends(paths);
    if (!goal_.is_improved_by(outcome_.bound)) return;
  }
  options.with_loads = true;
  options.limit = energy_limit();
  const UnevenPaths paths(sub_, goal_, options, setting_.deadline);
  take_ends(paths);
  // What was found may cost more than its path said, where windows meet in a fan-out. Then all that
  // may be better is looked at, unless it is too much.
  const bool all_said =
      std::none_of(paths.ends().begin(), paths.ends().end(),
                   [&](const UnevenPaths::End& end) { return goal_.is_improved_by(cost_of(end)); });
  if (!all_said) go_through_all(options, setting_.granularity.most_steps);
}

// Where what a path costs is a bound of what its mapping does.
void UnevenSearch::go_through_all(UnevenPaths::Options options, std::uint64_t most_steps) {
  options.with_loads = false;
  options.limit = energy_limit();
  options.keep_graph = true;
  const UnevenPaths paths(sub_, goal_, options, setting_.deadline);
  if (paths.ends().empty()) return;
  const Cost least =
      cost_of(*std::min_element(paths.ends().begin(), paths.ends().end(),
                                [](const auto& a, const auto& b) { return a.energy < b.energy; }));
  outcome_.bound.energy = std::max(outcome_.bound.energy, least.energy);
  UnevenDescent descent(sub_, paths, goal_, outcome_.found, setting_.deadline);
  outcome_.complete = false;  // as long as it goes on
  outcome_.complete = descent.run(most_steps);
  outcome_.evaluated += descent.evaluated();
}

// What is left of the limit if all links further in are loaded once.
void UnevenSearch::set_filling(UnevenPaths::Options& options) {
  if (filling_.memory() == 0 || options.limit >= kNever) return;
  Units inside = sub_.fixed_energy();
  for (const Link& link : sub_.placement().links) {
    if (link.child > filling_.memory()) inside = sum(inside, sub_.least_energy(link));
  }
  if (inside >= options.limit) return;
  options.filled = filling_.memory();
  options.least_filling =
      filling_.least(sub_, options.limit - inside, options.most_bytes, setting_.deadline);
}

Cost UnevenSearch::cost_of(const UnevenPaths::End& end) const {
  const Int128 cycles = std::max(sub_.cycles(end.loads), solver_.least_cycles);
  return {solver_.scale.energy(end.energy) + sub_.leakage(cycles), cycles, sub_.least_instances()};
}

void UnevenSearch::take_ends(const UnevenPaths& paths) {
  for (const UnevenPaths::End& end : paths.ends()) {
    if (!goal_.is_improved_by(cost_of(end))) continue;
    ++outcome_.evaluated;
    const std::optional<Found> found = mappings_.mapping_of(steps_of(paths, end));
    if (!found || !goal_.is_improved_by(found->cost)) continue;
    goal_.add(found->cost);
    outcome_.found.push_back(*found);
  }
}

}  // namespace tilewright::optimal
