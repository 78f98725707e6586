#include "mappers/optimal/subproblem_queue.h"

#include <algorithm>

#include "mappers/optimal/array_choices.h"
#include "mappers/optimal/lattice.h"
#include "mappers/optimal/tight_bounds.h"

namespace tilewright::optimal {
namespace {

// Where the second half of a range of bounds begins: at their geometric mean.
template <typename Range>
std::int32_t middle_of(const std::vector<std::int64_t>& bounds, const Range& range) {
  const Int128 product = static_cast<Int128>(bounds[at(range.first)]) * bounds[at(range.last)];
  std::int32_t middle = range.first + 1;
  while (middle < range.last &&
         static_cast<Int128>(bounds[at(middle)]) * bounds[at(middle)] < product) {
    ++middle;
  }
  return middle;
}

std::size_t bytes_of(const OpenParts* parts) {
  return parts == nullptr ? 0 : parts->size() * (sizeof(OpenPart) + parts->front().box.bytes());
}

// Dimensions of size 1 are not among the solver's; they cannot be unrolled.
bool asks_for_too_much(const SolverTables& solver) {
  const Problem& problem = solver.problem();
  for (int s = 0; s < problem.slot_count(); ++s) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      const bool has_size_one = problem.workload().dim(DimId{d}).size == 1;
      if (has_size_one && solver.restrictions->limits(s, DimId{d}).least > 1) return true;
    }
  }
  return false;
}

}  // namespace

SubproblemQueue::SubproblemQueue(const SolverTables& solver, const Aim& order,
                                 std::int64_t most_bytes,
                                 const std::vector<Foreknown::Part>& settled,
                                 const Refinement& refinement)
    : solver_(solver),
      order_(order),
      most_bytes_(static_cast<std::size_t>(most_bytes)),
      refinement_(refinement),
      tight_splits_(solver),
      knows_groups_(knows_groups(solver)) {
  for (const Foreknown::Part& part : settled) {
    for (int f = 0; f < solver.fanout_count; ++f) {
      if (solver.fanout(f).level == part.fanout) settled_.push_back({f, part.size_y, part.size_x});
    }
  }
  if (refinement.outer != nullptr)
    refined_.emplace(solver, *refinement.outer, refinement.most_asked);
  if (asks_for_too_much(solver)) return;
  // Until the bounds are listed, what the multipliers take, whatever the mapping.
  const Architecture& arch = solver.problem().arch();
  const std::int64_t all = physical_instances(arch, arch.compute_level());
  const Int128 steps = ceil_div(ceil_div(solver.macs, all), solver.compute_macs);
  Node anything;
  const Int128 cycles = cycles_for(steps, {1, solver.compute_cycles});
  anything.floor = {solver.macs * solver.mac, std::max(cycles, solver.home_cycles), 1};
  waiting_.push_back(std::move(anything));
}

// Takes the place of the set that stood for all.
void SubproblemQueue::start(const Deadline& deadline) {
  bounds_ = list_bounds(deadline);
  if (solver_.only_tight_bounds) list_tight_bounds();
  is_started_ = true;
  waiting_.clear();
  if (std::any_of(bounds_.begin(), bounds_.end(), [](const auto& each) { return each.empty(); })) {
    return;
  }
  Node all;
  all.ranges = all_ranges();
  if (!narrow_to_arrays(all.ranges) || !is_possible(all.ranges) || is_settled(all.ranges)) return;
  all.floor = floor_of(all.ranges);
  push(std::move(all), Goal(std::nullopt));
}

std::vector<SubproblemQueue::Range> SubproblemQueue::all_ranges() const {
  std::vector<Range> all;
  for (const auto& bounds : bounds_) {
    all.push_back({0, static_cast<std::int32_t>(bounds.size()) - 1});
  }
  return all;
}

// --- the heap ---------------------------------------------------------------

bool SubproblemQueue::comes_later(const Node& a, const Node& b) const {
  if (is_less(order_, a.floor, b.floor)) return false;
  if (is_less(order_, b.floor, a.floor)) return true;
  // What is nearer to a subproblem first.
  if (a.single != b.single) return b.single;
  if ((a.chains == nullptr) != (b.chains == nullptr)) return b.chains != nullptr;
  return a.number > b.number;
}

void SubproblemQueue::push(Node node, const Goal& goal) {
  if (!goal.is_improved_by(node.floor)) return;
  bytes_of_parts_ += bytes_of(node.parts.get());
  node.refined = is_refining();
  node.number = numbers_++;
  push_heap(is_diving_ ? dive_ : waiting_, std::move(node));
}

void SubproblemQueue::push_heap(std::vector<Node>& heap, Node node) const {
  heap.push_back(std::move(node));
  std::push_heap(heap.begin(), heap.end(),
                 [&](const Node& a, const Node& b) { return comes_later(a, b); });
}

