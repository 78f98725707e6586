// Spatial bounds that some smaller ones are as good as, and those that are left (docs/optimal.md,
// "What is left out because something else is as good").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mappers/optimal/spatial_bounds.h"

namespace tilewright::optimal {

// Whether a mapping may have smaller bounds of a dimension in a fan-out, as far as constraints go.
bool may_unroll_less(const SolverTables& solver, int fanout, int dim);

// Whether branches without a tile cost nothing and nothing can be saved by them: then of all bounds
// that leave as many groups of tiles the least is as good as any other, if no instance inside the
// fan-out holds sums of its own, and if the last group is not a single tile that is cut short.
bool is_dealt_alike(const SolverTables& solver, int fanout, int dim);
// Whether instances inside a fan-out may hold sums of their own where it unrolls a dimension.
bool may_hold_sums(const SolverTables& solver, int fanout, int dim);

// The fewest tiles of a dimension that a fan-out can unroll so far, by any of these bounds.
struct BoundRange {
  std::int64_t first = 1, last = 1;
};
std::int64_t tiles_unrolled_by(const SolverTables& solver, int fanout, const BoundRange& bounds);

// The products of bounds x and y of two axes, up to so much each, such that neither can be less
// without more groups of tiles; with as many tiles as some divisor of the size.
std::vector<std::int64_t> tight_bounds(std::int64_t size, std::int64_t most_x, std::int64_t most_y);
// The same with tiles of any extent, of which the last one may be cut short; and those with which
// that one is a group of its own.
std::vector<std::int64_t> tight_bounds_of_any_tiles(std::int64_t size, std::int64_t most_x,
                                                    std::int64_t most_y);
// Those of the two that tiles inside a fan-out ask for.
std::vector<std::int64_t> tight_bounds(const SolverTables& solver, int fanout, int dim);

// Splits of bounds over two axes in place of which a mapping may have a smaller bound of some
// dimension, all of it along one axis.
class TightSplits {
 public:
  // Knows nothing if all bounds are wanted.
  explicit TightSplits(const SolverTables& solver);

  // With no memory inside the fan-out that keeps the output, if that is said.
  bool is_superfluous(const SpatialBounds& spatial, int fanout, const PerDim& along_x,
                      bool keeps_no_sums) const;
  // Whether all splits are, since some dimension has more branches than the fan-outs further in
  // leave tiles, and fewer are enough with other splits.
  bool is_superfluous(const SpatialBounds& spatial, int fanout, const PerDim& left) const;

 private:
  enum class Rule : std::uint8_t { None, OneGroup, Alike, AlikeWithoutSums };

  std::size_t place(int fanout, int dim) const { return at(fanout * solver_.dim_count + dim); }
  bool can_be_less(const SpatialBounds& spatial, int fanout, int dim, bool keeps_no_sums) const;
  bool may_be_split_anew(const SpatialBounds& spatial, int fanout) const;
  // What is left of two axes.
  struct Room {
    std::int64_t x = 1, y = 1;
  };
  // Whether some split of a fan-out's bounds from a dimension on has room, one dimension apart.
  bool has_split(const SpatialBounds& spatial, int fanout, int but, int from, Room room) const;

  const SolverTables& solver_;
  // By fan-out and dimension; and the tight bounds of a single axis, where they are dealt alike.
  std::vector<Rule> rules_;
  std::vector<std::vector<std::int64_t>> of_one_axis_;
};

}  // namespace tilewright::optimal
