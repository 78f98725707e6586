#include "fusion/fronts.h"

#include <algorithm>

namespace tilewright::fusion {

namespace {
auto first_above(const std::vector<FrontPoint>& points, std::int64_t room) {
  return std::upper_bound(points.begin(), points.end(), room,
                          [](std::int64_t r, const FrontPoint& p) { return r < p.room; });
}
}  // namespace

bool Front::wants(std::int64_t room, double pj) const {
  const auto above = first_above(points_, room);
  return above == points_.begin() || pj < std::prev(above)->pj;
}

void Front::add(const FrontPoint& point) {
  auto begin = points_.begin() + (first_above(points_, point.room) - points_.begin());
  if (begin != points_.begin() && std::prev(begin)->room == point.room) --begin;
  auto end = begin;
  while (end != points_.end() && end->pj >= point.pj) ++end;
  if (begin == end) {
    points_.insert(begin, point);
    return;
  }
  *begin = point;
  points_.erase(std::next(begin), end);
}

void Front::merge(const Front& other) {
  for (const FrontPoint& point : other.points_) {
    if (wants(point.room, point.pj)) add(point);
  }
}

}  // namespace tilewright::fusion
