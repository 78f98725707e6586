// What is still to be paid for the links from the outermost memory, by the tiles that the next one
// may have where a mapping is of interest.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "mappers/optimal/outer_tiles.h"
#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

class TilesAhead : public CostAhead {
 public:
  // All tiles that are of interest.
  explicit TilesAhead(std::vector<TileSet> sets) : sets_(std::move(sets)) {}

  // A state's tile is part of one of these.
  void leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                 std::vector<Relaxation::Table>& tables) const override;

 private:
  // The least over all tiles that have room for a place's extents, by place.
  Values least_outside(const Subproblem& sub, const Lattice& lattice, int memory, bool all,
                       const Values& like) const;

  std::vector<TileSet> sets_;
};

}  // namespace tilewright::optimal
