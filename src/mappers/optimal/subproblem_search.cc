#include "mappers/optimal/subproblem_search.h"

#include <algorithm>
#include <utility>

#include "mappers/optimal/fit.h"
#include "mappers/optimal/port_tolls.h"
#include "mappers/optimal/single_state.h"

namespace tilewright::optimal {
namespace {

// A step of the search takes as long as some of the relaxation.
constexpr std::uint64_t kStepsOfRelaxation = 8;

// The steps that a subproblem has when it is looked at for the first time, or once more.
std::uint64_t effort_of(const SearchSetting& setting, int looks) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
  const Granularity& granularity = setting.granularity;
  const bool in_parts = setting.takes_long && has_remainders_in_time(setting.solver);
  const std::uint64_t more = in_parts ? granularity.more_part_effort : granularity.more_effort;
  std::uint64_t effort = in_parts ? granularity.first_part_effort : granularity.first_effort;
  for (int i = 0; i < looks && effort < kMost / more; ++i) effort *= more;
  return effort;
}

Loads least_loads(const Subproblem& sub) {
  Loads loads = sub.fixed_loads();
  for (const Link& link : sub.placement().links) sub.add_least_load(link, loads);
  return loads;
}

// As much as so many vectors mostly need.
std::int64_t bytes_for(double vectors) {
  constexpr double kBytes = 1 << 20;
  constexpr double kBytesOfVector = 64;
  constexpr double kMost = 1e18;
  return static_cast<std::int64_t>(std::min(kBytes + vectors * kBytesOfVector, kMost));
}

}  // namespace

SubproblemSearch::SubproblemSearch(const SearchSetting& setting, const Candidate& candidate,
                                   const Goal& goal)
    : setting_(setting),
      solver_(setting.solver),
      candidate_(candidate),
      goal_(goal),
      order_(goal.aim().value_or(Aim{})),
      sub_(solver_, candidate.placement, *candidate.spatial) {
  outcome_.bound = candidate.floor;
}

SearchOutcome SubproblemSearch::run() {
  outcome_.fill([this] { expand(); });
  return std::move(outcome_);
}

// Parts that wait take some of it.
template <typename Work>
auto SubproblemSearch::with_memory(std::int64_t bytes, Work work) {
  const std::size_t waiting = parts_.empty() ? 0 : parts_.size() * parts_.front().box.bytes();
  const std::int64_t all =
      std::min(bytes + static_cast<std::int64_t>(waiting), setting_.tables.bytes());
  const MemoryBudget::Share share(setting_.tables, all);
  TableMemory memory(all);
  memory.take(waiting);
  return work(memory);
}

void SubproblemSearch::expand() {
  outcome_.misfit = least_misfit(sub_);
  if (outcome_.misfit || is_hopeless(sub_, energy_limit(candidate_.floor.instances).units()))
    return;
  least_loads_ = least_loads(sub_);
  if (has_remainders_in_time(solver_)) return settle_parts();
  const Lattice lattice(sub_, setting_.deadline);
  if (!lattice.ok()) return;
  outcome_.expanded = true;
  const auto all_at_once = [&](TableMemory& memory) { search(lattice, outcome_.bound, memory); };
  try {
    with_memory(bytes_for(lattice.vectors()), all_at_once);
  } catch (const TooLarge&) {
    with_memory(setting_.tables.bytes(), all_at_once);
  }
}

EnergyLimit SubproblemSearch::energy_limit(std::int64_t instances) const {
  return {sub_, goal_, candidate_.floor.cycles, instances};
}

// --- parts ------------------------------------------------------------------

// The one of two equals that was made last comes first: it is the smallest.
bool SubproblemSearch::comes_later(const OpenPart& a, const OpenPart& b) const {
  if (is_less(order_, a.bound, b.bound)) return false;
  return is_less(order_, b.bound, a.bound) || a.number < b.number;
}

void SubproblemSearch::push(OpenPart part) {
  if (part.box.empty()) return;
  part.number = numbers_++;
  parts_.push_back(std::move(part));
  std::push_heap(parts_.begin(), parts_.end(),
                 [&](const OpenPart& a, const OpenPart& b) { return comes_later(a, b); });
}

OpenPart SubproblemSearch::pop() {
  std::pop_heap(parts_.begin(), parts_.end(),
                [&](const OpenPart& a, const OpenPart& b) { return comes_later(a, b); });
  OpenPart part = std::move(parts_.back());
  parts_.pop_back();
  return part;
}

