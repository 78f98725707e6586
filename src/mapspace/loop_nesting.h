// Which loops of a memory must stand inside others, by constraints.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.h"
#include "tilewright/mapspace.h"

namespace tilewright {

class LoopNesting {
 public:
  // The dimensions are numbered as in the list; others have no loop.
  LoopNesting(const Restrictions& restrictions, MemoryId memory, std::span<const DimId> dims);

  // No loop must stand inside another.
  bool is_free() const { return is_free_; }
  // The dimensions whose loops must stand inside that of `dim`.
  std::uint32_t inside(int dim) const { return inside_[at(dim)]; }
  // The loops that may stand next, from the inside out, if these are not placed yet.
  std::uint32_t next(std::uint32_t unplaced) const {
    if (is_free_) return unplaced;
    std::uint32_t next = 0;
    for (const int dim : members(unplaced)) {
      if ((inside(dim) & unplaced) == 0) next |= 1U << dim;
    }
    return next;
  }

 private:
  std::vector<std::uint32_t> inside_;
  bool is_free_ = true;
};

}  // namespace tilewright
