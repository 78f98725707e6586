// What is still to be paid for the links from the outermost memory, by the tiles that the next one
// may have where a mapping is of interest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mappers/optimal/outer_tiles.h"
#include "mappers/optimal/relax.h"

namespace tilewright::optimal {

class TilesAhead : public CostAhead {
 public:
  // All tiles that are of interest.
  TilesAhead(const std::vector<TileSet>& sets, int dim_count);

  // A state's tile is part of one of these.
  std::optional<Values> least_filling(const Subproblem& sub, const Lattice& lattice, int memory,
                                      const Values& like) const override;
  Units leave_out(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                  std::vector<Relaxation::Table>& tables) const override;

 private:
  // The least over all tiles that have room for a place's extents, by place.
  Values least_outside(const Subproblem& sub, const Lattice& lattice, int memory, bool all,
                       const Values& like) const;
  // The same of tiles that are those of a place, just inside the loops of the outermost memory, or
  // nothing if that takes long.
  std::optional<Values> least_at(const Subproblem& sub, const Lattice& lattice,
                                 const Values& like) const;

  // What tiles leave of a dimension at least and at most, as places among all that some of them
  // leave.
  struct Left {
    std::uint32_t least = 0, most = 0;
  };
  // What some tiles leave at least, as places in the lists below, and what links take then. Those
  // are left out that are no larger than others which take no more.
  struct Room {
    std::array<std::uint32_t, kMaxDims> least{};
    Units units = 0;
  };
  std::vector<Room> rooms_of(const std::vector<TileSet>& sets, Units TileSet::* units) const;

  std::vector<std::vector<std::int64_t>> least_left_, most_left_;  // by dimension, ascending
  std::vector<Left> left_;                                         // of each set, by dimension
  std::vector<Units> units_;                                       // of all links, of each set
  std::vector<Room> all_, outer_;
};

}  // namespace tilewright::optimal
