#include "design_bounds.h"

#include <algorithm>
#include <cmath>

namespace tilewright::study {

namespace {

// Whether time depends on the order of loops inside the tile of the buffer.
bool order_inside_takes_time(const Architecture& arch) {
  for (std::size_t i = 1; i < arch.levels.size(); ++i) {
    const auto* memory = std::get_if<Memory>(&arch.levels[i]);
    const auto* fanout = std::get_if<Fanout>(&arch.levels[i]);
    if (memory != nullptr && limits_time(*memory)) return true;
    if (fanout != nullptr && fanout->is_systolic()) return true;
  }
  return false;
}

LoopSet loops_of_one_step(const ConvSizes& largest) {
  LoopSet loops = 0;
  for (const ConvDim loop : kAllConvDims) {
    if (largest[index_of(loop)] == 1) loops |= loop_bit(loop);
  }
  return loops;
}

// Two boxes in place of one, along the loop whose extents differ most.
std::array<TileBox, 2> smaller(const TileBox& box) {
  std::size_t widest = 0;
  double ratio = 1;
  for (std::size_t loop = 0; loop < kConvDims; ++loop) {
    const double wide = static_cast<double>(box.most[loop]) / static_cast<double>(box.least[loop]);
    if (wide > ratio) widest = loop;
    ratio = std::max(ratio, wide);
  }
  const std::int64_t least = box.least[widest], most = box.most[widest];
  const auto middle =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(least) * static_cast<double>(most)));
  std::array<TileBox, 2> both = {box, box};
  both[0].most[widest] = std::clamp(middle, least, most - 1);
  both[1].least[widest] = both[0].most[widest] + 1;
  return both;
}

}  // namespace

Flexibility fixed_design(const Architecture& arch, const ConvPair& pair, const ArrayShape& shape,
                         const ConvOrder& order, const ConvSizes& tile) {
  Flexibility design = *arch.flexibility;
  design.pairs = {pair};
  design.shape = {ShapeFreedom::Kind::Fixed, shape};
  design.orders = {order};
  design.tile.kind = TileFreedom::Kind::Fixed;
  design.tile.fixed = tile;
  return design;
}

DesignBounds::DesignBounds(const Network& network, const Architecture& arch, DesignSpace& space,
                           std::vector<LayerFloor>& floors, const Objective& objective)
    : network_(network),
      arch_(arch),
      space_(space),
      floors_(floors),
      objective_(objective),
      orders_(space.orders(), loops_of_one_step(space.largest())),
      largest_(space.largest()),
      inner_order_counts_(objective.energy > 0 || order_inside_takes_time(arch)),
      maps_layers_(objective.energy > 0 &&
                   std::any_of(floors.begin(), floors.end(),
                               [](const LayerFloor& floor) { return !floor.knows_array(); })) {}

bool DesignBounds::is_close() const {
  return !maps_layers_ && std::all_of(floors_.begin(), floors_.end(), [](const LayerFloor& floor) {
    return floor.knows_crossing();
  });
}

DesignPart DesignBounds::all_of(int pair) const {
  DesignPart part;
  part.pair = pair;
  part.last_shape = static_cast<int>(space_.shapes().size()) - 1;
  part.tiles = space_.all_tiles();
  return part;
}

const ArrayLimits& DesignBounds::limits_of(const DesignPart& part) {
  const auto [known, is_new] = limits_.try_emplace({part.first_shape, part.last_shape});
  if (!is_new) return known->second;
  ArrayLimits& limits = known->second;
  for (int s = part.first_shape; s <= part.last_shape; ++s) {
    const ArrayShape& shape = space_.shapes()[at(s)];
    limits.rows = std::max(limits.rows, shape.rows);
    limits.columns = std::max(limits.columns, shape.columns);
    limits.pes = std::max(limits.pes, shape.rows * shape.columns);
  }
  return limits;
}

