// How many multiplications use each element of a window that comes with a tile of the innermost
// memory, at most: by the dimension of the loop that moves the tile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tilewright/base.h"
#include "workload/window.h"

namespace tilewright::optimal {

// Numbers of multiplications for an element are counted in parts of one, rounded up.
inline constexpr std::int64_t kReuseParts = 256;

class WindowReuse {
 public:
  // Of tiles with no larger extents; not of boxes.
  WindowReuse(const Window& window, const PerDim& most);

  // Of a tile and all smaller ones, whether or not the end of a dimension cuts it short: with a
  // loop over this dimension, which may be none of the window's.
  Int128 of(const PerDim& extents, int moving_dim) const;

 private:
  // In the order of the window's two dimensions; row by row.
  using Table = std::vector<std::int64_t>;

  bool are_few() const;
  Table find(int moving) const;
  std::int64_t least_new(const Extents& tile, int moving, std::int64_t extent_before) const;
  std::size_t place(const Extents& tile) const {
    return static_cast<std::size_t>((tile[0] - 1) * most_[1] + tile[1] - 1);
  }

  const Window* window_;
  Extents most_;
  std::array<Table, 3> known_;  // by the moving dimension, the last one with none; none of others
};

}  // namespace tilewright::optimal
