#include "mappers/optimal/extent_tables.h"

#include <algorithm>

#include "mappers/optimal/extent_box.h"
#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {
namespace {

// The exponent of the least power of two that is not below a number.
int power_above(std::int64_t number) {
  int power = 0;
  while ((std::int64_t{1} << power) < number) ++power;
  return power;
}

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t i = 1; i <= number / i; ++i) {
    if (number % i != 0) continue;
    divisors.push_back(i);
    if (i != number / i) divisors.push_back(number / i);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

// Those of a number's divisors above 1 that no other one divides.
std::vector<std::int64_t> primes_of(const std::vector<std::int64_t>& divisors) {
  std::vector<std::int64_t> primes;
  for (const std::int64_t one : divisors) {
    const bool prime = std::none_of(primes.begin(), primes.end(),
                                    [&](std::int64_t other) { return one % other == 0; });
    if (prime) primes.push_back(one);
  }
  return primes;
}

// If several bounds leave the same number of iterations, the least will do, unless tiles need all
// extents.
std::vector<std::int64_t> useful_bounds(std::int64_t least, std::int64_t left, bool all) {
  constexpr std::size_t kMostBounds = std::size_t{1} << 14;
  std::vector<std::int64_t> bounds;
  for (std::int64_t bound = least; bound <= left;) {
    if (bounds.size() == kMostBounds) throw TooLarge{};
    bounds.push_back(bound);
    const std::int64_t after = ceil_div(left, bound);
    if (after == 1 && !all) break;
    bound = all ? bound + 1 : ceil_div(left, after - 1);
  }
  return bounds;
}

}  // namespace

// A number has some bits for each dimension: as many as there may be extents, or fewer where
// all dimensions together have too many.
ExtentTables::ExtentTables(const Subproblem& sub)
    : sub_(sub),
      remainders_(has_remainders_in_time(sub.solver())),
      entries_(at(sub.solver().dim_count)) {
  constexpr int kBits = 64;
  const int dims = sub.solver().dim_count;
  int all = 0;
  for (int d = 0; d < dims; ++d) {
    // No number has more divisors than twice its root; a loop or two may pass the end.
    const int size = power_above(sub.solver().size(d));
    bits_[at(d)] = sub.solver().is_perfect() ? size / 2 + 2 : size + 2;
    all += bits_[at(d)];
  }
  for (; all > kBits; --all) --*std::max_element(bits_.begin(), bits_.end());
  for (int d = 1; d < dims; ++d) shift_[at(d)] = shift_[at(d - 1)] + bits_[at(d - 1)];
}

// A loop at least halves the iterations that are left.
ExtentTables::Entry& ExtentTables::entry(int dim, std::int64_t extent) {
  const auto [known, is_new] = entries_[at(dim)].try_emplace(extent);
  Entry& entry = known->second;
  if (!is_new) return entry;
  entry.number = entries_[at(dim)].size() - 1;
  if (entry.number >> bits_[at(dim)] != 0) throw TooLarge{};
  const std::int64_t size = sub_.solver().size(dim);
  const std::int64_t left = ceil_div(size, extent);
  entry.rank = static_cast<std::size_t>(power_above(size) - power_above(left));
  entry.bounds = bounds_from(2, dim, extent);
  entry.steps = remainders_ ? entry.bounds : primes_of(entry.bounds);
  return entry;
}

std::vector<std::int64_t> ExtentTables::bounds_from(std::int64_t least, int dim,
                                                    std::int64_t extent) const {
  const std::int64_t left = ceil_div(sub_.solver().size(dim), extent);
  if (remainders_) return useful_bounds(least, left, needs_all_extents(sub_, dim));
  std::vector<std::int64_t> bounds = divisors_of(left);
  std::erase_if(bounds, [&](std::int64_t bound) { return bound < least; });
  return bounds;
}

std::uint64_t ExtentTables::place_of(const PerDim& extents) {
  std::uint64_t place = 0;
  for (std::size_t d = 0; d < entries_.size(); ++d) {
    place += entry(static_cast<int>(d), extents[d]).number << shift_[d];
  }
  return place;
}

std::uint64_t ExtentTables::moved(std::uint64_t place, int dim, std::int64_t from,
                                  std::int64_t to) {
  return place + ((entry(dim, to).number - entry(dim, from).number) << shift_[at(dim)]);
}

std::size_t ExtentTables::rank(const PerDim& extents) {
  std::size_t rank = 0;
  for (std::size_t d = 0; d < entries_.size(); ++d) {
    rank += entry(static_cast<int>(d), extents[d]).rank;
  }
  return rank;
}

}  // namespace tilewright::optimal
