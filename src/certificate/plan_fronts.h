// What is of use to a plan in which more room may be left or less: room against energy, and where
// time counts, against cycles and words at ports.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "certificate/exact.h"

namespace tilewright::certificate {

struct RoomPoint {
  std::int64_t room = 0;  // that it takes of the shared memory
  Int128 energy = 0;
};

// Points that no other beats in both, by rising room and falling energy.
class RoomFront {
 public:
  const std::vector<RoomPoint>& points() const { return points_; }
  bool empty() const { return points_.empty(); }

  bool wants(const RoomPoint& point) const {
    const auto next = behind(point.room);
    return next == points_.begin() || std::prev(next)->energy > point.energy;
  }
  void add(const RoomPoint& point) {
    if (!wants(point)) return;
    // The first one that needs as much room, or more; it and others are beaten.
    auto first =
        std::lower_bound(points_.begin(), points_.end(), point,
                         [](const RoomPoint& a, const RoomPoint& b) { return a.room < b.room; });
    auto last = first;
    while (last != points_.end() && last->energy >= point.energy) ++last;
    first = points_.erase(first, last);
    points_.insert(first, point);
  }
  void merge(const RoomFront& other) {
    for (const RoomPoint& point : other.points_) add(point);
  }

 private:
  std::vector<RoomPoint>::const_iterator behind(std::int64_t room) const {
    return std::upper_bound(points_.begin(), points_.end(), room,
                            [](std::int64_t most, const RoomPoint& p) { return most < p.room; });
  }

  std::vector<RoomPoint> points_;
};

inline constexpr std::size_t kMostPorts = 2;
inline constexpr int kMostOpen = 8;

// The time of an einsum, some of whose words at the ports of the outermost memory may be unknown.
struct OpenTime {
  std::int64_t cycles = 0;  // at least, whatever the ports take
  std::array<std::int64_t, kMostPorts> words = {};

  bool is_no_worse(const OpenTime& other) const {
    return cycles <= other.cycles && words[0] <= other.words[0] && words[1] <= other.words[1];
  }
};

// A nest of an einsum.
struct TimedNest : RoomPoint {
  OpenTime time;

  bool is_no_worse(const TimedNest& other) const {
    return energy <= other.energy && time.is_no_worse(other.time);
  }
};

// A part of a tree. Einsums are open that have tensors without a place.
struct TimedPoint : RoomPoint {
  std::int64_t cycles = 0;  // of einsums that are not open
  int opens = 0;
  std::array<OpenTime, kMostOpen> open = {};  // in the order of einsums

  // Both have the same einsums open.
  bool is_no_worse(const TimedPoint& other) const {
    if (energy > other.energy || cycles > other.cycles) return false;
    for (std::size_t i = 0; i < at(opens); ++i) {
      if (!open[i].is_no_worse(other.open[i])) return false;
    }
    return true;
  }
};

// Points that no other beats in everything, by rising room.
template <class Point>
class TimedFront {
 public:
  const std::vector<Point>& points() const { return points_; }
  bool empty() const { return points_.empty(); }

  void add(const Point& point) {
    for (const Point& one : points_) {
      if (one.room > point.room) break;
      if (one.is_no_worse(point)) return;
    }
    std::erase_if(points_, [&](const Point& one) {
      return one.room >= point.room && point.is_no_worse(one);
    });
    const auto above =
        std::upper_bound(points_.begin(), points_.end(), point.room,
                         [](std::int64_t room, const Point& one) { return room < one.room; });
    points_.insert(above, point);
  }
  void merge(const TimedFront& other) {
    for (const Point& point : other.points_) add(point);
  }

 private:
  std::vector<Point> points_;
};

// What fronts are made of, for the least energy and for objectives with time.
struct EnergyAlone {
  static constexpr bool kTimed = false;
  using Nest = RoomPoint;
  using Point = RoomPoint;
  using NestFront = RoomFront;
  using Front = RoomFront;
};
struct EnergyAndTime {
  static constexpr bool kTimed = true;
  using Nest = TimedNest;
  using Point = TimedPoint;
  using NestFront = TimedFront<TimedNest>;
  using Front = TimedFront<TimedPoint>;
};

}  // namespace tilewright::certificate
