// The places of a table that have a value, listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mappers/optimal/table_memory.h"

namespace tilewright::optimal {

// A place of a table and a value that it has. In a list a place may come several times; the least
// value counts.
struct ReachedPlace {
  std::uint32_t place = 0;
  Units value = 0;
};
using ReachedPlaces = std::vector<ReachedPlace, TableAllocator<ReachedPlace>>;

inline std::size_t count_reached(std::span<const Units> values) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](Units value) { return value < kNever; }));
}

inline ReachedPlaces reached_places(const Values& values) {
  ReachedPlaces places{TableAllocator<ReachedPlace>(values.get_allocator().memory())};
  places.reserve(count_reached(values));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < kNever) places.push_back({static_cast<std::uint32_t>(i), values[i]});
  }
  return places;
}

// Whether it is worth while to list them, if so many of all places have a value.
constexpr std::size_t kManyPlaces = 256;
inline bool is_sparse(std::size_t reached, std::size_t places) {
  constexpr std::size_t kFew = 8;
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  return places >= kManyPlaces && places <= kMost && kFew * reached <= places;
}
inline bool is_sparse(std::span<const Units> values) {
  return values.size() >= kManyPlaces && is_sparse(count_reached(values), values.size());
}

inline void take_less(std::span<Units> into, const ReachedPlaces& from) {
  for (const ReachedPlace& one : from) into[one.place] = std::min(into[one.place], one.value);
}

}  // namespace tilewright::optimal
