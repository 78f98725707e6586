#include "certificate/plan_points.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::certificate {

bool NestInside::is_no_worse(const NestInside& other) const {
  if (placed != other.placed || room > other.room || closed > other.closed) return false;
  if (cycles > other.cycles || !time.is_no_worse(other.time)) return false;
  for (std::size_t t = 0; t < waiting.size(); ++t) {
    if (waiting[t] > other.waiting[t]) return false;
  }
  return true;
}

PlanPoints::PlanPoints(const PlanSpace& space, const PlanTimes& times, int einsum,
                       const NestLimit& limit)
    : space_(space),
      times_(times),
      einsum_(space.einsum(einsum)),
      limit_(limit),
      tiles_(space.sizes(), einsum_.all_dims) {
  for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
    if (einsum_.tensors[t].shareable) shareable_ |= 1U << t;
  }
  const int slot = einsum_.problem->use(MemoryId{kSharedMemory}).slot;
  for (std::size_t d = 0; d < einsum_.dims.size(); ++d) {
    const bool has_loop = einsum_.rules.at_slot(slot, static_cast<int>(d)).most > 1;
    if (has_loop) loops_ |= 1U << einsum_.dims[d];
  }
}

void PlanPoints::add(const std::vector<std::int64_t>& extents, const NestInside& inside) {
  add(tiles_.number_of(extents), inside);
}

void PlanPoints::add(std::size_t tile, const NestInside& inside) {
  if (inside.room > space_.room() || !is_of_use(inside)) return;
  std::vector<NestInside>& others = nests_[tile];
  const auto beats = [&](const NestInside& other) { return other.is_no_worse(inside); };
  if (std::any_of(others.begin(), others.end(), beats)) return;
  std::erase_if(others, [&](const NestInside& other) { return inside.is_no_worse(other); });
  others.push_back(inside);
}

std::uint32_t PlanPoints::moved_by(int dim) const {
  std::uint32_t moved = 0;
  for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
    if (contains(einsum_.tensors[t].dims, dim)) moved |= 1U << t;
  }
  return moved;
}

// What waits is paid for as if it never moved; loads that every plan has are counted elsewhere.
bool PlanPoints::is_of_use(const NestInside& inside) const {
  Int128 energy = inside.closed;
  for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
    const PlanTensor& tensor = einsum_.tensors[t];
    if (inside.waiting[t] != 0) {
      energy += inside.waiting[t] / space_.product(tensor.irrelevant, space_.sizes());
    }
    const bool placed = contains(inside.placed, static_cast<int>(t));
    if (placed && tensor.handed_on < 0) energy -= space_.least_load(tensor);
  }
  return energy < limit_(inside.cycles);
}

NestInside PlanPoints::behind(const NestInside& inside, int dim, std::uint32_t points,
                              const std::vector<std::int64_t>& extents) const {
  NestInside next = inside;
  for (const int t : members(moved_by(dim))) {
    Int128& waiting = next.waiting[at(t)];
    if (waiting == 0) continue;
    const std::int64_t still = space_.product(einsum_.tensors[at(t)].irrelevant, extents);
    next.closed = plus(next.closed, waiting / still);
    waiting = 0;
  }
  for (const int t : members(points)) {
    const PlanTensor& tensor = einsum_.tensors[at(t)];
    next.closed = plus(next.closed, space_.load(tensor, extents));
    next.room = narrow(Count(next.room) + space_.tile_room(tensor, extents));
    times_.add_words(next.time, tensor, space_.loaded(tensor, extents));
  }
  next.placed |= points;
  return next;
}

// A point just inside a loop that does not move its tensor could as well stand outside that loop.
// Some tensor has its point at the end of the memory.
void PlanPoints::go_on(const NestInside& inside, const std::vector<std::int64_t>& extents,
                       const ExtentVectors::Longer& to) {
  const std::uint32_t may_be_placed = moved_by(to.dim) & shareable_ & ~inside.placed;
  for (std::uint32_t points = may_be_placed;; points = (points - 1) & may_be_placed) {
    if ((inside.placed | points) != shareable_) {
      add(to.number, behind(inside, to.dim, points, extents));
    }
    if (points == 0) return;
  }
}

// Loops lead to higher numbers.
void PlanPoints::run(const Visit& visit, const Deadline& deadline) {
  while (!nests_.empty()) {
    deadline.check();
    const auto first = nests_.extract(nests_.begin());
    const std::vector<std::int64_t> extents = tiles_.extents(first.key());
    const std::vector<ExtentVectors::Longer> longer = tiles_.longer(first.key());
    for (const NestInside& inside : first.mapped()) {
      if (inside.placed != 0) visit(extents, inside);
      for (const ExtentVectors::Longer& to : longer) {
        if (contains(loops_, to.dim)) go_on(inside, extents, to);
      }
    }
  }
}

}  // namespace tilewright::certificate
