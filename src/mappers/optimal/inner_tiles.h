// What the innermost memory can hold, and how often it must be filled for that.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "mappers/optimal/subproblem.h"
#include "mappers/optimal/window_reuse.h"

namespace tilewright::optimal {

class InnerTiles {
 public:
  // Multiplications for each element of a tensor that comes with a tile, in kReuseParts.
  using Reuse = std::array<Int128, kMaxTensors>;
  // The windows of each tensor; none of boxes.
  using WindowReuses = std::array<std::vector<WindowReuse>, kMaxTensors>;
  // The next loop outside that moves something: one of these dimensions, which moves these
  // tensors.
  struct NextLoop {
    std::uint32_t dims = 0, moved = 0;
    std::vector<Reuse> reuse;  // of the moved ones, at most: no tile has more of all of them
  };
  // With some tensors kept there.
  struct Tiles {
    bool are_known = false;
    bool are_few = false;    // not any that the memory could have
    bool fit = true;         // some of them
    std::uint32_t dims = 0;  // that move some of the tensors
    PerDim most{};           // extents
    std::vector<NextLoop> next;
  };

  // Holds for even mappings.
  explicit InnerTiles(const SolverTables& solver);

  int memory() const { return solver_.memory_count - 1; }
  const Tiles& with(std::uint32_t kept);
  // The same where dimensions have so many tiles at least; adds the steps that it takes to list
  // them.
  const Tiles& with(std::uint32_t kept, const PerDim& least_tiles, std::uint64_t& steps);
  // Whether there is room for all that is left of the dimensions that move any of these, if
  // fan-outs unroll no more than so much of them.
  bool may_need_no_loop(std::uint32_t kept, const PerDim& unrolled);

 private:
  Tiles list(std::uint32_t kept, const PerDim& least_tiles, std::uint64_t& steps);
  const WindowReuses& windows_with(std::uint32_t kept, const PerDim& most);

  const SolverTables& solver_;
  bool can_be_known_;
  std::map<std::uint32_t, WindowReuses> windows_;  // by what is kept
  std::map<std::uint32_t, Tiles> known_;           // by the same
  PerDim last_tiles_{};                            // that were asked for
  std::map<std::uint32_t, Tiles> known_of_last_;
};

}  // namespace tilewright::optimal
