// Sets of the queue's subproblems that differ in the outermost fan-out alone. What is moved inside
// it costs the same in all of them, so one relaxation bounds the set (docs/optimal.md).
#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "mappers/optimal/relax.h"
#include "mappers/optimal/subproblem_queue.h"
#include "mapspace/loop_nesting.h"

namespace tilewright::optimal {
namespace {

// What each memory keeps is fixed, and every tensor is kept inside the outermost fan-out.
bool is_kept_inside(const SolverTables& solver, int tensor) {
  const std::uint32_t always = keepers_of(solver, tensor, true);
  const bool is_fixed = (keepers_of(solver, tensor, false) & ~always) == 0;
  return is_fixed && (always & ~1U) != 0;
}

// Whether the outermost memory stands alone outside the outermost fan-out, and loops of any bound
// and order may stand there.
bool has_free_home(const SolverTables& solver) {
  if (solver.fanout_count < 2 || solver.memory_count < 2) return false;
  if (solver.memory(0).fanouts_outside > 0 || solver.memory(1).fanouts_outside == 0) return false;
  const LoopNesting nesting(*solver.restrictions, MemoryId{0}, solver.originals);
  return leaves_all_extents(solver, 0) && nesting.is_free();
}

// Whether no bounds share more than others, nor unroll windows further.
bool covers(const UnsettledFanout& all, const UnsettledFanout& part) {
  const auto is_below = [](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
  };
  return is_below(part.sharing, all.sharing) && is_below(all.first, part.first) &&
         is_below(part.last, all.last);
}

// All of both.
UnsettledFanout united(const UnsettledFanout& a, const UnsettledFanout& b) {
  UnsettledFanout both = a;
  const auto merge = [](auto& into, const auto& from, const auto& choose) {
    std::transform(into.begin(), into.end(), from.begin(), into.begin(), choose);
  };
  const auto least = [](std::int64_t x, std::int64_t y) { return std::min(x, y); };
  const auto most = [](std::int64_t x, std::int64_t y) { return std::max(x, y); };
  merge(both.sharing, b.sharing, most);
  merge(both.first, b.first, least);
  merge(both.last, b.last, most);
  return both;
}

// The tensor that is shared most.
std::size_t most_shared_of(const UnsettledFanout& fanout) {
  const auto& sharing = fanout.sharing;
  return static_cast<std::size_t>(std::max_element(sharing.begin(), sharing.end()) -
                                  sharing.begin());
}

// All that stands for subproblems with any bounds of the outermost fan-out, and with nothing
// unrolled in it.
struct UnsettledSubproblem {
  UnsettledSubproblem(const SolverTables& solver, const UnsettledFanout& outermost,
                      const SpatialBounds& inside)
      : tables(solver),
        placement(fixed_placement(solver)),
        sub(with(outermost), placement, inside) {}
  UnsettledSubproblem(const UnsettledSubproblem&) = delete;
  UnsettledSubproblem& operator=(const UnsettledSubproblem&) = delete;

  SolverTables tables;
  Placement placement;
  Subproblem sub;

