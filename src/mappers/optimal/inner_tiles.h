// What the innermost memory can hold, and how often it must be filled for that.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "mappers/optimal/subproblem.h"

namespace tilewright::optimal {

class InnerTiles {
 public:
  // Multiplications for each element of a tensor that comes with a tile.
  using Reuse = std::array<Int128, kMaxTensors>;
  // The next loop outside that moves something: one of these dimensions, which moves these
  // tensors.
  struct NextLoop {
    std::uint32_t dims = 0, moved = 0;
    std::vector<Reuse> reuse;  // of the moved ones, at most: no tile has more of all of them
  };
  // With some tensors kept there.
  struct Tiles {
    bool are_known = false;
    bool fit = true;         // some of them
    std::uint32_t dims = 0;  // that move some of the tensors
    PerDim most{};           // extents
    std::vector<NextLoop> next;
  };

  // Holds for even mappings.
  explicit InnerTiles(const SolverTables& solver);

  int memory() const { return solver_.memory_count - 1; }
  const Tiles& with(std::uint32_t kept);

 private:
  Tiles list(std::uint32_t kept) const;

  const SolverTables& solver_;
  bool can_be_known_;
  std::map<std::uint32_t, Tiles> known_;  // by what is kept
};

}  // namespace tilewright::optimal