SubproblemQueue::Node SubproblemQueue::pop() {
  if (dive_.empty()) is_diving_ = false;
  std::vector<Node>& heap = is_diving_ ? dive_ : waiting_;
  std::pop_heap(heap.begin(), heap.end(),
                [&](const Node& a, const Node& b) { return comes_later(a, b); });
  Node node = std::move(heap.back());
  heap.pop_back();
  bytes_of_parts_ -= bytes_of(node.parts.get());
  return node;
}

void SubproblemQueue::end_dive() {
  for (Node& node : dive_) push_heap(waiting_, std::move(node));
  dive_.clear();
  is_diving_ = false;
}

const Cost* SubproblemQueue::floor() const {
  if (dive_.empty()) return waiting_.empty() ? nullptr : &waiting_.front().floor;
  const bool is_lower =
      waiting_.empty() || is_less(order_, dive_.front().floor, waiting_.front().floor);
  return is_lower ? &dive_.front().floor : &waiting_.front().floor;
}

std::optional<Candidate> SubproblemQueue::next(const Goal& goal, const Deadline& deadline,
                                               bool are_some_out) {
  if (!is_started_ && !waiting_.empty()) start(deadline);
  const std::size_t bytes_of_each = sizeof(Node) + sizeof(Range) * bounds_.size() + 64;
  const std::size_t bytes_of_known = sizeof(std::uint32_t) * (bounds_.size() + kMaxTensors) + 96;
  while (!has_ended() && !has_paused() && (!waiting_.empty() || !dive_.empty())) {
    deadline.check();
    if (!is_grouping_ && !goal.empty() && can_be_grouped()) {
      group(goal);
      continue;  // nothing may be left
    }
    const std::size_t known = came_.size() + 2 * groups_.size() + 16 * known_groups_.size();
    const std::size_t nodes = waiting_.size() + dive_.size();
    if (nodes * bytes_of_each + known * bytes_of_known + bytes_of_parts_ > most_bytes_) {
      throw TooLarge{};
    }
    Node node = pop();
    if (!goal.is_improved_by(node.floor)) continue;
    refine_if_worth_it(goal, deadline);
    if (is_to_be_grouped(node)) {
      if (are_some_out) {
        push(std::move(node), goal);
        return std::nullopt;
      }
      if (!begin_group(node)) continue;
    }
    if (raise(node, goal, deadline)) {
      push(std::move(node), goal);
      continue;
    }
    if (node.single) {
      if (node.looks == 0 && came_in_mirror(node)) continue;
      Candidate one = candidate(node);
      if (is_pooling() && refined_->knows_pooled())
        one.ahead = refined_->ahead(branches_of(node.ranges));
      if (homes_.size() == 1) one.ahead = homes_.front().ahead();
      given_.emplace(one.number, std::move(node));
      ++given_out_;
      end_dive();
      return one;
    }
    expand(node, goal);
  }
  return std::nullopt;
}

void SubproblemQueue::put_back(const Candidate& one, const Cost& bound, bool expanded,
                               const Goal& goal, OpenParts parts) {
  Node node = std::move(given_.extract(one.number).mapped());
  node.floor = higher(node.floor, bound);
  node.parts = parts.empty() ? nullptr : std::make_shared<const OpenParts>(std::move(parts));
  ++node.looks;
  node.expanded = node.expanded || expanded;
  push(std::move(node), goal);
}

void SubproblemQueue::expand(const Node& node, const Goal& goal) {
  if (node.chains) {
    next_placements(node, goal);
  } else if (is_grouping_ && is_group(node)) {
    split_group(node, goal);
  } else {
    split_ranges(node, goal);
  }
}

// --- spatial bounds; see also subproblem_floors.cc and subproblem_placements.cc -----------

std::vector<std::vector<std::int64_t>> SubproblemQueue::list_bounds(
    const Deadline& deadline) const {
  std::vector<std::vector<std::int64_t>> all;
  std::size_t number = 0;
  for (int f = 0; f < solver_.fanout_count; ++f) {
    for (int d = 0; d < solver_.dim_count; ++d) {
      all.push_back(bounds_of(f, d, deadline));
      number += all.back().size();
      if (number > most_bytes_ / sizeof(std::int64_t)) throw TooLarge{};
    }
  }
  return all;
}