 private:
  const SolverTables& with(const UnsettledFanout& outermost) {
    tables.outer = nullptr;
    tables.least_filling = 0;
    tables.filled = 0;
    tables.unsettled = outermost;
    return tables;
  }
};

}  // namespace

bool knows_groups(const SolverTables& solver) {
  const bool in_space_alone = !has_remainders_in_time(solver);
  const bool is_even = solver.uneven == 0 && !solver.has_shared_rooms();
  if (solver.arrays) return false;  // some bounds do not go together
  if (!in_space_alone || !is_even || solver.boxes || !has_free_home(solver)) return false;
  for (int t = 0; t < solver.tensor_count; ++t) {
    if (!is_kept_inside(solver, t) || solver.tensor(t).shares_halos) return false;
  }
  return true;
}

UnsettledFanout SubproblemQueue::all_of(const Sets& sets) const {
  UnsettledFanout all = among(sets).front().fanout;
  for (const Outermost& one : among(sets)) all = united(all, one.fanout);
  return all;
}

// Those that share the same tensor most, or halves of these.
std::vector<SubproblemQueue::Sets> SubproblemQueue::parts_of(const Sets& sets) const {
  if (sets.end - sets.first == 1) return {sets};
  std::vector<Sets> parts;
  std::int32_t first = sets.first;
  for (std::int32_t i = first + 1; i < sets.end; ++i) {
    const std::size_t before = most_shared_of(outermost_[at(i - 1)].fanout);
    if (most_shared_of(outermost_[at(i)].fanout) == before) continue;
    parts.push_back({first, i});
    first = i;
  }
  if (!parts.empty()) {
    parts.push_back({first, sets.end});
    return parts;
  }
  const std::int32_t middle = sets.first + (sets.end - sets.first) / 2;
  return {{sets.first, middle}, {middle, sets.end}};
}

bool SubproblemQueue::can_be_grouped() const {
  const bool is_worth_it = made_ >= refinement_.ungrouped || steps_ >= refinement_.ungrouped_steps;
  if (!is_worth_it || !knows_groups_) return false;
  const auto has_one = [](const std::vector<std::int64_t>& bounds) { return bounds.front() == 1; };
  return std::all_of(bounds_.begin(), bounds_.begin() + solver_.dim_count, has_one);
}

// What came before may come once more, but its images must not count on it.
void SubproblemQueue::group(const Goal& goal) {
  knows_groups_ = list_outermost();
  if (!knows_groups_) return;
  is_grouping_ = true;
  waiting_.clear();
  bytes_of_parts_ = 0;
  came_.clear();
  ahead_memory_ = std::make_unique<TableMemory>(static_cast<std::int64_t>(most_bytes_ / 4));
  Node all;
  all.ranges = all_ranges();
  all.floor = floor_of(all.ranges);
  push(std::move(all), goal);
}

bool SubproblemQueue::list_outermost() {
  constexpr std::size_t kMost = 4096;
  const std::int64_t room = times(solver_.fanout(0).size_x, solver_.fanout(0).size_y);
  std::vector<std::vector<std::int32_t>> found;
  std::vector<std::int32_t> chosen(at(solver_.dim_count), 0);
  const auto choose = [&](const auto& self, int d, std::int64_t left) -> void {
    if (d == solver_.dim_count) return found.push_back(chosen);
    const std::vector<std::int64_t>& bounds = bounds_[place(0, d)];
    for (std::size_t i = 0; i < bounds.size() && bounds[i] <= left && found.size() <= kMost; ++i) {
      chosen[at(d)] = static_cast<std::int32_t>(i);
      self(self, d + 1, left / bounds[i]);
    }
    chosen[at(d)] = 0;
  };
  choose(choose, 0, room);
  if (found.size() == 1 || found.size() > kMost) return false;
  std::vector<Range> ranges = all_ranges();
  std::map<std::vector<std::int64_t>, Outermost> alike;  // by what is shared
  for (const std::vector<std::int32_t>& bounds : found) {
    for (int d = 0; d < solver_.dim_count; ++d) {
      ranges[place(0, d)] = {bounds[at(d)], bounds[at(d)]};
    }
    const UnsettledFanout fanout = unsettled(ranges);
    Outermost& like = alike.try_emplace(fanout.sharing, Outermost{fanout, {}}).first->second;
    like.fanout = united(like.fanout, fanout);
    like.bounds.push_back(bounds);
  }
  for (auto& [sharing, one] : alike) outermost_.push_back(std::move(one));
  const auto product = [](const Outermost& one) {
    return std::accumulate(one.fanout.sharing.begin(), one.fanout.sharing.end(), std::int64_t{1},
                           [](std::int64_t a, std::int64_t b) { return times(a, b); });
  };
  const auto rank = [&](const Outermost& one) {
    const std::size_t most = most_shared_of(one.fanout);
    return std::tuple(most, -one.fanout.sharing[most], -product(one));
  };
  std::stable_sort(outermost_.begin(), outermost_.end(),
                   [&](const Outermost& a, const Outermost& b) { return rank(a) < rank(b); });
  return true;
}

// All fan-outs but the outermost one are settled.
bool SubproblemQueue::is_group(const Node& node) const {
  if (node.single || node.chains) return false;
  if (node.outermost.end > 0) return true;
  for (std::size_t i = 0; i < node.ranges.size(); ++i) {
    const Range& range = node.ranges[i];
    const bool is_whole = range.first == 0 && at(range.last) + 1 == bounds_[i].size();
    if (i < at(solver_.dim_count) ? !is_whole : range.first != range.last) return false;
  }
  return true;
}

bool SubproblemQueue::begin_group(Node& node) {
  if (node.outermost.end > 0) return true;
  if (came_in_mirror(node.ranges)) return false;
  node.outermost = {0, static_cast<std::int32_t>(outermost_.size())};
  is_diving_ = is_diving_ || dives_++ < refinement_.dives;
  return true;
}

// Its parts know what is ahead of all of it.
void SubproblemQueue::split_group(const Node& node, const Goal& goal) {
  const std::vector<Sets> parts = parts_of(node.outermost);
  for (std::size_t i = 0; parts.size() > 1 && i < parts.size(); ++i) {
    Node part = node;
    part.outermost = parts[i];
    part.grouped = false;
    for (int d = 0; d < solver_.dim_count; ++d) {
      Range& range = part.ranges[place(0, d)];
      range = {range.last, 0};
      for (const Outermost& one : among(parts[i])) {
        for (const std::vector<std::int32_t>& bounds : one.bounds) {
          range = {std::min(range.first, bounds[at(d)]), std::max(range.last, bounds[at(d)])};
        }
      }
    }
    push(std::move(part), goal);
  }
  if (parts.size() > 1) return;
  for (const std::vector<std::int32_t>& bounds : among(node.outermost).front().bounds) {
    Node part;
    part.ranges = node.ranges;
    for (int d = 0; d < solver_.dim_count; ++d) {
      part.ranges[place(0, d)] = {bounds[at(d)], bounds[at(d)]};
    }
    if (!is_possible(part.ranges) || is_settled(part.ranges)) continue;
    part.pooled = node.pooled;
    part.floor = higher(node.floor, floor_of(part.ranges));
    push(std::move(part), goal);
  }
}

// With the same bounds of all other fan-outs.
SubproblemQueue::KnownGroups& SubproblemQueue::known_inside(const Node& node) {
  std::vector<std::int32_t> inside;
  for (std::size_t i = at(solver_.dim_count); i < node.ranges.size(); ++i) {
    inside.push_back(node.ranges[i].first);
  }
  return known_groups_[inside];
}

// By those that share no less.
Units SubproblemQueue::known_of_group(const KnownGroups& known, const UnsettledFanout& fanout,
                                      Units limit) {
  Units least = 0;
  for (const KnownGroup& other : known) {
    if (!covers(other.fanout, fanout)) continue;
    const bool is_closed = other.least >= kNever;
    least = std::max(least, is_closed && limit > other.limit ? other.limit : other.least);
  }
  return least;
}

Units SubproblemQueue::least_of_group(Node& node, Units limit, const Deadline& deadline) {
  std::vector<Range> inside = node.ranges;  // with nothing unrolled in the outermost fan-out
  for (int d = 0; d < solver_.dim_count; ++d) inside[place(0, d)] = {0, 0};
  const std::shared_ptr<const SpatialBounds> spatial = settled(inside);
  if (!spatial) return kNever;
  const UnsettledFanout fanout = all_of(node.outermost);
  Units least = 0;
  try {
    const UnsettledSubproblem all(solver_, fanout, *spatial);
    Lattice lattice(all.sub, deadline);
    if (!lattice.ok() || (node.ahead && !node.ahead->narrow(lattice))) return kNever;
    TableMemory memory(static_cast<std::int64_t>(most_bytes_ / 4));
    const Relaxation relaxation(all.sub, lattice, EnergyLimit(limit), memory, deadline,
                                node.ahead.get());
    steps_ += relaxation.steps();
    least = relaxation.least();
    known_inside(node).push_back({fanout, least, limit});
    if (least >= limit || among(node.outermost).size() == 1) return least;
    const StatesAhead::Memory tables{memory, *ahead_memory_};
    node.ahead =
        std::make_shared<const StatesAhead>(all.sub, lattice, relaxation, limit, tables, deadline);
    steps_ += node.ahead->steps();
  } catch (const Expired&) {
    return least;
  } catch (const TooLarge&) {
    return least;
  }
  return least;
}

bool SubproblemQueue::came_in_mirror(const std::vector<Range>& ranges) {
  if (solver_.mirrors.empty()) return false;
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;
  for (const Range& range : ranges) {
    first.push_back(static_cast<std::uint32_t>(range.first));
    last.push_back(static_cast<std::uint32_t>(range.last));
  }
  const auto key_of = [](std::vector<std::uint32_t> a, const std::vector<std::uint32_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<std::uint32_t> key = key_of(first, last);
  bool has_image = false;
  for (const DimMirror& mirror : solver_.mirrors) {
    const std::vector<std::uint32_t> image =
        key_of(image_of(first, mirror), image_of(last, mirror));
    if (image == key) continue;
    if (groups_.contains(image)) return true;
    has_image = true;
  }
  if (has_image) groups_.insert(key);
  return false;
}

}  // namespace tilewright::optimal