// Where every unrolling ends within its dimension, all instances are in use. Few mappings have
// other unrollings, and most of them cost more; but they may be as good on fewer instances.
void SubproblemSearch::push_by_instances(ExtentBox box) {
  Cost bound = candidate_.floor;
  std::int64_t all_instances = 1;
  for (int d = 0; d < solver_.dim_count; ++d) {
    all_instances *= sub_.unrolled_outside(solver_.memory_count, d);
  }
  // It makes a difference where they decide between equals.
  if (energy_limit(bound.instances).units() == energy_limit(all_instances).units()) {
    return push({std::move(box), bound});
  }
  for (int d = 0; d < solver_.dim_count; ++d) {
    const std::int64_t all = sub_.unrolled_outside(solver_.memory_count, d);
    int m = 1;  // the outermost memory inside of some unrolling
    while (m < solver_.memory_count && sub_.unrolled_outside(m, d) == 1) ++m;
    if (m == solver_.memory_count || sub_.least_instances(d) == all) continue;
    const std::int64_t unrolled =
        sub_.unrolled(sub_.fanouts_outside(m - 1), sub_.fanouts_outside(m), d);
    const std::int64_t last = solver_.size(d) / unrolled;  // that ends within it
    ExtentBox beyond = box;
    beyond.narrow(m, d, {last + 1, kCountLimit});
    push({std::move(beyond), bound});
    box.narrow(m, d, {1, last});
    bound.instances = bound.instances / sub_.least_instances(d) * all;
  }
  push({std::move(box), bound});
}

void SubproblemSearch::begin_with_parts() {
  if (candidate_.parts) {
    parts_ = *candidate_.parts;
    for (const OpenPart& part : parts_) numbers_ = std::max(numbers_, part.number + 1);
    return;
  }
  ExtentBox whole(sub_);
  whole.narrow_to_fit(sub_);
  push_by_instances(std::move(whole));
}

void SubproblemSearch::settle_parts() {
  begin_with_parts();
  while (!parts_.empty()) {
    if (outcome_.steps / kStepsOfRelaxation + descent_steps_ > most_steps() / kStepsOfRelaxation) {
      postpone_parts();
    }
    OpenPart part = pop();
    if (!goal_.is_improved_by(part.bound)) continue;
    if (knows_ahead()) part.looks = std::max(part.looks, std::size_t{1});
    outcome_.bound = higher(candidate_.floor, part.bound);  // what is left, if it ends here
    try {
      if (settle(part)) continue;
    } catch (const Postponed&) {
      push(std::move(part));
      postpone_parts();
    } catch (const Expired&) {
      if (parts_.empty()) outcome_.bound = higher(candidate_.floor, part.bound);
      throw;
    }
    part.looks += part.looks == 0 && !setting_.takes_long ? 2 : 1;
    const bool is_large =
        knows_ahead() && part.box.vectors(sub_) > setting_.granularity.many_extents;
    if (part.looks < setting_.granularity.looks.size() && !is_large) {
      push(std::move(part));
    } else {
      take_apart(part);
    }
  }
}

void SubproblemSearch::take_apart(const OpenPart& part) {
  std::vector<ExtentBox> halves = part.box.halves(sub_);
  const auto waiting = static_cast<std::int64_t>(parts_.size() * part.box.bytes());
  if (halves.size() == 1 || waiting > setting_.tables.bytes() / 4) throw TooLarge{};
  for (std::size_t i = halves.size(); i-- > 0;) push({std::move(halves[i]), part.bound});
}

bool SubproblemSearch::settle(OpenPart& part) {
  constexpr double kWorthNarrowing = 16;  // times as many vectors of extents as of ranges
  // Where energies cut nothing off, ports may.
  const bool with_ports = energy_limit(part.bound.instances).units() >= kNever;
  const Granularity::Look& look = setting_.granularity.looks[part.looks];
  try {
    if (part.box.vectors(sub_) > kWorthNarrowing * look.ranges) {
      const bool left = with_memory(bytes_for(look.ranges), [&](TableMemory& memory) {
        return narrow(part, look.ranges, with_ports, memory);
      });
      if (!left) return true;
    }
    if (part.box.vectors(sub_) > setting_.granularity.most_extents) return false;
    const Lattice lattice(sub_, part.box, setting_.deadline);
    if (!lattice.ok()) return true;
    outcome_.expanded = true;
    with_memory(look.bytes, [&](TableMemory& memory) { search(lattice, part.bound, memory); });
    return true;
  } catch (const TooLarge&) {
    return false;  // with more memory, or in parts
  }
}

bool SubproblemSearch::narrow(OpenPart& part, double most_vectors, bool with_ports,
                              TableMemory& memory) {
  Lattice lattice(sub_, part.box, most_vectors, setting_.deadline);
  if (!lattice.ok()) return false;
  const EnergyLimit limit = energy_limit(part.bound.instances);
  const Relaxation relaxation(sub_, lattice, limit, memory, setting_.deadline,
                              candidate_.ahead.get());
  outcome_.steps += relaxation.steps();
  if (relaxation.misfit()) outcome_.misfit = relaxation.misfit();
  if (relaxation.least() >= kNever) return false;
  const Cost bound = bound_of(sub_, relaxation.bound(), least_loads_);
  part.bound = higher(part.bound, slowed(sub_, bound, relaxation.least_cycles()));
  if (with_ports) {
    for (const Port& port : setting_.ports) {
      if (!goal_.is_improved_by(part.bound)) return false;
      const PortLoad load(port, sub_, lattice, memory, setting_.deadline);
      part.bound = slowed(sub_, part.bound, load.least_cycles());
    }
  }
  part.box = lattice.box();
  return !part.box.empty() && goal_.is_improved_by(part.bound);
}