// Loops that no layer has outside the tile are in no order there.
LoopSet DesignBounds::ignored(const DesignPart& part) const {
  if (inner_order_counts_) return 0;
  LoopSet loops = 0;
  for (const ConvDim loop : kAllConvDims) {
    if (part.tiles.least[index_of(loop)] >= largest_[index_of(loop)]) loops |= loop_bit(loop);
  }
  return loops;
}

// --- tiles -----------------------------------------------------------------------------

std::vector<std::int64_t> DesignBounds::extents(const DesignPart& part, ConvDim loop) {
  const std::vector<std::int64_t>& all =
      space_.extents(loop, space_.pairs()[at(part.pair)], limits_of(part));
  const std::size_t i = index_of(loop);
  return {std::lower_bound(all.begin(), all.end(), part.tiles.least[i]),
          std::upper_bound(all.begin(), all.end(), part.tiles.most[i])};
}

bool DesignBounds::tighten(DesignPart& part) { return shrink(part, part.tiles); }

bool DesignBounds::shrink(const DesignPart& part, TileBox& tiles) {
  const ArrayLimits& limits = limits_of(part);
  std::array<std::span<const std::int64_t>, kConvDims> lists;
  for (const ConvDim loop : kAllConvDims) {
    const std::size_t i = index_of(loop);
    const std::vector<std::int64_t>& all =
        space_.extents(loop, space_.pairs()[at(part.pair)], limits);
    const auto first = std::lower_bound(all.begin(), all.end(), tiles.least[i]);
    const auto end = std::upper_bound(first, all.end(), tiles.most[i]);
    if (first == end) return false;
    lists[i] = {first, end};
    tiles.least[i] = *first;
    tiles.most[i] = *std::prev(end);
  }
  if (!space_.fits_as_built(tiles.least)) return false;
  ConvSizes tile = tiles.least;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto end =
        std::partition_point(lists[i].begin(), lists[i].end(), [&](std::int64_t extent) {
          tile[i] = extent;
          return space_.fits_as_built(tile);
        });
    tiles.most[i] = *std::prev(end);
    tile[i] = tiles.least[i];
  }
  return true;
}

// --- bounds ----------------------------------------------------------------------------

Flexibility DesignBounds::open_of(const DesignPart& part) const {
  Flexibility open = *arch_.flexibility;
  if (part.strict >= 1) {
    open.pairs = {space_.pairs()[at(part.pair)]};
    open.shape = {ShapeFreedom::Kind::Fixed, space_.shapes()[at(part.first_shape)]};
  }
  if (part.strict >= 2) open.orders = {orders_.first(part.orders)};
  return open;
}

// But for what crosses into the buffer.
Score DesignBounds::inside_of(const DesignPart& part, std::size_t layer) {
  LayerFloor& floor = floors_[layer];
  const ConvPair& pair = space_.pairs()[at(part.pair)];
  const ArrayLimits& limits = limits_of(part);
  Score least;
  least.cycles = floor.multiplier_cycles(pair, limits, part.tiles);
  if (objective_.energy == 0) return least;
  least.energy_pj = maps_layers_
                        ? floor.inside_pj(open_of(part))
                        : floor.array_pj(pair, limits, part.tiles, orders_.decided(part.orders));
  return least;
}

// With some tiles of the part.
double DesignBounds::value_with(const DesignPart& part, const TileBox& tiles, double enough) {
  Score total;
  for (std::size_t i = 0; i < floors_.size(); ++i) {
    if (only_.value_or(i) != i) continue;
    const Crossing::Cost outside = floors_[i].outside(tiles, orders_, part.orders);
    Score layer = inside_[i];
    layer.cycles = std::max(layer.cycles, outside.cycles);
    if (objective_.energy > 0) layer.energy_pj += outside.energy_pj;
    if (maps_layers_) {
      layer.energy_pj = std::max(layer.energy_pj, floors_[i].whole_pj(open_of(part)));
    }
    if (layer.energy_pj == INFINITY) return INFINITY;
    total.add(layer, network_.layers[i].count);
    if (value_of(objective_, total) >= enough) break;
  }
  return value_of(objective_, total);
}

