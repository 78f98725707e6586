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

PointBlockBase::PointBlockBase(const Lattice& lattice, Closings& closings, int memory,
                               std::int64_t limit, const Deadline& deadline)
    : lattice_(lattice),
      context_(lattice.context()),
      closings_(closings),
      memory_(memory),
      deadline_(deadline),
      room_(lattice, memory, limit),
      kept_(context_.placement()[at(memory)]),
      movable_(context_.movable(memory)) {
  for (int d = 0; d < context_.dims(); ++d) {
    steps_.push_back(context_.chain(d).point_loops(memory));
  }
}

}  // namespace tilewright::certificate
