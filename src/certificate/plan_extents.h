// Vectors of extents, per dimension a divisor of its size, by number.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/exact.h"

namespace tilewright::certificate {

// Extents of the dimensions of a mask; all others have their whole sizes. What divides a vector
// has a smaller number.
class ExtentVectors {
 public:
  ExtentVectors(const std::vector<std::int64_t>& sizes, std::uint32_t dims);

  std::size_t count() const { return count_; }
  std::size_t whole() const { return count_ - 1; }
  // Per dimension of all.
  std::vector<std::int64_t> extents(std::size_t number) const;
  // Extents of dimensions beside the mask are not looked at.
  std::size_t number_of(const std::vector<std::int64_t>& extents) const;

  // A vector with one prime more in one dimension.
  struct Longer {
    int dim = 0;
    std::size_t number = 0;
  };
  std::vector<Longer> longer(std::size_t number) const;

 private:
  struct Axis {
    int dim = 0;
    std::size_t stride = 1;
    std::vector<std::int64_t> divisors;
  };
  std::vector<std::int64_t> sizes_;
  std::vector<Axis> axes_;
  std::size_t count_ = 1;
};

std::vector<std::int64_t> divisors_of(std::int64_t number);

}  // namespace tilewright::certificate
