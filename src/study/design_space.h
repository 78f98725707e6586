// What there is to choose from for a fixed design, without choices that another
// one is as good as.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tilewright/flexibility.h"

namespace tilewright::study {

// Tiles between two, loop by loop.
struct TileBox {
  ConvSizes least, most;

  bool is_single() const { return least == most; }
};

// What arrays of several shapes have at most.
struct ArrayLimits {
  std::int64_t rows = 1, columns = 1, pes = 1;
};

// Each workload once, as often as it occurs.
Network without_repetition(const Network& network);

class DesignSpace {
 public:
  // The architecture's flexibility says what may be chosen; every layer is a
  // convolution or a matrix product as ConvView has them.
  DesignSpace(const Network& network, const Architecture& arch);

  const std::vector<ConvPair>& pairs() const { return pairs_; }
  const std::vector<ArrayShape>& shapes() const { return shapes_; }
  // Those that differ in loops which run more than once in some layer.
  const std::vector<ConvOrder>& orders() const { return orders_; }
  // The one of them that is like an order; -1 if none is.
  int place_of(const ConvOrder& order) const;

  // The extents of a loop that matter with a pair on an array, in rising order.
  // All layers take as long and as much with any other one as with a smaller
  // one of these: as many tiles, which are unrolled in the same ways. Valid as
  // long as the space is.
  const std::vector<std::int64_t>& extents(ConvDim loop, const ConvPair& pair,
                                           const ArrayLimits& array);
  // The largest size of each loop in any layer.
  const ConvSizes& largest() const { return largest_; }
  TileBox all_tiles() const;

  // Whether the buffer holds the tile as it is built in, and not only what the
  // layers at hand leave of it: for a convolution with the largest stride of
  // the network, and for a depthwise one. Never for a tile that is larger than
  // one that does not fit.
  bool fits_as_built(const ConvSizes& tile) const;

 private:
  void note_unrolling();
  void measure_buffer(const Memory& buffer);
  void collect_orders(const Flexibility& freedom);
  std::vector<ConvDim> loops_in(const ConvOrder& order) const;
  std::int64_t most_unrolled(ConvDim loop, const ConvPair& pair, const ArrayLimits& array) const;
  std::vector<std::int64_t> list_extents(ConvDim loop, std::int64_t limit) const;

  const Network& network_;
  std::vector<ConvView> views_;
  std::vector<ConvPair> pairs_;
  std::vector<ArrayShape> shapes_;
  std::vector<ConvOrder> orders_;
  ConvSizes largest_{1, 1, 1, 1, 1, 1};
  // By loops: whether the one of a pair unrolls dimensions of the other in some layer.
  std::array<std::array<bool, kConvDims>, kConvDims> unrolls_{};
  std::optional<ConvSizes> only_tile_;      // if there is nothing to choose
  std::array<bool, kConvDims> compound_{};  // some layer has several dimensions in the loop
  double words_ = 0;                        // that the buffer holds
  double stride_ = 1;
  std::map<std::pair<ConvDim, std::int64_t>, std::vector<std::int64_t>> extents_;  // by limit
};

}  // namespace tilewright::study