// Products of what the axes can have.
std::vector<std::int64_t> SubproblemQueue::bounds_of(int fanout, int dim,
                                                     const Deadline& deadline) const {
  const FanoutShape& shape = solver_.fanout(fanout);
  const BoundLimits& along_x = solver_.limits(shape.slot + 1, dim);
  const BoundLimits& along_y = solver_.limits(shape.slot, dim);
  const std::int64_t size = solver_.size(dim);
  const auto sort_out = [](std::vector<std::int64_t>& bounds) {
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  };
  std::vector<std::int64_t> bounds;
  std::size_t next_sort = 1U << 20U;
  const std::int64_t most_x = std::min({along_x.most, shape.size_x, size});
  const bool may_hold = may_hold_sums(solver_, fanout, dim);
  if (solver_.only_tight_bounds && !may_hold && is_dealt_alike(solver_, fanout, dim)) {
    return tight_bounds(solver_, fanout, dim);
  }
  // Fewer branches are enough where each has a tile, and no group follows.
  const bool fewer = solver_.only_tight_bounds && may_unroll_less(solver_, fanout, dim);
  for (std::int64_t x = along_x.least; x <= most_x; ++x) {
    if (solver_.is_perfect() && size % x != 0) continue;
    deadline.check();
    const std::int64_t left = ceil_div(size, x);
    const std::int64_t most_y = std::min({along_y.most, shape.size_y, left});
    for (std::int64_t y = along_y.least; y <= most_y; ++y) {
      if (fewer && (x - 1) * y >= size) break;
      if (!solver_.is_perfect() || left % y == 0) bounds.push_back(x * y);
    }
    if (bounds.size() < next_sort) continue;
    sort_out(bounds);
    if (bounds.size() > most_bytes_ / sizeof(std::int64_t)) throw TooLarge{};
    next_sort = 2 * bounds.size() + (1U << 20U);
  }
  sort_out(bounds);
  return bounds;
}

// A few bounds one by one, many by halves.
void SubproblemQueue::split_ranges(const Node& node, const Goal& goal) {
  constexpr std::int32_t kFew = 8;
  const std::optional<std::size_t> place = next_to_split(node.ranges);
  if (!place) return start_placements(node, goal);
  const Range range = node.ranges[*place];
  const std::int32_t number = range.last - range.first + 1;
  std::vector<std::int32_t> starts;  // of the parts
  if (number <= kFew) {
    for (std::int32_t i = 0; i < number; ++i) starts.push_back(range.first + i);
  } else if (solver_.is_perfect()) {
    starts = {range.first, range.first + number / 2};
  } else {
    starts = {range.first, middle_of(bounds_[*place], range)};
  }
  starts.push_back(range.last + 1);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    Node part;
    part.ranges = node.ranges;
    part.ranges[*place] = {starts[i], starts[i + 1] - 1};
    part.filling = node.filling;
    if (!narrow_to_arrays(part.ranges) || !is_possible(part.ranges) || is_settled(part.ranges)) {
      continue;
    }
    part.floor = higher(node.floor, floor_of(part.ranges));
    push(std::move(part), goal);
  }
}

bool SubproblemQueue::narrow_to_arrays(std::vector<Range>& ranges) const {
  if (!solver_.arrays) return true;
  const int f = solver_.arrays->fanout();
  PerDim least{};
  for (int d = 0; d < solver_.dim_count; ++d) least[at(d)] = first(ranges, f, d);
  const std::optional<PerDim> most = solver_.arrays->most_beside(least);
  if (!most) return false;
  for (int d = 0; d < solver_.dim_count; ++d) {
    Range& range = ranges[place(f, d)];
    while (bounds_[place(f, d)][at(range.last)] > (*most)[at(d)]) --range.last;
  }
  return true;
}

// The innermost fan-out that is not settled, and there the longest dimension. With remainders
// there are many bounds: the widest range first, so that it soon shows what has no room beside
// each other.
std::optional<std::size_t> SubproblemQueue::next_to_split(const std::vector<Range>& ranges) const {
  std::optional<std::size_t> next;
  double widest = 0;
  for (int f = solver_.fanout_count; f-- > 0;) {
    if (is_grouping_ && f == 0 && next) break;
    for (int d = solver_.dim_count; d-- > 0;) {
      const Range& range = ranges[place(f, d)];
      if (range.first == range.last) continue;
      if (solver_.is_perfect()) return place(f, d);
      const double width =
          static_cast<double>(last(ranges, f, d)) / static_cast<double>(first(ranges, f, d));
      if (width <= widest) continue;
      widest = width;
      next = place(f, d);
    }
  }
  return next;
}

bool SubproblemQueue::is_possible(const std::vector<Range>& ranges) const {
  for (int f = 0; f < solver_.fanout_count; ++f) {
    const FanoutShape& shape = solver_.fanout(f);
    Int128 least = 1;
    Int128 most = 1;
    for (int d = 0; d < solver_.dim_count; ++d) {
      least *= first(ranges, f, d);
      most = std::min<Int128>(most * last(ranges, f, d), kCountLimit);
      if (least > static_cast<Int128>(shape.size_x) * shape.size_y) return false;
    }
    if (most < solver_.restrictions->least_instances(shape.level)) return false;
  }
  for (int d = 0; d < solver_.dim_count; ++d) {
    std::int64_t left = solver_.size(d);  // where the bounds are settled
    for (int f = solver_.fanout_count; f-- > 0;) {
      const std::int64_t least = first(ranges, f, d);
      // Split over two axes, bounds multiply to less than twice of what is left.
      if (least >= 2 * left) return false;
      const bool settled = least == last(ranges, f, d);
      if (settled && solver_.is_perfect() && left % least != 0) return false;
      if (settled || !solver_.is_perfect()) left = ceil_div(left, least);
    }
  }
  return true;
}

