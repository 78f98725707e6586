// Extents that divide their dimensions, and the loops that lead from one to another.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mappers/optimal/solver_tables.h"

namespace tilewright::optimal {

class FactorTables {
 public:
  // Throws TooLarge if there are too many vectors of extents to be numbered.
  explicit FactorTables(const SolverTables& solver);

  // The number of a vector of extents.
  std::uint64_t place_of(const PerDim& extents) const;
  // The same of a vector that has another extent in one dimension.
  std::uint64_t moved(std::uint64_t place, int dim, std::int64_t from, std::int64_t to) const;
  std::size_t prime_factors(const PerDim& extents) const;
  std::size_t prime_factors(int dim, std::int64_t divisor) const {
    return entry(dim, divisor).factors;
  }
  // Bounds of the loops that can stand outside an extent: prime ones, and all of them.
  const std::vector<std::int64_t>& primes_outside(int dim, std::int64_t extent) const {
    return entry(dim, extent).primes_left;
  }
  const std::vector<std::int64_t>& bounds_outside(int dim, std::int64_t extent) const {
    return entry(dim, extent).bounds_left;
  }

 private:
  struct Entry {
    std::uint64_t number = 0;
    std::size_t factors = 0;
    std::vector<std::int64_t> primes_left, bounds_left;
  };
  const Entry& entry(int dim, std::int64_t divisor) const { return entries_[at(dim)].at(divisor); }

  std::vector<std::unordered_map<std::int64_t, Entry>> entries_;  // of each dimension
  std::vector<std::uint64_t> strides_;
};

}  // namespace tilewright::optimal
