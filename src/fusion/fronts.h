// Choices that differ in the room that they need, in their energy and in their time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tilewright/fusion.h"

namespace tilewright::fusion {

struct FrontPoint {
  std::int64_t room = 0;  // of the shared memory, in the unit of its capacity
  double pj = 0;
  std::uint32_t origin = 0;  // where the one who made it finds how
};

// An einsum some of whose tensors have no place yet, so that words may still come to the ports
// of the outermost memory. Counts are whole numbers.
struct OpenTime {
  double cycles = 0;                 // the multipliers, and what is done afterwards
  std::array<double, 2> words = {};  // by port

  bool operator==(const OpenTime&) const = default;
};

inline constexpr int kMaxOpen = kLongestTimedGroup;

struct TimedPoint : FrontPoint {
  double cycles = 0;  // of the einsums that are not open
  int opens = 0;
  std::array<OpenTime, kMaxOpen> open = {};  // in the order of einsums
};

// A nest of an einsum, all of whose time is open.
struct TimedNest : FrontPoint {
  OpenTime time;
};
inline const FrontPoint& to_point(const FrontPoint& nest) { return nest; }
TimedPoint to_point(const TimedNest& nest);

// The nests from which points are made.
template <class Point>
struct NestType {
  using Type = FrontPoint;
};
template <>
struct NestType<TimedPoint> {
  using Type = TimedNest;
};
template <class Point>
using NestOf = typename NestType<Point>::Type;

// True if the first is as good as the second in all but room. Points of one front have the
// same einsums open.
inline bool no_worse(const FrontPoint& a, const FrontPoint& b) { return a.pj <= b.pj; }
bool no_worse(const TimedPoint& a, const TimedPoint& b);
bool no_worse(const TimedNest& a, const TimedNest& b);

// Points none of which another one beats in everything. Totals grow with each of their numbers,
// so no other point is ever needed.
template <class Point>
class FrontOf {
 public:
  const std::vector<Point>& points() const { return points_; }  // least room first
  bool empty() const { return points_.empty(); }
  // True if the point would stay.
  bool wants(const Point& point) const;
  void add(const Point& point);  // one that is wanted
  void merge(const FrontOf& other) {
    for (const Point& point : other.points_) {
      if (wants(point)) add(point);
    }
  }

 private:
  std::size_t first_above(std::int64_t room) const {
    const auto above = std::upper_bound(points_.begin(), points_.end(), room,
                                        [](std::int64_t r, const Point& p) { return r < p.room; });
    return static_cast<std::size_t>(above - points_.begin());
  }

  std::vector<Point> points_;
};

template <class Point>
bool FrontOf<Point>::wants(const Point& point) const {
  for (const Point& one : points_) {
    if (one.room > point.room) return true;
    if (no_worse(one, point)) return false;
  }
  return true;
}

template <class Point>
void FrontOf<Point>::add(const Point& point) {
  std::erase_if(points_,
                [&](const Point& one) { return one.room >= point.room && no_worse(point, one); });
  points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(first_above(point.room)), point);
}

// With energy alone the one of most room is the cheapest.
template <>
bool FrontOf<FrontPoint>::wants(const FrontPoint& point) const;
template <>
void FrontOf<FrontPoint>::add(const FrontPoint& point);

}  // namespace tilewright::fusion
