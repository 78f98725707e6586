// The floors of cells: what every mapping of a cell costs at least, without looking at
// extents.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "certificate/cell_room.h"
#include "certificate/cover.h"
#include "certificate/frame_bound.h"
#include "certificate/range_bound.h"
#include "certificate/tile_floor.h"

namespace tilewright::certificate {

class CellFloors {
 public:
  CellFloors(const Terms& terms, const Rules& rules)
      : terms_(&terms),
        rules_(&rules),
        room_(terms, rules),
        range_bound_(terms, rules),
        tile_floor_(terms, rules) {}

  // Nothing if no mapping of the cell fits.
  std::optional<Cost> floor(Cover& cover, const Cell& cell);
  // The same with what the innermost memory can hold, of a cell that has something; takes longer.
  bool is_higher_with_tiles() const { return tile_floor_.is_of_use(); }
  std::optional<Cost> floor_with_tiles(Cover& cover, const Cell& cell);
  // What the links of a frame add at least.
  std::vector<LeastLink> links_of(const Cell& cell, const Context& frame) const;

 private:
  // What the tensors' links cost under one unrolling. Tensors do not depend on each other.
  struct Unrolled {
    Unrolled(CellFloors& floors, Cover& cover, const Cell& cell);

    struct Sum {
      Int128 energy = 0;
      std::vector<PortWords> ports;  // per memory
    };
    void add_kept(int tensor, std::uint32_t keepers, Sum& sum) const;
    std::size_t place(int tensor, int parent, int child) const;
    Sum least_of(int tensor, const Cover& cover) const;  // whoever keeps it

    Unrolling unrolling;
    Placement no_placement;
    Context context;
    FrameBound base;
    std::vector<std::optional<LeastLink>> links;  // by tensor, parent and child
    std::vector<Sum> least;                       // per tensor
  };

  LeastLink link_of(const Context& context, const LinkPlace& link, std::size_t place);

  const Terms* terms_;
  const Rules* rules_;
  CellRoom room_;
  RangeBound range_bound_;
  TileFloor tile_floor_;
  // By tensor, parent and child, and by the factors that matter: what links add at least.
  std::vector<std::map<std::vector<std::int64_t>, LeastLink>> links_;
  // The last one; cells that come one after the other mostly share it.
  std::vector<Cell::Range> ranges_;
  std::shared_ptr<const Unrolled> unrolled_;
};

}  // namespace tilewright::certificate
