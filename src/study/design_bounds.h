// What a network takes at least on designs of which some part is decided.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "design_space.h"
#include "layer_floor.h"
#include "order_sets.h"
#include "tilewright/study.h"

namespace tilewright::study {

// A design of a network.
Flexibility fixed_design(const Architecture& arch, const ConvPair& pair, const ArrayShape& shape,
                         const ConvOrder& order, const ConvSizes& tile);

// Designs with a pair, some of the shapes, some of the orders and the tiles of
// a box.
struct DesignPart {
  int pair = 0;
  int first_shape = 0, last_shape = 0;
  OrderSets::Id orders = OrderSets::all();
  TileBox tiles{};
  // What the energies of layers that were mapped are of: 1 pair and shape, 2
  // the order as well.
  int strict = 0;

  bool has_one_shape() const { return first_shape == last_shape; }
};

class DesignBounds {
 public:
  // All of these have to live longer. Floors are by layer.
  DesignBounds(const Network& network, const Architecture& arch, DesignSpace& space,
               std::vector<LayerFloor>& floors, const Objective& objective);

  const Objective& objective() const { return objective_; }

  // All designs with a pair.
  DesignPart all_of(int pair) const;

  // From now on bounds are those of this layer alone, or of all layers again.
  void look_at(std::optional<std::size_t> layer) { only_ = layer; }

  // The extents of a loop that the tiles of a part can have, in rising order.
  std::vector<std::int64_t> extents(const DesignPart& part, ConvDim loop);
  // Takes extents away that make no difference, or with which no tile fits.
  // False if none is left.
  bool tighten(DesignPart& part);

  // No design of the part has a lower value. May be any that holds if it is
  // enough.
  double of(const DesignPart& part, double enough);

  // A part in two, along a loop of the tile or by shapes; in several, by
  // orders. Some of them may be empty: tighten() says so. Nothing if there is
  // nothing to part.
  std::vector<DesignPart> halves(const DesignPart& part, ConvDim loop);
  std::vector<DesignPart> by_shapes(const DesignPart& part) const;
  std::vector<DesignPart> by_orders(const DesignPart& part);

  // The part that has a design alone. Nothing if it is not among those to
  // choose from.
  std::optional<DesignPart> part_of(const Flexibility& design) const;
  const std::vector<OrderSets::Id>& single_orders() const { return orders_.single(); }

  // If all is decided: the design, any of those that are alike.
  bool is_single(const DesignPart& part);
  Flexibility design_of(const DesignPart& part) const;

  // Whether the bound of a single design is close to what it takes.
  bool is_close() const;
  // Whether energies come from mappings of the layers, with what is decided; if
  // so, they are known for parts for which they were asked before.
  bool maps_layers() const { return maps_layers_; }
  Flexibility open_of(const DesignPart& part) const;

 private:
  const ArrayLimits& limits_of(const DesignPart& part);
  LoopSet ignored(const DesignPart& part) const;
  // Tiles of a part, and what a network takes with them at least.
  struct Corner {
    double value = 0;
    TileBox tiles;
  };
  Score inside_of(const DesignPart& part, std::size_t layer);
  double value_with(const DesignPart& part, const TileBox& tiles, double enough);
  double refined(const DesignPart& part, double value, double enough);
  bool shrink(const DesignPart& part, TileBox& tiles);

  const Network& network_;
  const Architecture& arch_;
  DesignSpace& space_;
  std::vector<LayerFloor>& floors_;
  Objective objective_;
  OrderSets orders_;
  ConvSizes largest_{1, 1, 1, 1, 1, 1};  // the sizes of the loops in any layer
  bool inner_order_counts_;              // the order of the loops inside the buffer's tile
  bool maps_layers_;
  std::optional<std::size_t> only_;
  std::map<std::pair<int, int>, ArrayLimits> limits_;  // by shapes
  std::vector<Score> inside_;  // what layers take at least but for what crosses, of one part
};

}  // namespace tilewright::study
