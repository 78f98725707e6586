// Choices that differ in the room that they need and in their energy.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::fusion {

struct FrontPoint {
  std::int64_t room = 0;  // of the shared memory, in the unit of its capacity
  double pj = 0;
  std::uint32_t origin = 0;  // where the one who made it finds how
};

// Points none of which another one beats in both. Totals grow with either, so no other point
// is ever needed.
class Front {
 public:
  const std::vector<FrontPoint>& points() const { return points_; }  // least room first
  bool empty() const { return points_.empty(); }
  // True if the point would stay.
  bool wants(std::int64_t room, double pj) const;
  void add(const FrontPoint& point);  // one that is wanted
  void merge(const Front& other);

 private:
  std::vector<FrontPoint> points_;
};

}  // namespace tilewright::fusion
