// Keeps pairs of room and cost that no other pair beats in both.
#pragma once

#include <cstdint>

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

}  // namespace tilewright::certificate
