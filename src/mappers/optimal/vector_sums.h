// Sums of one number of each dimension, over all vectors of places: the places of a table, the last
// dimension fastest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

// The sums over the first dimensions and over the last ones, so that each of all sums is one of the
// first list and one of the second.
struct VectorSums {
  std::vector<std::int64_t> first{0}, last{0};

  explicit VectorSums(const std::vector<std::vector<std::int64_t>>& of_dims) {
    constexpr std::size_t kLongEnough = 64;
    std::size_t d = of_dims.size();
    while (d > 0 && last.size() < kLongEnough) last = outer_sums(of_dims[--d], last);
    for (std::size_t i = d; i-- > 0;) first = outer_sums(of_dims[i], first);
  }

  // A place by those of the first dimensions and of the last ones: the same for all sums over lists
  // that are as long.
  struct Parts {
    std::uint32_t of_first = 0, of_last = 0;
  };
  Parts parts_of(std::uint32_t place) const {
    const auto length = static_cast<std::uint32_t>(last.size());
    return {place / length, place % length};
  }
  std::int64_t sum_of(const Parts& parts) const {
    return first[parts.of_first] + last[parts.of_last];
  }
  std::size_t operator[](const Parts& parts) const {
    return static_cast<std::size_t>(sum_of(parts));
  }

  // Calls visit(place, sum) for each place of a table that has a value.
  template <typename Visit>
  void for_each_reached(const Values& values, const Visit& visit) const {
    std::size_t place = 0;
    for (const std::int64_t begin : first) {
      for (const std::int64_t each : last) {
        if (values[place] < kNever) visit(place, begin + each);
        ++place;
      }
    }
  }

 private:
  static std::vector<std::int64_t> outer_sums(const std::vector<std::int64_t>& slow,
                                              const std::vector<std::int64_t>& fast) {
    std::vector<std::int64_t> sums;
    sums.reserve(slow.size() * fast.size());
    for (const std::int64_t a : slow) {
      for (const std::int64_t b : fast) sums.push_back(a + b);
    }
    return sums;
  }
};

// Sums of steps along each dimension, so many and so long.
inline VectorSums sums_of_steps(const std::vector<std::size_t>& lengths,
                                const std::vector<std::size_t>& strides) {
  std::vector<std::vector<std::int64_t>> shares(lengths.size());
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    for (std::size_t i = 0; i < lengths[d]; ++i) {
      shares[d].push_back(static_cast<std::int64_t>(i * strides[d]));
    }
  }
  return VectorSums(shares);
}

// A place that a table does not have, whatever is added to it.
constexpr std::int64_t kNowhere = -(std::int64_t{1} << 56U);

// Where extents, each so many times as large, stand in a list, in steps of `stride`; kNowhere if
// they do not.
inline std::vector<std::int64_t> places_of(const std::vector<std::int64_t>& extents,
                                           std::int64_t times_as_large,
                                           const std::vector<std::int64_t>& list,
                                           std::int64_t stride) {
  std::vector<std::int64_t> places;
  places.reserve(extents.size());
  for (const std::int64_t each : extents) {
    const std::int64_t extent = each * times_as_large;
    const auto found = std::lower_bound(list.begin(), list.end(), extent);
    const bool is_there = found != list.end() && *found == extent;
    places.push_back(is_there ? (found - list.begin()) * stride : kNowhere);
  }
  return places;
}

}  // namespace tilewright::optimal