// Whether all bounds in these ranges, however they are split over the axes, fit into a part.
bool SubproblemQueue::is_settled(const std::vector<Range>& ranges) const {
  return std::any_of(settled_.begin(), settled_.end(), [&](const Settled& part) {
    const int slot = solver_.fanout(part.fanout).slot;
    std::int64_t most_x = 1;
    std::int64_t most_y = 1;
    for (int d = 0; d < solver_.dim_count; ++d) {
      const std::int64_t most = last(ranges, part.fanout, d);
      most_x = times(most_x, std::min(most, solver_.limits(slot + 1, d).most));
      most_y = times(most_y, std::min(most, solver_.limits(slot, d).most));
    }
    return most_x <= part.size_x && most_y <= part.size_y;
  });
}

// The same of the splits that there are, each in a part of its own.
bool SubproblemQueue::is_settled(const SpatialBounds& spatial) const {
  const auto fits = [&](const PerDim& along_x, const Settled& part) {
    std::int64_t x = 1;
    std::int64_t y = 1;
    for (int d = 0; d < solver_.dim_count; ++d) {
      x *= along_x[at(d)];
      y *= spatial.unrolled(part.fanout, d) / along_x[at(d)];
    }
    return x <= part.size_x && y <= part.size_y;
  };
  for (int f = 0; f < solver_.fanout_count; ++f) {
    const std::vector<PerDim>& splits = spatial.splits(f);
    const bool all = std::all_of(splits.begin(), splits.end(), [&](const PerDim& along_x) {
      return std::any_of(settled_.begin(), settled_.end(), [&](const Settled& part) {
        return part.fanout == f && fits(along_x, part);
      });
    });
    if (all) return true;
  }
  return false;
}

// Nothing if the axes have no room for them.
std::shared_ptr<const SpatialBounds> SubproblemQueue::settled(
    const std::vector<Range>& ranges) const {
  auto spatial = std::make_shared<SpatialBounds>(solver_.fanout_count, solver_.dim_count);
  PerDim left = solver_.sizes;
  for (int f = solver_.fanout_count; f-- > 0;) {
    for (int d = 0; d < solver_.dim_count; ++d) spatial->set_unrolled(f, d, first(ranges, f, d));
    std::vector<PerDim> splits = splits_of(*spatial, f, left);
    std::erase_if(splits, [&](const PerDim& along_x) {
      return tight_splits_.is_superfluous(*spatial, f, along_x, false);
    });
    if (splits.empty() || tight_splits_.is_superfluous(*spatial, f, left)) return nullptr;
    spatial->set_splits(f, std::move(splits));
    for (int d = 0; d < solver_.dim_count; ++d) {
      left[at(d)] = ceil_div(left[at(d)], spatial->unrolled(f, d));
    }
  }
  return spatial;
}

// One, where bounds must divide.
std::vector<PerDim> SubproblemQueue::splits_of(const SpatialBounds& spatial, int fanout,
                                               const PerDim& left) const {
  const FanoutShape& shape = solver_.fanout(fanout);
  const bool one_is_enough = !solver_.may_leave_remainder(shape.slot);
  std::vector<PerDim> found;
  PerDim along_x{};
  along_x.fill(1);
  const auto choose = [&](const auto& self, int d, std::int64_t room_x,
                          std::int64_t room_y) -> void {
    if (one_is_enough && !found.empty()) return;
    if (d == solver_.dim_count) {
      found.push_back(along_x);
      return;
    }
    const std::int64_t unrolled = spatial.unrolled(fanout, d);
    const BoundLimits& x_limits = solver_.limits(shape.slot + 1, d);
    const BoundLimits& y_limits = solver_.limits(shape.slot, d);
    const std::int64_t most_x = std::min({x_limits.most, room_x, unrolled});
    for (std::int64_t x = x_limits.least; x <= most_x; ++x) {
      const std::int64_t y = unrolled / x;
      if (unrolled % x != 0 || y > room_y || y < y_limits.least || y > y_limits.most) continue;
      if (!is_legal_split(unrolled, x, left[at(d)])) continue;
      along_x[at(d)] = x;
      self(self, d + 1, room_x / x, room_y / y);
    }
    along_x[at(d)] = 1;
  };
  choose(choose, 0, shape.size_x, shape.size_y);
  return found;
}

}  // namespace tilewright::optimal
