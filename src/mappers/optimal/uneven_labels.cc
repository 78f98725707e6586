// Labels of states: what paths have taken so far.
#include <algorithm>
#include <limits>

#include "mappers/optimal/uneven_paths.h"

namespace tilewright::optimal {

namespace {

using Kind = PathStep::Kind;

}  // namespace

std::int64_t room_of(const SolverTables& solver, int memory) {
  const Capacity& capacity = solver.memory(memory).room.capacity;
  return capacity.unit == Capacity::Unit::Unlimited ? kCountLimit - 1 : capacity.amount;
}

std::int64_t UnevenPaths::unplaced_room(const Spot& spot) const {
  std::int64_t room = 0;
  for (const int t : members(keepers_.kept & ~spot.key.placed)) {
    room = std::min(kCountLimit, room + room_for(t, spot.extents));
  }
  return room;
}

std::int64_t UnevenPaths::room_outside(const Spot& spot) const {
  std::int64_t room = 0;
  for (int m = memory_; solver_.shares_outside(m); --m) {
    for (const int t : members(sub_.placement().kept[at(m - 1)])) {
      room = std::min(kCountLimit, room + room_for(t, spot.extents));
    }
  }
  return room;
}

UnevenPaths::Bucket& UnevenPaths::bucket_of(const Spot& spot) {
  const auto placed = static_cast<std::size_t>(__builtin_popcount(spot.key.placed));
  const std::size_t number = spot.rank * (kMaxTensors + 1) + placed;
  if (number >= buckets_.size()) buckets_.resize(number + 1);
  return buckets_[number];
}

// Where nothing of interest can come of any label, no state is made.
void UnevenPaths::step_to(const State& from, const Spot& spot, const Toll& toll, PathStep step) {
  const std::int64_t most = room_of(solver_, memory_);
  const std::int64_t unplaced = unplaced_room(spot) + room_outside(spot);
  const Units once =
      sum(toll.energy, std::max<Units>(0, from.once - toll.once) + more_filling(spot.key));
  const bool any = std::any_of(from.labels.begin(), from.labels.end(), [&](const Label& label) {
    return label.words + toll.words + unplaced <= most && sum(label.energy, once) < options_.limit;
  });
  if (!any) return;
  State& to = bucket_of(spot).find_or_add(spot);
  if (to.labels.empty()) {
    constexpr std::int64_t kBytes = 2 * sizeof(State);
    bytes_left_ -= kBytes;
    if (bytes_left_ < 0) throw TooLarge{};
    to.memory = memory_;
    set_rest(to);
  }
  add_arc(to, toll, step);
  for (Label label : from.labels) {
    label.words += toll.words;
    label.energy = sum(label.energy, toll.energy);
    if (label.words + unplaced > most) continue;
    if (options_.with_loads) label.loads = add_loads(label.loads, toll.loads);
    if (!is_of_interest(label, to.rest) || !add(to.labels, label)) continue;
    if (step.kind == Kind::Start) continue;  // it comes from the memory inside as it is
    step.before = label.last;
    to.labels.back().last = record(step);
  }
}

bool UnevenPaths::is_of_interest(const Label& label, Units rest) const {
  const Units least = sum(label.energy, rest);
  if (least >= options_.limit) return false;
  if (!options_.with_loads) return true;
  const Int128 cycles = std::max(sub_.cycles(loads_[label.loads]), solver_.least_cycles);
  return goal_.is_improved_by(
      {solver_.scale.energy(least) + sub_.leakage(cycles), cycles, sub_.least_instances()});
}

bool UnevenPaths::is_below(const Label& a, const Label& b) const {
  if (a.words > b.words || a.energy > b.energy) return false;
  if (a.loads == b.loads) return true;
  for (int m = 0; m < solver_.memory_count; ++m) {
    const Load& of_a = loads_[a.loads][at(m)];
    const Load& of_b = loads_[b.loads][at(m)];
    if (of_a.reads > of_b.reads || of_a.writes > of_b.writes) return false;
  }
  const std::size_t changes = at(solver_.memory_count);  // of the tile that stands still
  return loads_[a.loads][changes].writes <= loads_[b.loads][changes].writes;
}

bool UnevenPaths::add(std::vector<Label>& labels, const Label& label) const {
  for (const Label& other : labels) {
    if (is_below(other, label)) return false;
  }
  std::erase_if(labels, [&](const Label& other) { return is_below(label, other); });
  labels.push_back(label);
  return true;
}

std::uint32_t UnevenPaths::record(const PathStep& step) {
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  constexpr std::int64_t kBytes = 2 * (sizeof(PathStep) + sizeof(Label));
  bytes_left_ -= kBytes;
  if (bytes_left_ < 0 || steps_.size() >= kMost) throw TooLarge{};
  steps_.push_back(step);
  return static_cast<std::uint32_t>(steps_.size() - 1);
}

// Loads of memories without a limit do not count; changes of the tile that stands still do.
std::uint32_t UnevenPaths::add_loads(std::uint32_t known, const Loads& more) {
  Loads loads = loads_[known];
  const Int128 changes = more[at(solver_.memory_count)].writes;
  loads[at(solver_.memory_count)].writes += changes;
  bool same = changes == 0;
  for (int m = 0; m < solver_.memory_count; ++m) {
    if (!solver_.memory(m).limited) continue;
    same = same && more[at(m)].reads == 0 && more[at(m)].writes == 0;
    loads[at(m)].reads += more[at(m)].reads;
    loads[at(m)].writes += more[at(m)].writes;
  }
  if (same) return known;
  constexpr std::int64_t kBytes = 2 * sizeof(Loads);
  bytes_left_ -= kBytes;
  if (bytes_left_ < 0) throw TooLarge{};
  loads_.push_back(loads);
  return static_cast<std::uint32_t>(loads_.size() - 1);
}

// --- graph --------------------------------------------------------------------

UnevenPaths::State& UnevenPaths::keep(State& state) {
  if (!options_.keep_graph) return state;
  graph_.push_back(std::move(state));
  return graph_.back();
}

// The step begins at the state that was kept last.
PathArc UnevenPaths::arc_of(const Toll& toll, const PathStep& step) {
  constexpr std::int64_t kBytes = 2 * sizeof(PathArc);
  bytes_left_ -= kBytes;
  if (bytes_left_ < 0) throw TooLarge{};
  const std::uint32_t none = 0;  // the loads of the multipliers, which count in any case
  const std::uint32_t loads = add_loads(none, toll.loads);
  if (loads != none) loads_[loads] = toll.loads;
  const auto from = static_cast<std::uint32_t>(graph_.size() - 1);
  return {from, loads == none ? kNoLoads : loads, step, toll.energy, toll.words};
}

void UnevenPaths::add_arc(State& to, const Toll& toll, const PathStep& step) {
  if (options_.keep_graph) to.arcs.push_back(arc_of(toll, step));
}

}  // namespace tilewright::optimal
