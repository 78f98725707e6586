#include "fusion/nests_points.h"

#include <algorithm>

namespace tilewright::fusion {

namespace {

// Both have the same runs and points.
bool beats(const PointPath& a, const PointPath& b) {
  if (a.room > b.room || a.pj > b.pj) return false;
  for (const int t : members(a.placed)) {
    if (a.served[at(t)] > b.served[at(t)]) return false;
  }
  for (std::size_t port = 0; port < a.time.words.size(); ++port) {
    if (a.time.words[port] > b.time.words[port]) return false;
  }
  return true;
}

}  // namespace

PointPaths::PointPaths(const RunPrices& prices, const PointRules& rules)
    : prices_(prices), rules_(rules), paths_(prices.lattice().size()) {}

std::uint32_t PointPaths::number_of(const OpenRuns& runs) {
  const auto [entry, made] = known_.try_emplace(runs, static_cast<std::uint32_t>(runs_.size()));
  if (made) {
    runs_.push_back(runs);
    behind_.emplace_back();
  }
  return entry->second;
}

std::uint32_t PointPaths::number_behind(std::uint32_t runs, int dim) {
  if (behind_[runs].empty()) {
    std::vector<std::uint32_t> behind;
    for (int d = 0; d < prices_.stack().flat().dims; ++d) {
      behind.push_back(number_of(ended(runs_[runs], prices_.moved(d))));
    }
    behind_[runs] = std::move(behind);
  }
  return behind_[runs][at(dim)];
}

void PointPaths::add(const OpenRuns& runs, double pj, std::size_t row, std::size_t tile) {
  prices_.lattice().steps_from(tile, steps_);
  PointPath path{number_of(runs), 0, 0, pj};
  path.step = static_cast<std::uint32_t>(row);
  add_loops(path, tile);
}

void PointPaths::go_on(std::size_t tile) {
  prices_.lattice().steps_from(tile, steps_);
  for (const PointPath& path : paths_[tile]) add_loops(path, tile);
}

// A point that the next loop does not move could as well stand outside that loop, for nothing. So
// only those have their points just inside a loop that are moved by it.
void PointPaths::add_loops(const PointPath& path, std::size_t tile) {
  for (const ExtentLattice::Step& step : steps_) {
    if (!contains(rules_.loop_dims(), step.dim)) continue;
    const std::uint32_t moved = prices_.moved(step.dim);
    const std::uint32_t may_place = moved & rules_.tensors() & ~path.placed;
    PointPath behind = path;
    // Nests without points have no steps.
    behind.last = {path.placed == 0, path.step, static_cast<std::uint32_t>(tile), 0};
    behind.pj += prices_.end_pj(runs_[path.runs], moved, tile);
    behind.runs = number_behind(path.runs, step.dim);
    for (std::uint32_t placed = may_place;; placed = (placed - 1) & may_place) {
      PointPath next = behind;
      next.placed |= placed;
      next.last.placed = placed;
      // Nests without points are not of this table.
      bool fits = next.placed != 0 && next.placed != rules_.tensors();
      for (const int t : members(placed)) fits = fits && rules_.place(next, t, tile);
      if (fits) take(next, step.to);
      if (placed == 0) break;
    }
  }
}

void PointPaths::take(const PointPath& path, std::size_t tile) {
  if (!rules_.is_of_use(path, runs_[path.runs], tile)) return;
  std::vector<PointPath>& others = paths_[tile];
  const auto is_alike = [&](const PointPath& other) {
    return other.runs == path.runs && other.placed == path.placed;
  };
  if (std::any_of(others.begin(), others.end(),
                  [&](const PointPath& other) { return is_alike(other) && beats(other, path); })) {
    return;
  }
  std::erase_if(others,
                [&](const PointPath& other) { return is_alike(other) && beats(path, other); });
  others.push_back(path);
  others.back().step = static_cast<std::uint32_t>(made_.size());
  made_.push_back(path.last);
}

InnerPoints::InnerPoints(const RunPrices& prices, std::size_t edge)
    : prices_(prices),
      edge_(edge),
      memory_(prices.stack().stages()[edge].number),
      kept_(prices.stack().kept(memory_)) {}

std::int64_t InnerPoints::room_for(int tensor, std::size_t tile) const {
  const Room& room = prices_.stack().room(memory_);
  const std::int64_t words =
      prices_.stack().flat().tensor[at(tensor)].words(prices_.lattice().extents(tile));
  const auto& own = room.partitions[at(tensor)];
  const Capacity::Unit unit = own ? own->unit : room.capacity.unit;
  return unit == Capacity::Unit::Bits ? words * room.element_bits[at(tensor)] : words;
}

bool InnerPoints::fits_partition(int tensor, std::size_t tile) const {
  const auto& own = prices_.stack().room(memory_).partitions[at(tensor)];
  return !own || own->unit == Capacity::Unit::Unlimited || room_for(tensor, tile) <= own->amount;
}

bool InnerPoints::place(PointPath& path, int tensor, std::size_t tile) const {
  const NestStack& stack = prices_.stack();
  const int keeper = stack.keeper_outside(memory_, tensor);
  const LinkPrices link = stack.prices(keeper, memory_, tensor);
  const double words = prices_.per_word(tensor, tile);
  path.pj += words * link.inside_pj;
  if (stack.fanouts_left(edge_ + 1, std::max(keeper, stack.shared()))) {
    path.served[at(tensor)] = words;
  } else {
    path.pj += words * link.outside_pj;
  }
  if (!stack.room(memory_).partitions[at(tensor)]) path.room += room_for(tensor, tile);
  return fits_partition(tensor, tile);
}

// What has its point later takes no less room then.
bool InnerPoints::is_of_use(const PointPath& path, const OpenRuns& /*runs*/,
                            std::size_t tile) const {
  const Room& room = prices_.stack().room(memory_);
  std::int64_t taken = path.room;
  for (const int t : members(kept_ & ~path.placed)) {
    if (!fits_partition(t, tile)) return false;
    if (!room.partitions[at(t)]) taken += room_for(t, tile);
  }
  return room.capacity.unit == Capacity::Unit::Unlimited || taken <= room.capacity.amount;
}

OpenRuns InnerPoints::outside(const PointPath& path, const OpenRuns& runs) const {
  OpenRuns outside = prices_.opened(runs, memory_, kept_ & ~path.placed, path.placed);
  for (const int t : members(path.placed)) {
    if (path.served[at(t)] == 0) continue;
    outside.to_compute |= 1U << t;
    outside.served[at(t)] = path.served[at(t)];
  }
  return outside;
}

}  // namespace tilewright::fusion
