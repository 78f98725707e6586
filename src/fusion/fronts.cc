#include "fusion/fronts.h"

namespace tilewright::fusion {

namespace {

bool no_worse(const OpenTime& a, const OpenTime& b) {
  return a.cycles <= b.cycles && a.words[0] <= b.words[0] && a.words[1] <= b.words[1];
}

}  // namespace

TimedPoint to_point(const TimedNest& nest) {
  TimedPoint point;
  static_cast<FrontPoint&>(point) = nest;
  point.opens = 1;
  point.open[0] = nest.time;
  return point;
}

bool no_worse(const TimedNest& a, const TimedNest& b) {
  return a.pj <= b.pj && no_worse(a.time, b.time);
}

bool no_worse(const TimedPoint& a, const TimedPoint& b) {
  if (a.pj > b.pj || a.cycles > b.cycles) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.opens); ++i) {
    if (!no_worse(a.open[i], b.open[i])) return false;
  }
  return true;
}

template <>
bool FrontOf<FrontPoint>::wants(const FrontPoint& point) const {
  const std::size_t above = first_above(point.room);
  return above == 0 || point.pj < points_[above - 1].pj;
}

template <>
void FrontOf<FrontPoint>::add(const FrontPoint& point) {
  auto begin = points_.begin() + static_cast<std::ptrdiff_t>(first_above(point.room));
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

}  // namespace tilewright::fusion
