#include "certificate/point_spots.h"

#include <algorithm>

namespace tilewright::certificate {

namespace {

// About a gigabyte.
constexpr std::size_t kMostPlaces = std::size_t{1} << 23;

bool beats(const Taken& a, const Taken& b) { return a.room <= b.room && a.cost <= b.cost; }

}  // namespace

std::int64_t PointRoom::amount(std::uint32_t tensors, const int* extents) {
  std::int64_t sum = 0;
  for (const int t : members(tensors)) {
    sum = std::min(capacity_.room() + 1, sum + capacity_.amount(t, extents));
  }
  return sum;
}

void PointRoom::lower(std::uint32_t unplaced, Spots& spots, std::uint32_t place,
                      const Taken& taken) {
  if (taken.cost >= limit_) return;
  const auto [found, is_new] = spots.try_emplace(place);
  Spot& spot = found->second;
  if (is_new) {
    if (++places_ > kMostPlaces) throw Unverifiable("storage points in too many combinations");
    std::array<int, kMaxDims> extents{};
    lattice_.grid().decode(place, extents.data());
    spot.rest = amount(unplaced, extents.data());
  }
  if (taken.room + spot.rest > capacity_.room()) return;
  if (std::any_of(spot.taken.begin(), spot.taken.end(),
                  [&](const Taken& known) { return beats(known, taken); })) {
    return;
  }
  std::erase_if(spot.taken, [&](const Taken& known) { return beats(taken, known); });
  spot.taken.push_back(taken);
}

}  // namespace tilewright::certificate
