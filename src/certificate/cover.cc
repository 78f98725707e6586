#include "certificate/cover.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

void refuse_many(const std::vector<std::int64_t>& factors) {
  constexpr std::size_t kMostFactors = std::size_t{1} << 22;
  if (factors.size() > kMostFactors) throw Unverifiable("a fan-out has too many unrollings");
}

}  // namespace

bool Cell::has_unrolling() const {
  return std::all_of(ranges.begin(), ranges.end(),
                     [](const Range& range) { return range.is_settled(); });
}

Cover::Cover(const Problem& problem, const Rules& rules)
    : problem_(&problem),
      rules_(&rules),
      dims_(problem.dim_count()),
      y_slots_(fanout_slots(problem)),
      chains_(problem, rules) {
  for (int f = 0; f < static_cast<int>(y_slots_.size()); ++f) {
    for (int d = 0; d < dims_; ++d) factors_.push_back(factors_of(f, d));
  }
  for (int t = 0; t < problem.tensor_count(); ++t) keepers_.push_back(keepers_of(t));
}

// Products of a bound of the X axis and one of the Y axis, which stands outside and takes
// of what is left.
std::vector<std::int64_t> Cover::factors_of(int fanout, int dim) const {
  const int slot = y_slots_[at(fanout)];
  const std::int64_t size = problem_->workload().dims[at(dim)].size;
  const auto most_of = [&](int axis) {
    return std::min({rules_->at_slot(axis, dim).most, problem_->instances_along(axis), size});
  };
  const bool perfect = rules_->kind == SpaceKind::Perfect;
  const auto bounds_of = [&](int axis) {
    std::vector<std::int64_t> bounds;
    for (std::int64_t bound = rules_->at_slot(axis, dim).least; bound <= most_of(axis); ++bound) {
      if (!perfect || size % bound == 0) bounds.push_back(bound);
      refuse_many(bounds);
    }
    return bounds;
  };
  const std::vector<std::int64_t> along_y = bounds_of(slot);
  std::vector<std::int64_t> found;
  for (const std::int64_t x : bounds_of(slot + 1)) {
    const std::int64_t left = ceil_div(size, x);
    for (const std::int64_t y : along_y) {
      if (y > left) break;
      if (!perfect || left % y == 0) found.push_back(narrow(Count(x) * y));
    }
    refuse_many(found);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::uint32_t> Cover::keepers_of(int tensor) const {
  std::uint32_t must = 0;
  std::uint32_t may = 0;
  for (std::size_t m = 0; m < rules_->must.size(); ++m) {
    if (contains(rules_->must[m], tensor)) must |= 1U << m;
    if (contains(rules_->may[m], tensor)) may |= 1U << m;
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t bits = 1; bits < 1U << rules_->must.size(); ++bits) {
    if ((bits & ~may) == 0 && (must & ~bits) == 0) found.push_back(bits);
  }
  return found;
}

std::vector<Cell> Cover::whole() {
  Cell all;
  for (const auto& factors : factors_) {
    if (factors.empty()) return {};
    all.ranges.push_back({0, static_cast<std::int32_t>(factors.size()) - 1});
  }
  if (!may_have_mappings(all)) return {};
  settle_keepers(all);
  return {all};
}

void Cover::settle_keepers(Cell& cell) const {
  while (cell.keepers.size() < keepers_.size() && keepers_[cell.keepers.size()].size() == 1) {
    cell.keepers.push_back(keepers_[cell.keepers.size()].front());
  }
}

std::int64_t Cover::least(const Cell& cell, int fanout, int dim) const {
  return factors_[place(fanout, dim)][at(range(cell, fanout, dim).first)];
}

std::int64_t Cover::most(const Cell& cell, int fanout, int dim) const {
  return factors_[place(fanout, dim)][at(range(cell, fanout, dim).last)];
}

Unrolling Cover::unrolling(const Cell& cell) const {
  Unrolling unrolling(static_cast<int>(y_slots_.size()), dims_);
  for (int f = 0; f < unrolling.fanouts(); ++f) {
    for (int d = 0; d < dims_; ++d) unrolling.set(f, d, least(cell, f, d));
  }
  return unrolling;
}

Placement Cover::placement(const Cell& cell) const {
  Placement placement(rules_->must.size(), 0);
  for (std::size_t t = 0; t < cell.keepers.size(); ++t) {
    for (const int m : members(cell.keepers[t])) placement[at(m)] |= 1U << t;
  }
  return placement;
}

bool Cover::is_frame(const Cell& cell) const {
  return cell.keepers.size() == keepers_.size() && cell.has_unrolling();
}

std::int64_t Cover::instances(int fanout) const {
  const int slot = y_slots_[at(fanout)];
  return narrow(Count(problem_->instances_along(slot)) * problem_->instances_along(slot + 1));
}

// The range whose factors differ the most, so that it soon shows which have no room beside each
// other; then who keeps the next tensor.
std::vector<Cell> Cover::parts(const Cell& cell) {
  if (const std::optional<std::size_t> place = widest_range(cell)) return split_range(cell, *place);
  std::vector<Cell> found;
  for (const std::uint32_t keepers : keepers_[cell.keepers.size()]) {
    found.push_back(cell);
    found.back().keepers.push_back(keepers);
    settle_keepers(found.back());
  }
  return found;
}

std::optional<std::size_t> Cover::widest_range(const Cell& cell) const {
  std::optional<std::size_t> widest;
  const auto least_of = [&](std::size_t i) { return factors_[i][at(cell.ranges[i].first)]; };
  const auto most_of = [&](std::size_t i) { return factors_[i][at(cell.ranges[i].last)]; };
  for (std::size_t i = cell.ranges.size(); i-- > 0;) {
    if (cell.ranges[i].is_settled()) continue;
    if (!widest ||
        Int128{most_of(i)} * least_of(*widest) > Int128{most_of(*widest)} * least_of(i)) {
      widest = i;
    }
  }
  return widest;
}

// A few factors one by one, many in two parts, of which the second begins at the geometric mean.
std::vector<Cell> Cover::split_range(const Cell& cell, std::size_t place) {
  constexpr std::int32_t kFew = 8;
  const Cell::Range& all = cell.ranges[place];
  std::vector<std::int32_t> starts;
  if (all.last - all.first < kFew) {
    for (std::int32_t i = all.first; i <= all.last; ++i) starts.push_back(i);
  } else {
    const auto& factors = factors_[place];
    const Int128 square = Int128{factors[at(all.first)]} * factors[at(all.last)];
    const auto middle =
        std::partition_point(factors.begin() + all.first + 1, factors.begin() + all.last,
                             [&](std::int64_t factor) { return Int128{factor} * factor < square; });
    starts = {all.first, static_cast<std::int32_t>(middle - factors.begin())};
  }
  starts.push_back(all.last + 1);
  std::vector<Cell> found;
  found.reserve(starts.size() - 1);
  Cell part = cell;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    part.ranges[place] = {starts[i], starts[i + 1] - 1};
    if (may_have_mappings(part)) found.push_back(part);
  }
  return found;
}

// Whichever axes they take, the largest factors fit.
bool Cover::is_elsewhere(const Cell& cell) const {
  const auto fits = [&](int fanout, const Rules::Elsewhere& part) {
    Int128 rows = 1;
    Int128 columns = 1;
    const int slot = y_slots_[at(fanout)];
    for (int d = 0; d < dims_ && rows <= part.rows && columns <= part.columns; ++d) {
      if (rules_->at_slot(slot, d).most > 1) rows *= most(cell, fanout, d);
      if (rules_->at_slot(slot + 1, d).most > 1) columns *= most(cell, fanout, d);
    }
    return rows <= part.rows && columns <= part.columns;
  };
  return std::any_of(
      rules_->elsewhere.begin(), rules_->elsewhere.end(), [&](const Rules::Elsewhere& part) {
        int fanout = 0;
        while (index_of(problem_->slots()[at(y_slots_[at(fanout)])].level) != part.level) ++fanout;
        return fits(fanout, part);
      });
}

bool Cover::may_have_mappings(const Cell& cell) {
  if (is_elsewhere(cell)) return false;
  for (int f = 0; f < static_cast<int>(y_slots_.size()); ++f) {
    if (!has_room(cell, f)) return false;
  }
  for (int d = 0; d < dims_; ++d) {
    if (!is_within_size(cell, d)) return false;
  }
  if (!cell.has_unrolling()) return true;
  for (int f = 0; f < static_cast<int>(y_slots_.size()); ++f) {
    if (!has_split(cell, f)) return false;
  }
  return chains_.are_possible(unrolling(cell));
}

bool Cover::has_room(const Cell& cell, int fanout) const {
  const std::int64_t room = instances(fanout);
  Int128 fewest = 1;
  Int128 most_used = 1;
  for (int d = 0; d < dims_; ++d) {
    fewest *= least(cell, fanout, d);
    most_used = std::min<Int128>(most_used * most(cell, fanout, d), room);
    if (fewest > room) return false;
  }
  const LevelId level = problem_->slots()[at(y_slots_[at(fanout)])].level;
  return most_used >= rules_->least_instances[at(level)];
}

// Bounds multiply to less than twice the size of a dimension.
bool Cover::is_within_size(const Cell& cell, int dim) const {
  const std::int64_t size = problem_->workload().dims[at(dim)].size;
  Int128 product = 1;  // of the least factors
  Int128 settled = 1;
  for (int f = 0; f < static_cast<int>(y_slots_.size()); ++f) {
    product *= least(cell, f, dim);
    if (range(cell, f, dim).is_settled()) settled *= least(cell, f, dim);
    if (product >= static_cast<Int128>(size) * 2) return false;
  }
  return rules_->kind != SpaceKind::Perfect || (product <= size && size % settled == 0);
}

bool Cover::has_split(const Cell& cell, int fanout) const {
  const int slot = y_slots_[at(fanout)];
  const auto find = [&](const auto& self, int d, std::int64_t room_y, std::int64_t room_x) -> bool {
    if (d == dims_) return true;
    const std::int64_t factor = least(cell, fanout, d);
    const std::int64_t size = problem_->workload().dims[at(d)].size;
    const Rules::Limits& along_y = rules_->at_slot(slot, d);
    const Rules::Limits& along_x = rules_->at_slot(slot + 1, d);
    const std::int64_t first = std::max(along_y.least, ceil_div(factor, room_x));
    for (std::int64_t y = first; y <= std::min({along_y.most, room_y, factor}); ++y) {
      const std::int64_t x = factor / y;
      if (factor % y != 0 || x > room_x || x < along_x.least || x > along_x.most) continue;
      // Both bounds of a dimension must find iterations that are left.
      if (rules_->kind != SpaceKind::Perfect && y > ceil_div(size, x)) continue;
      if (self(self, d + 1, room_y / y, room_x / x)) return true;
    }
    return false;
  };
  return find(find, 0, problem_->instances_along(slot), problem_->instances_along(slot + 1));
}

}  // namespace tilewright::certificate
