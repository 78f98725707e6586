#include "mappers/optimal/uneven_descent.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilewright::optimal {
namespace {

using Kind = PathStep::Kind;

void add_times(int sign, const Loads& more, Loads& loads) {
  for (std::size_t m = 0; m < loads.size(); ++m) {
    loads[m].reads += sign * more[m].reads;
    loads[m].writes += sign * more[m].writes;
  }
}

}  // namespace

UnevenDescent::UnevenDescent(const Subproblem& sub, const UnevenPaths& paths, Goal& goal,
                             std::vector<Found>& found, const Deadline& deadline)
    : sub_(sub),
      solver_(sub.solver()),
      paths_(paths),
      goal_(goal),
      found_(found),
      deadline_(deadline),
      mappings_(sub),
      loads_(sub.fixed_loads()) {
  for (int m = 0; m < solver_.memory_count; ++m) is_ordered_.push_back(is_constrained(solver_, m));
}

bool UnevenDescent::run(std::uint64_t most_steps) {
  most_steps_ = most_steps;
  std::vector<std::pair<Units, const PathArc*>> last;
  for (const PathArc& arc : paths_.last_arcs()) last.emplace_back(least(arc, {}), &arc);
  std::stable_sort(last.begin(), last.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [energy, arc] : last) {
    if (is_of_interest(energy)) descend(*arc, {});
  }
  return visited_ <= most_steps_;
}

// Goes inwards by a step, and on by those that promise most.
void UnevenDescent::descend(const PathArc& arc, const Outside& outside) {
  if (++visited_ % 64 == 0) deadline_.check();
  if (visited_ > most_steps_) return;
  const UnevenPaths::State& state = paths_.state(arc.from);
  const Loads* loads = paths_.loads_of(arc);
  if (loads != nullptr) add_times(1, *loads, loads_);
  if (arc.step.kind != Kind::Start) steps_.push_back(arc.step);
  const Outside next = after(arc, outside);
  std::vector<std::pair<Units, const PathArc*>> further;
  for (const PathArc& inside : state.arcs) {
    if (is_superfluous(inside, next)) continue;
    const Units energy = least(inside, next);
    if (is_of_interest(energy)) further.emplace_back(energy, &inside);
  }
  std::stable_sort(further.begin(), further.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (state.arcs.empty()) evaluate();
  for (const auto& [energy, inside] : further) {
    if (is_of_interest(energy)) descend(*inside, next);
  }
  if (arc.step.kind != Kind::Start) steps_.pop_back();
  if (loads != nullptr) add_times(-1, *loads, loads_);
}

UnevenDescent::Outside UnevenDescent::after(const PathArc& arc, const Outside& outside) const {
  Outside next = outside;
  next.energy = sum(outside.energy, arc.energy);
  switch (arc.step.kind) {
    case Kind::Loop:
      next.looped |= 1U << arc.step.what;
      next.loop = &arc;
      next.point = nullptr;
      break;
    case Kind::Place:
      next.words += arc.words;
      next.looped = 0;
      next.point = &arc;
      break;
    case Kind::EndOfMemory:
      next = {next.energy, outside.words + arc.words, 0, nullptr, nullptr};
      break;
    case Kind::Start:
      next = {next.energy, shares_room(arc) ? outside.words : 0, 0, nullptr, nullptr};
      break;
  }
  return next;
}

// From a memory to one inside it, as the state between the two says.
bool UnevenDescent::shares_room(const PathArc& arc) const {
  return solver_.shares_outside(paths_.state(arc.from).memory);
}

bool UnevenDescent::is_superfluous(const PathArc& arc, const Outside& outside) const {
  if (arc.step.kind == Kind::Place) return is_superfluous_point(arc, outside);
  return arc.step.kind == Kind::Loop && is_superfluous_loop(arc, outside);
}

// The loop outside a point moves all its tensors, which are named in one order.
bool UnevenDescent::is_superfluous_point(const PathArc& arc, const Outside& outside) const {
  const int tensor = arc.step.what;
  if (outside.loop == nullptr) return true;  // it stands where the memory ends
  if (outside.point != nullptr && outside.point->step.what <= tensor) return true;
  if (is_ordered_[at(paths_.state(arc.from).memory)]) return false;
  return !contains(solver_.tensor(tensor).relevant, outside.loop->step.what);
}

// A dimension has one loop between two points. The loop outside this one could stand inside it
// where it moves nothing, or both could change places where they do the same.
bool UnevenDescent::is_superfluous_loop(const PathArc& arc, const Outside& outside) const {
  if (contains(outside.looped, arc.step.what)) return true;
  const UnevenPaths::State& inside = paths_.state(arc.from);
  if (outside.loop == nullptr || outside.point != nullptr || is_ordered_[at(inside.memory)]) {
    return false;
  }
  const int here = arc.step.what;
  const int other = outside.loop->step.what;
  const std::uint32_t open = open_tensors(inside.spot.key.pending);
  const std::uint32_t moved = moved_by(solver_, open, here);
  const std::uint32_t moved_by_other = moved_by(solver_, open, other);
  if ((moved_by_other & ~moved) != 0) return false;  // the other one moves some of its own
  if (moved_by_other == 0) return moved != 0 || here > other;
  const bool alike = moved == moved_by_other && !moves_window(solver_, moved, here) &&
                     !moves_window(solver_, moved, other);
  return alike && here > other;
}

Units UnevenDescent::least(const PathArc& arc, const Outside& outside) const {
  const UnevenPaths::State& state = paths_.state(arc.from);
  std::int64_t most = kCountLimit;
  if (arc.step.kind != Kind::Start || shares_room(arc)) {
    most = room_of(solver_, state.memory) - outside.words - arc.words;
  }
  Units energy = kNever;
  for (const UnevenPaths::Label& label : state.labels) {
    if (label.words <= most) energy = std::min(energy, label.energy);
  }
  return sum(energy, sum(arc.energy, outside.energy));
}

bool UnevenDescent::is_of_interest(Units energy) const {
  if (energy >= kNever) return false;
  const Int128 cycles = std::max(sub_.cycles(loads_), solver_.least_cycles);
  return goal_.is_improved_by(
      {solver_.scale.energy(energy) + sub_.leakage(cycles), cycles, sub_.least_instances()});
}

void UnevenDescent::evaluate() {
  ++evaluated_;
  // The outermost step is the end of the outermost memory.
  const std::vector<PathStep> steps(steps_.rbegin(), std::prev(steps_.rend()));
  std::optional<Found> found = mappings_.mapping_of(steps);
  if (!found || !goal_.is_improved_by(found->cost)) return;
  goal_.add(found->cost);
  found_.push_back(std::move(*found));
}

}  // namespace tilewright::optimal
