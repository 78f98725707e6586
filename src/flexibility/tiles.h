// Tiles of a workload, and how many of them fit in a buffer.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "shares.h"
#include "tilewright/flexibility.h"
#include "workload/window.h"

namespace tilewright::flexibility {

// Every choice of an extent, from 1 to its size, for each dimension that a loop
// of a convolution stands for. As many as the product of the loop sizes.
class Tiles {
 public:
  // Nothing, after a complaint, for a tensor whose elements cannot be counted.
  static Checked<Tiles> create(const Workload& workload, const ConvView& view, bool boxes,
                               std::vector<Share> shares);

  std::int64_t all() const { return all_; }
  // How many fit: exactly, or from samples if that takes too many steps. Nothing
  // if cancelled.
  std::optional<TileShare> count_fitting(const FlexionOptions& options) const;
  // Nothing if that takes more steps, or is cancelled.
  std::optional<std::int64_t> count_exactly(const FlexionOptions& options) const;
  std::optional<TileShare> estimate(const FlexionOptions& options) const;

 private:
  friend class Counter;
  using Tile = PerDim;  // extents

  bool fits(const Tile& tile) const;
  // The largest extent of a dimension in no window with which a tile fits that
  // fits with 1 there, as it has.
  std::int64_t largest_fit(const Tile& tile, std::size_t dim) const;

  std::vector<std::size_t> dims_;  // in the order in which extents are tried
  bool last_alone_ = false;        // the last of them is in no window
  Tile sizes_{};                   // 1 for dimensions that no loop stands for
  std::int64_t all_ = 1;
  std::vector<TensorParts> parts_;  // by tensor
  std::vector<Share> shares_;
};

}  // namespace tilewright::flexibility
