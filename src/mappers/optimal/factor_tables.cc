#include "mappers/optimal/factor_tables.h"

#include <algorithm>

#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {
namespace {

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    divisors.push_back(i);
    if (i * i != number) divisors.push_back(number / i);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

// Those that divide it once or more, each as often as it does.
std::vector<std::int64_t> primes_of(std::int64_t number) {
  std::vector<std::int64_t> primes;
  for (std::int64_t i = 2; i * i <= number; ++i) {
    for (; number % i == 0; number /= i) primes.push_back(i);
  }
  if (number > 1) primes.push_back(number);
  return primes;
}

}  // namespace

FactorTables::FactorTables(const SolverTables& solver) {
  double places = 1;
  std::uint64_t stride = 1;
  for (int d = 0; d < solver.dim_count; ++d) {
    const std::int64_t size = solver.size(d);
    const std::vector<std::int64_t> divisors = divisors_of(size);
    entries_.emplace_back();
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      Entry entry;
      entry.number = i;
      entry.factors = primes_of(divisors[i]).size();
      entry.primes_left = primes_of(size / divisors[i]);
      const auto twice = std::unique(entry.primes_left.begin(), entry.primes_left.end());
      entry.primes_left.erase(twice, entry.primes_left.end());
      for (const std::int64_t bound : divisors) {
        if (bound > 1 && size / divisors[i] % bound == 0) entry.bounds_left.push_back(bound);
      }
      entries_.back().emplace(divisors[i], std::move(entry));
    }
    strides_.push_back(stride);
    stride *= divisors.size();
    places *= static_cast<double>(divisors.size());
    constexpr double kMostPlaces = 1e18;
    if (places > kMostPlaces) throw TooLarge{};
  }
}

std::uint64_t FactorTables::place_of(const PerDim& extents) const {
  std::uint64_t place = 0;
  for (std::size_t d = 0; d < entries_.size(); ++d) {
    place += strides_[d] * entry(static_cast<int>(d), extents[d]).number;
  }
  return place;
}

std::uint64_t FactorTables::moved(std::uint64_t place, int dim, std::int64_t from,
                                  std::int64_t to) const {
  return place + strides_[at(dim)] * (entry(dim, to).number - entry(dim, from).number);
}

std::size_t FactorTables::prime_factors(const PerDim& extents) const {
  std::size_t factors = 0;
  for (std::size_t d = 0; d < entries_.size(); ++d) {
    factors += entry(static_cast<int>(d), extents[d]).factors;
  }
  return factors;
}

}  // namespace tilewright::optimal
