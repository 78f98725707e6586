// The extents that dimensions have on paths of uneven steps, and the loops that lead from one
// to another.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

// Each extent is looked into when it is first met.
class ExtentTables {
 public:
  // Throws TooLarge if there are too many vectors of extents to be numbered; so may the others.
  explicit ExtentTables(const Subproblem& sub);

  // The number of a vector of extents.
  std::uint64_t place_of(const PerDim& extents);
  // The same of a vector that has another extent in one dimension.
  std::uint64_t moved(std::uint64_t place, int dim, std::int64_t from, std::int64_t to);
  // A number that every loop makes larger.
  std::size_t rank(const PerDim& extents);
  std::size_t rank(int dim, std::int64_t extent) { return entry(dim, extent).rank; }
  // Bounds of the loops that can stand outside an extent: those of which all are made, one loop
  // in another, and all of them. With remainders in time these are the same.
  const std::vector<std::int64_t>& steps_outside(int dim, std::int64_t extent) {
    return entry(dim, extent).steps;
  }
  const std::vector<std::int64_t>& bounds_outside(int dim, std::int64_t extent) {
    return entry(dim, extent).bounds;
  }
  // The same if no bound may be below `least`.
  std::vector<std::int64_t> bounds_from(std::int64_t least, int dim, std::int64_t extent) const;

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::size_t rank = 0;
    std::vector<std::int64_t> steps, bounds;
  };
  Entry& entry(int dim, std::int64_t extent);

  const Subproblem& sub_;
  bool remainders_;  // in time
  std::array<int, kMaxDims> shift_{}, bits_{};
  std::vector<std::unordered_map<std::int64_t, Entry>> entries_;  // of each dimension
};

}  // namespace tilewright::optimal
