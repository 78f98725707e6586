// A tensor taken apart: dimensions that act alone, and windows, in which
// several dimensions meet. Counts are products over these parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "certificate/exact.h"

namespace tilewright::certificate {

using Extents = std::vector<std::int64_t>;  // one per dimension of a window

class Window {
 public:
  // Ranks as coefficients of the dimensions. With boxes, bounding boxes count.
  Window(std::vector<int> dims, std::vector<std::vector<std::int64_t>> ranks, bool boxes);

  const std::vector<int>& dims() const { return dims_; }
  bool has(int dim) const { return index_of_dim(dim) >= 0; }
  int index_of_dim(int dim) const;  // -1 if it is not in the window

  // Elements of a tile.
  std::int64_t size(const Extents& tile) const;
  // The same without the holes that boxes count.
  std::int64_t distinct(const Extents& tile) const;
  // Elements that a tile has and its predecessor lacks, which starts `step`
  // indices earlier in the moving dimension, where its extent is `before`.
  std::int64_t fresh(const Extents& tile, int moving, std::int64_t before, std::int64_t step) const;
  // The elements of a tile as numbers, counted from its first index; if they were moved, those
  // that its predecessor lacks. No boxes.
  std::vector<std::int64_t> elements(const Extents& tile) const;
  std::vector<std::int64_t> fresh_elements(const Extents& tile, int moving, std::int64_t before,
                                           std::int64_t step) const;
  // Elements of the indices in these sets, one set per dimension; no boxes.
  std::int64_t size_of_sets(const std::vector<std::vector<std::int64_t>>& sets) const;
  // Whether a tile grows by the same amount with every index of a dimension.
  bool grows_evenly(int dim) const;
  // Where a tile begins that starts at these indices.
  std::vector<std::int64_t> origin(const Extents& start) const;
  // At least so many different places where tiles begin that stand side by side, so many of them
  // in each dimension; of two dimensions exactly. No boxes of several ranks.
  std::int64_t starts(const Extents& copies, const Extents& tile) const;
  // How far an index of a dimension, by its place here, moves a tile; of windows with one rank.
  std::int64_t step(std::size_t place) const { return ranks_.front()[place]; }

 private:
  bool is_interval(const Extents& tile) const;

  std::vector<int> dims_;
  std::vector<std::vector<std::int64_t>> ranks_;  // [rank][dimension]
  bool boxes_;
};

struct Parts {
  std::uint32_t relevant = 0;  // bit per dimension
  std::vector<int> alone;      // relevant dimensions that are their own tiles' size
  std::vector<Window> windows;
  // Whether tiles of equal number hold equally many elements in sum, however the
  // dimension is cut into them.
  bool grows_evenly(int dim) const {
    return std::all_of(windows.begin(), windows.end(), [&](const Window& window) {
      return !window.has(dim) || window.grows_evenly(dim);
    });
  }
  bool plain = true;  // elements and points are one to one, and boxes have no holes

  bool has_window_with(int dim) const {
    return std::any_of(windows.begin(), windows.end(),
                       [&](const Window& window) { return window.has(dim); });
  }
};

// Throws Unverifiable for indices that share dimensions in other ways.
Parts take_apart(const Tensor& tensor, Accounting accounting);

}  // namespace tilewright::certificate
