#include "design_polish.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::study {

std::vector<Flexibility> DesignPolish::starts() {
  // More starts find little more.
  constexpr std::size_t kMost = 6;
  std::vector<std::size_t> layers(network_.layers.size());
  std::iota(layers.begin(), layers.end(), 0);
  const auto work = [&](std::size_t i) {
    return static_cast<double>(multiply_accumulates(network_.layers[i].workload)) *
           static_cast<double>(network_.layers[i].count);
  };
  std::stable_sort(layers.begin(), layers.end(),
                   [&](std::size_t a, std::size_t b) { return work(a) > work(b); });
  layers.resize(std::min(kMost, layers.size()));
  std::vector<Flexibility> found;
  for (const std::size_t layer : layers) {
    if (const auto start = start_for(layer)) found.push_back(*start);
  }
  return found;
}

// Nothing if no tile fits.
std::optional<Flexibility> DesignPolish::start_for(std::size_t layer) {
  const ConvView view = *ConvView::create(network_.layers[layer].workload).value;
  DesignPart part = bounds_.all_of(0);
  const bool given = part.tiles.is_single();
  ConvSizes tile = part.tiles.least;
  for (const ConvDim loop : kAllConvDims) {
    if (!given) tile[index_of(loop)] = view.size(loop);
  }
  // A tile too large for the buffer gives way where it is largest.
  while (!space_.fits_as_built(tile)) {
    auto largest = std::max_element(tile.begin(), tile.end());
    if (*largest == 1 || given) return std::nullopt;
    *largest = ceil_div(*largest, 2);
  }
  part.tiles = {tile, tile};
  bounds_.look_at(layer);
  Flexibility start = improved(bounds_.design_of(part));
  bounds_.look_at(std::nullopt);
  return start;
}

Flexibility DesignPolish::improved(const Flexibility& design) {
  const auto start = bounds_.part_of(design);
  if (!start) return design;
  at_ = *start;
  value_ = bounds_.of(at_, INFINITY);
  for (bool moved = true; moved && !is_over_();) {
    moved = false;
    for (const ConvDim loop : kAllConvDims) moved = try_tiles(loop) || moved;
    moved = try_arrays() || moved;
    moved = try_orders() || moved;
  }
  return bounds_.design_of(at_);
}

bool DesignPolish::take(const DesignPart& candidate) {
  if (!space_.fits_as_built(candidate.tiles.least)) return false;
  const double value = bounds_.of(candidate, value_);
  if (!(value < value_)) return false;
  value_ = value;
  at_ = candidate;
  return true;
}

// Every other extent of a loop; where that is too large, with less of another
// loop.
bool DesignPolish::try_tiles(ConvDim loop) {
  bool moved = false;
  DesignPart whole = at_;
  whole.tiles = space_.all_tiles();
  for (const std::int64_t extent : bounds_.extents(whole, loop)) {
    if (is_over_()) break;
    DesignPart candidate = at_;
    candidate.tiles.least[index_of(loop)] = candidate.tiles.most[index_of(loop)] = extent;
    const bool fits = space_.fits_as_built(candidate.tiles.least);
    moved = (fits ? take(candidate) : try_with_less(candidate, loop)) || moved;
  }
  return moved;
}

bool DesignPolish::try_with_less(DesignPart candidate, ConvDim grown) {
  bool moved = false;
  DesignPart whole = candidate;
  whole.tiles = space_.all_tiles();
  for (const ConvDim loop : kAllConvDims) {
    if (loop == grown) continue;
    DesignPart smaller = candidate;
    const std::vector<std::int64_t> extents = bounds_.extents(whole, loop);
    std::int64_t& extent = smaller.tiles.least[index_of(loop)];
    const auto end = std::partition_point(extents.begin(), extents.end(), [&](std::int64_t other) {
      extent = other;
      return space_.fits_as_built(smaller.tiles.least);
    });
    if (end == extents.begin()) continue;
    extent = smaller.tiles.most[index_of(loop)] = *std::prev(end);
    moved = take(smaller) || moved;
  }
  return moved;
}

// Pairs and shapes together, with the tile as it is and with one that divides
// well over the array.
bool DesignPolish::try_arrays() {
  bool moved = false;
  for (int p = 0; p < static_cast<int>(space_.pairs().size()); ++p) {
    for (int s = 0; s < static_cast<int>(space_.shapes().size()) && !is_over_(); ++s) {
      DesignPart candidate = at_;
      candidate.pair = p;
      candidate.first_shape = candidate.last_shape = s;
      moved = take(candidate) || moved;
      if (space_.all_tiles().is_single()) continue;
      const ConvPair& pair = space_.pairs()[at(p)];
      ConvSizes& tile = candidate.tiles.least;
      tile[index_of(pair.rows)] = space_.shapes()[at(s)].rows;
      tile[index_of(pair.columns)] = space_.shapes()[at(s)].columns;
      candidate.tiles.most = tile;
      moved = take(candidate) || moved;
    }
  }
  return moved;
}

bool DesignPolish::try_orders() {
  bool moved = false;
  for (const OrderSets::Id order : bounds_.single_orders()) {
    if (is_over_()) break;
    DesignPart candidate = at_;
    candidate.orders = order;
    moved = take(candidate) || moved;
  }
  return moved;
}

}  // namespace tilewright::study