double DesignBounds::of(const DesignPart& part, double enough) {
  inside_.clear();
  for (std::size_t i = 0; i < floors_.size(); ++i) {
    inside_.push_back(only_.value_or(i) == i ? inside_of(part, i) : Score{});
  }
  const double value = value_with(part, part.tiles, enough);
  return value >= enough ? value : refined(part, value, enough);
}

// The largest extents of the tiles seldom fit together. Looks at smaller boxes, which together have
// all tiles that fit.
double DesignBounds::refined(const DesignPart& part, double value, double enough) {
  constexpr int kMostSteps = 20;
  const auto later = [](const Corner& a, const Corner& b) { return a.value > b.value; };
  std::vector<Corner> open = {{value, part.tiles}};
  for (int i = 0; i < kMostSteps && !open.empty(); ++i) {
    std::pop_heap(open.begin(), open.end(), later);
    const Corner best = open.back();
    if (best.value >= enough || space_.fits_as_built(best.tiles.most)) return best.value;
    open.pop_back();
    for (const TileBox& tiles : smaller(best.tiles)) {
      Corner half{0, tiles};
      if (!shrink(part, half.tiles)) continue;
      half.value = std::max(best.value, value_with(part, half.tiles, enough));
      open.push_back(half);
      std::push_heap(open.begin(), open.end(), later);
    }
  }
  return open.empty() ? INFINITY : open.front().value;
}

// --- parts -----------------------------------------------------------------------------

std::vector<DesignPart> DesignBounds::halves(const DesignPart& part, ConvDim loop) {
  const std::vector<std::int64_t> list = extents(part, loop);
  if (list.size() < 2) return {};
  const std::size_t middle = (list.size() - 1) / 2;
  std::vector<DesignPart> both = {part, part};
  both[0].tiles.most[index_of(loop)] = list[middle];
  both[1].tiles.least[index_of(loop)] = list[middle + 1];
  return both;
}

std::vector<DesignPart> DesignBounds::by_shapes(const DesignPart& part) const {
  if (part.has_one_shape()) return {};
  std::vector<DesignPart> both = {part, part};
  both[0].last_shape = (part.first_shape + part.last_shape) / 2;
  both[1].first_shape = both[0].last_shape + 1;
  return both;
}

std::vector<DesignPart> DesignBounds::by_orders(const DesignPart& part) {
  std::vector<DesignPart> parts;
  for (const OrderSets::Id orders : orders_.parts(part.orders, ignored(part))) {
    parts.push_back(part);
    parts.back().orders = orders;
  }
  return parts;
}

bool DesignBounds::is_single(const DesignPart& part) {
  return part.has_one_shape() && part.tiles.is_single() &&
         orders_.parts(part.orders, ignored(part)).empty();
}

std::optional<DesignPart> DesignBounds::part_of(const Flexibility& design) const {
  const auto place_in = [](const auto& all, const auto& one) {
    return static_cast<int>(std::find(all.begin(), all.end(), one) - all.begin());
  };
  DesignPart part;
  part.pair = place_in(space_.pairs(), design.pairs.front());
  part.first_shape = part.last_shape = place_in(space_.shapes(), design.shape.unit);
  const int order = space_.place_of(design.orders.front());
  part.tiles = {design.tile.fixed, design.tile.fixed};
  const bool known = at(part.pair) < space_.pairs().size() &&
                     at(part.first_shape) < space_.shapes().size() && order >= 0;
  if (!known) return std::nullopt;
  part.orders = orders_.single()[at(order)];
  return part;
}

Flexibility DesignBounds::design_of(const DesignPart& part) const {
  return fixed_design(arch_, space_.pairs()[at(part.pair)], space_.shapes()[at(part.first_shape)],
                      orders_.first(part.orders), part.tiles.least);
}

}  // namespace tilewright::study