// --- all extents ------------------------------------------------------------

void SubproblemSearch::search(Lattice lattice, Cost& bound, TableMemory& memory) {
  const EnergyLimit limit = energy_limit(bound.instances);
  const Relaxation relaxation(sub_, lattice, limit, memory, setting_.deadline,
                              candidate_.ahead.get());
  outcome_.steps += relaxation.steps();
  if (relaxation.misfit()) outcome_.misfit = relaxation.misfit();
  if (relaxation.least() >= kNever) return;
  bound = higher(bound, slowed(sub_, bound_of(sub_, relaxation.bound(), least_loads_),
                               relaxation.least_cycles()));
  if (!goal_.is_improved_by(bound)) return;
  const std::vector<Port>& ports = setting_.ports;
  if (ports.empty()) {
    return search_mappings(lattice, relaxation, {});
  }
  // What ports carry is worth knowing where the search takes longer than finding it out.
  const std::uint64_t most = 1000 + relaxation.steps() * ports.size() / kStepsOfRelaxation;
  const DescentResult descent =
      descend(sub_, lattice, relaxation, {}, goal_, setting_.deadline, most);
  note(descent);
  if (!descent.complete) pass_ports(lattice, relaxation, memory, bound);
}

// The first mapping is looked for until it is found.
std::uint64_t SubproblemSearch::most_steps() const {
  return goal_.empty() ? std::numeric_limits<std::uint64_t>::max()
                       : effort_of(setting_, candidate_.looks);
}

std::uint64_t SubproblemSearch::steps_left() const {
  const std::uint64_t taken = outcome_.steps / kStepsOfRelaxation + descent_steps_;
  const std::uint64_t most = effort_of(setting_, candidate_.looks) / kStepsOfRelaxation;
  return std::max(most - std::min(most, taken), taken + 1);
}

// Without any mapping so far it begins anew, with so many times as many steps.
void SubproblemSearch::search_mappings(const Lattice& lattice, const Relaxation& relaxation,
                                       const std::vector<PortLoad>& loads) {
  std::uint64_t steps = steps_left();
  DescentResult descent =
      descend(sub_, lattice, relaxation, loads, goal_, setting_.deadline, steps);
  while (!descent.complete && goal_.empty() && descent.found.empty() &&
         !setting_.deadline.has_passed()) {
    outcome_.evaluated += descent.evaluated;
    steps *= setting_.granularity.more_effort;
    descent = descend(sub_, lattice, relaxation, loads, goal_, setting_.deadline, steps);
  }
  take(descent);
}

// What is left has no part of its cost below that of all its parts.
void SubproblemSearch::postpone_parts() {
  Cost bound = parts_.front().bound;
  for (const OpenPart& part : parts_) {
    bound.energy = std::min(bound.energy, part.bound.energy);
    bound.cycles = std::min(bound.cycles, part.bound.cycles);
    bound.instances = std::min(bound.instances, part.bound.instances);
  }
  outcome_.bound = higher(candidate_.floor, bound);
  outcome_.parts = std::move(parts_);
  throw Postponed{};
}

void SubproblemSearch::pass_ports(Lattice& lattice, const Relaxation& relaxation,
                                  TableMemory& memory, Cost& bound) {
  if (is_closed_by_tolls(lattice, relaxation.least(), memory, bound)) return;
  std::vector<PortLoad> loads;
  loads.reserve(setting_.ports.size());
  for (const Port& port : setting_.ports) {
    loads.emplace_back(port, sub_, lattice, memory, setting_.deadline);
    bound = slowed(sub_, bound, loads.back().least_cycles());
    if (!goal_.is_improved_by(bound)) return;
  }
  search_mappings(lattice, relaxation, loads);
}

bool SubproblemSearch::is_closed_by_tolls(const Lattice& lattice, Units least, TableMemory& memory,
                                          const Cost& bound) {
  if (goal_.is_front()) return false;
  const EnergyLimit limit = energy_limit(bound.instances);
  return std::any_of(setting_.ports.begin(), setting_.ports.end(), [&](const Port& port) {
    const PortRate rate(port, sub_);
    return tolls_leave_nothing({rate, least, bound.cycles, limit}, sub_, lattice, memory,
                               setting_.deadline, outcome_.steps);
  });
}

void SubproblemSearch::take(const DescentResult& descent) {
  note(descent);
  if (descent.complete) return;
  if (setting_.deadline.has_passed()) throw Expired{};
  throw Postponed{};
}

void SubproblemSearch::note(const DescentResult& descent) {
  outcome_.evaluated += descent.evaluated;
  descent_steps_ += descent.steps;
  for (const Found& found : descent.found) {
    if (!goal_.is_improved_by(found.cost)) continue;
    goal_.add(found.cost);
    outcome_.found.push_back(found);
  }
}

}  // namespace tilewright::optimal
