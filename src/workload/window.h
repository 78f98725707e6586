// Counting what index expressions reach: the sizes of tiles, what is new when
// a tile slides, how many different places replicated tiles start at.
//
// A tensor's dimensions fall apart into those that act alone (each value of
// the dimension is a slice of its own) and windows: groups of dimensions that
// meet in a rank, such as 2*p + r. Counts are products over these parts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bits.h"
#include "tilewright/workload.h"

namespace tilewright {

inline constexpr int kMaxWindowDims = 6;
inline constexpr int kMaxWindowRanks = 4;

// Extents (or counts) per dimension of a window, in its own order.
using Extents = std::array<std::int64_t, kMaxWindowDims>;

// Tiles of a window in one of its dimensions, which stand side by side.
struct TileRow {
  std::vector<std::int64_t> starts;  // the first indices of whole tiles
  std::int64_t extent = 1;           // of these
  std::int64_t cut_start = 0;        // and of one that the end of the dimension cuts short,
  std::int64_t cut_extent = 0;       // if there is one
};

// What moves tiles in one dimension of a window: by `step`, from a tile of extent `previous`.
struct TileMove {
  int position = 0;
  std::int64_t previous = 1;
  std::int64_t step = 1;
};

class Window {
 public:
  enum class Kind : std::uint8_t {
    Pair,  // one rank, two dimensions, distinct elements: closed form
    Sum,   // one rank, more dimensions, distinct elements: counted
    Box,   // bounding boxes (Timeloop accounting)
  };

  // `ranks` are those in which `dims` occur.
  Window(Kind kind, std::vector<DimId> dims, const std::vector<Rank>& ranks, bool injective);

  int dim_count() const { return dim_count_; }
  int dim(int i) const { return dims_[at(i)]; }
  std::uint32_t dim_bits() const { return dim_bits_; }
  int position_of(int dim) const;  // -1 if the dimension is not part of it
  // Two dimensions with coefficients 1: tiles are intervals.
  bool is_unit_pair() const { return unit_; }
  // Different indices never meet in an element.
  bool is_injective() const { return injective_; }

  // Elements of a tile.
  std::int64_t size(const Extents& extents) const;

  // Elements of a tile that the tile before it does not hold, when dimension
  // number `moving` has gone on by `step` and the tile before had
  // `previous_extent` there (step >= previous_extent).
  std::int64_t new_elements(const Extents& extents, int moving, std::int64_t previous_extent,
                            std::int64_t step) const;

  // Different places at which tiles start, when dimension i takes counts[i]
  // values, strides[i] apart.
  std::int64_t distinct_starts(const Extents& counts, const Extents& strides) const;

  // Different elements of several tiles together, one tile for each combination of those in
  // the rows of the dimensions; of moved tiles, elements that the same tile did not hold before.
  // Not of boxes.
  std::int64_t elements_together(const std::vector<TileRow>& rows,
                                 const std::optional<TileMove>& move) const;

  // Coefficient of dimension i in the only rank of a Pair or Sum, with its sign.
  std::int64_t signed_coefficient(int i) const {
    const std::int64_t c = coefficients_[0][at(i)];
    return ((negative_ >> i) & 1U) != 0 ? -c : c;
  }

 private:
  std::int64_t box_side(int rank, const Extents& extents) const;

  Kind kind_;
  bool injective_;     // different points never meet
  bool unit_ = false;  // a Pair with both coefficients 1: intervals, no case to tell apart
  int dim_count_ = 0;
  int rank_count_ = 0;
  std::uint32_t dim_bits_ = 0;
  std::uint32_t negative_ = 0;  // bit per dimension whose coefficient was below zero
  std::array<int, kMaxWindowDims> dims_{};
  // [rank][dim], without sign (mirroring a dimension changes no count) and,
  // for a single rank, divided by what they have in common.
  std::array<Extents, kMaxWindowRanks> coefficients_{};
};

// Extents, or the like, of all dimensions of a workload.
using PerDim = std::array<std::int64_t, kMaxDims>;

// The extents of a window's dimensions, in its order.
inline Extents window_extents(const Window& window, const PerDim& extents) {
  Extents own{};
  for (int i = 0; i < window.dim_count(); ++i) own[at(i)] = extents[at(window.dim(i))];
  return own;
}

// Elements of a tile that has these extents of all dimensions.
inline std::int64_t window_size(const Window& window, const PerDim& extents) {
  if (window.is_unit_pair()) {
    return extents[at(window.dim(0))] + extents[at(window.dim(1))] - 1;
  }
  return window.size(window_extents(window, extents));
}

// |{ m*a + n*b : 0 <= a < extent_a, 0 <= b < extent_b }|
std::int64_t distinct_sums(std::int64_t m, std::int64_t extent_a, std::int64_t n,
                           std::int64_t extent_b);

// |{ sum c[i]*x[i] : 0 <= x[i] < extent[i] }| for any number of terms.
std::int64_t distinct_sums(int terms, const Extents& coefficients, const Extents& extents);

// The parts of a tensor under an accounting.
struct TensorParts {
  std::uint32_t alone = 0;  // bit per dimension that acts alone
  std::vector<Window> windows;

  // Elements of a tile of these extents; in 128 bits if the workload is as large as that.
  template <typename Number = std::int64_t>
  Number words(const PerDim& extents) const {
    Number words = 1;
    for (const int dim : members(alone)) words *= extents[at(dim)];
    for (const Window& window : windows) words *= window_size(window, extents);
    return words;
  }
};
// Nothing if ranks share dimensions in a way that is neither one rank nor one
// to one, or a window is larger than the tables.
std::optional<TensorParts> split_tensor(const Workload& workload, const Tensor& tensor, bool boxes);

}  // namespace tilewright
