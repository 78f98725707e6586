// Words of a window both of whose dimensions a fan-out unrolls: neighbouring tiles, one for each
// branch, come in groups, and branches with the same tile share it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tilewright/base.h"
#include "workload/window.h"

namespace tilewright::optimal {

struct TileGroups {
  struct Dim {
    std::int64_t size = 1;
    std::int64_t tile = 1;  // extent
    std::int64_t branches = 1;
  };
  std::array<Dim, 2> dims;  // in the window's order
  // The loop that takes one group after the other, and its bound; none if every group is loaded as
  // a whole.
  int moving = -1;
  std::int64_t bound = 1;
};

// What all groups need, every tile that branches have in common once (docs/optimal.md, "Extents are
// all that counts"); no more than kCountLimit.
std::int64_t words_of(const Window& window, const TileGroups& groups);

// Of the words that all branches bring, those that some other one does not bring, too: the least
// share with tiles up to those of the dimensions, however they are moved; nothing if these are too
// many.
std::optional<Rational> least_share_of(const Window& window,
                                       const std::array<TileGroups::Dim, 2>& largest);

}  // namespace tilewright::optimal
