#include "fusion/nests_lattice.h"

#include <algorithm>

namespace tilewright::fusion {

namespace {

std::vector<std::int64_t> divisors_of(std::int64_t size) {
  std::vector<std::int64_t> divisors, large;
  for (std::int64_t d = 1; d * d <= size; ++d) {
    if (size % d != 0) continue;
    divisors.push_back(d);
    if (d * d != size) large.push_back(size / d);
  }
  divisors.insert(divisors.end(), large.rbegin(), large.rend());
  return divisors;
}

bool is_prime(std::int64_t number) {
  for (std::int64_t d = 2; d * d <= number; ++d) {
    if (number % d == 0) return false;
  }
  return number > 1;
}

// For each divisor, the numbers of those that are a prime larger.
std::vector<std::vector<int>> prime_steps(const std::vector<std::int64_t>& divisors) {
  std::vector<std::vector<int>> steps(divisors.size());
  for (std::size_t from = 0; from < divisors.size(); ++from) {
    for (std::size_t to = from + 1; to < divisors.size(); ++to) {
      if (divisors[to] % divisors[from] != 0) continue;
      if (is_prime(divisors[to] / divisors[from])) steps[from].push_back(static_cast<int>(to));
    }
  }
  return steps;
}

}  // namespace

ExtentLattice::ExtentLattice(const std::vector<std::int64_t>& sizes, std::uint32_t chosen)
    : chosen_(chosen) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    Dim dim;
    dim.divisors = contains(chosen, static_cast<int>(d)) ? divisors_of(sizes[d])
                                                         : std::vector<std::int64_t>{sizes[d]};
    dim.primes = prime_steps(dim.divisors);
    dim.stride = size_;
    size_ *= dim.divisors.size();
    dims_.push_back(std::move(dim));
  }
}

PerDim ExtentLattice::extents(std::size_t index) const {
  PerDim extents{};
  for (int d = 0; d < dim_count(); ++d) extents[at(d)] = extent(index, d);
  return extents;
}

int ExtentLattice::divisor_number(int dim, std::int64_t extent) const {
  const auto& divisors = dims_[at(dim)].divisors;
  return static_cast<int>(std::lower_bound(divisors.begin(), divisors.end(), extent) -
                          divisors.begin());
}

std::size_t ExtentLattice::index_of(const PerDim& extents) const {
  std::size_t index = 0;
  for (int d = 0; d < dim_count(); ++d) {
    if (dims_[at(d)].divisors.size() == 1) continue;
    index += dims_[at(d)].stride * at(divisor_number(d, extents[at(d)]));
  }
  return index;
}

void ExtentLattice::steps_from(std::size_t index, std::vector<Step>& steps) const {
  steps.clear();
  for (int d = 0; d < dim_count(); ++d) {
    const Dim& dim = dims_[at(d)];
    const std::size_t number = (index / dim.stride) % dim.divisors.size();
    for (const int to : dim.primes[number]) {
      steps.push_back({d, index + (at(to) - number) * dim.stride});
    }
  }
}

void ExtentLattice::multiples_along(std::size_t index, int dim,
                                    std::vector<std::size_t>& multiples) const {
  multiples.clear();
  const Dim& of = dims_[at(dim)];
  const std::size_t number = (index / of.stride) % of.divisors.size();
  for (std::size_t to = number + 1; to < of.divisors.size(); ++to) {
    if (of.divisors[to] % of.divisors[number] == 0) {
      multiples.push_back(index + (to - number) * of.stride);
    }
  }
}

}  // namespace tilewright::fusion
