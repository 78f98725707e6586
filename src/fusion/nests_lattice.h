// Vectors of extents: per dimension a divisor of its size, all of them numbered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/window.h"

namespace tilewright::fusion {

// Extents are numbered so that a vector's proper divisors have smaller numbers.
class ExtentLattice {
 public:
  // Dimensions without a bit in `chosen` have no choice: their extent is always `sizes[d]`.
  ExtentLattice(const std::vector<std::int64_t>& sizes, std::uint32_t chosen);

  std::size_t size() const { return size_; }
  int dim_count() const { return static_cast<int>(dims_.size()); }
  std::int64_t size_of(int dim) const { return dims_[at(dim)].divisors.back(); }
  std::uint32_t chosen() const { return chosen_; }
  std::size_t last() const { return size_ - 1; }  // all sizes

  std::int64_t extent(std::size_t index, int dim) const {
    const Dim& of = dims_[at(dim)];
    return of.divisors[(index / of.stride) % of.divisors.size()];
  }
  PerDim extents(std::size_t index) const;
  // The extents must divide the sizes; those of dimensions without choice are not looked at.
  std::size_t index_of(const PerDim& extents) const;

  // The larger neighbours of a vector: one prime more in one dimension.
  struct Step {
    int dim = 0;
    std::size_t to = 0;
  };
  void steps_from(std::size_t index, std::vector<Step>& steps) const;
  // All vectors that differ in one dimension alone, by a factor above 1.
  void multiples_along(std::size_t index, int dim, std::vector<std::size_t>& multiples) const;

 private:
  struct Dim {
    std::vector<std::int64_t> divisors;    // smallest first
    std::vector<std::vector<int>> primes;  // by divisor: numbers of the divisors a prime larger
    std::size_t stride = 1;
  };
  int divisor_number(int dim, std::int64_t extent) const;

  std::vector<Dim> dims_;
  std::uint32_t chosen_;
  std::size_t size_ = 1;
};

}  // namespace tilewright::fusion
