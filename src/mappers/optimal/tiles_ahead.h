// What is still to be paid for the links from the outermost memory, by the tiles that the next one
// may have where a mapping is of interest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mappers/optimal/outer_tiles.h"
#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

class TilesAhead : public CostAhead {
 public:
  // All tiles that are of interest.
  TilesAhead(const std::vector<TileSet>& sets, int dim_count);

  // A state's tile is part of one of these.
  void leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                 std::vector<Relaxation::Table>& tables) const override;

 private:
  // The least over all tiles that have room for a place's extents, by place.
  Values least_outside(const Subproblem& sub, const Lattice& lattice, int memory, bool all,
                       const Values& like) const;

  // What tiles leave of each dimension, as places among all that some of them leave.
  struct Tiles {
    std::array<std::uint32_t, kMaxDims> left{};
    Units all = 0, outer = 0;
  };
  std::vector<std::vector<std::int64_t>> least_left_;  // by dimension, ascending
  std::vector<Tiles> sets_;
};

}  // namespace tilewright::optimal
