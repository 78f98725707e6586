// What all blocks of loops with storage points have: pairs of room and cost that no other pair
// beats in both, and the loops of the memory.
#pragma once

#include <cstdint>

#include "certificate/closing.h"
#include "certificate/lattice.h"

namespace tilewright::certificate {

// The room of one memory.
class PointRoom {
 public:
  PointRoom(const Lattice& lattice, int memory, std::int64_t limit)
      : lattice_(lattice), limit_(limit), capacity_(lattice.context(), memory) {}

  // Adds a pair, unless it reaches the limit or has no room for the tensors without a point.
  // Throws Unverifiable if there are too many places.
  void lower(std::uint32_t unplaced, Spots& spots, std::uint32_t place, const Taken& taken);
  // What tiles take of the room that there is, or more than all of it.
  std::int64_t amount(std::uint32_t tensors, const int* extents);
  // So many places are of no more use.
  void forget(std::size_t places) { places_ -= places; }

 private:
  const Lattice& lattice_;
  std::int64_t limit_;
  CapacityCheck capacity_;
  std::size_t places_ = 0;  // of all spots
};

// The loops of one memory whose tensors may have storage points of their own.
class PointBlockBase {
 public:
  PointBlockBase(const Lattice& lattice, Closings& closings, int memory, std::int64_t limit,
                 const Deadline& deadline);

 protected:
  // The tensors of the memory without these.
  std::uint32_t unplaced(std::uint32_t placed) const { return kept_ & ~placed; }

  const Lattice& lattice_;
  const Context& context_;
  Closings& closings_;
  int memory_;
  const Deadline& deadline_;
  PointRoom room_;
  std::uint32_t kept_, movable_;
  std::vector<std::vector<std::vector<Step>>> steps_;  // by dimension and class
};

}  // namespace tilewright::certificate
