#include "mappers/optimal/window_tiles.h"

#include <algorithm>

#include "tilewright/base.h"

namespace tilewright::optimal {

bool WindowTiles::are_few(const Window& window, const std::array<std::int64_t, 2>& sizes) {
  constexpr std::int64_t kMost = 1 << 14;
  return window.dim_count() == 2 && sizes[0] <= kMost / sizes[1];
}

WindowTiles::WindowTiles(const Window& window, const std::array<std::int64_t, 2>& sizes,
                         const Moving& moving)
    : window_(&window),
      sizes_(sizes),
      moving_(moving),
      words_(static_cast<std::size_t>(sizes[0] * sizes[1])) {}

std::int64_t WindowTiles::least(const Extents& first, const Extents& last, std::int64_t passes) {
  const int rows = std::max(moving_.position, 0);
  const int columns = 1 - rows;
  std::int64_t least = kCountLimit;
  Extents tile{};
  for (std::int64_t row = first[at(rows)]; row <= last[at(rows)]; ++row) {
    tile[at(rows)] = row;
    // Each branch has a start in every pass but the last. The last tile of the moving dimension is
    // left out, since it may be small.
    const std::int64_t tiles = moving_.position < 0 ? 1 : ceil_div(sizes_[at(rows)], row) - 1;
    const std::int64_t starts =
        moving_.position < 0 ? 1 : std::min(tiles, (passes - 1) * moving_.apart);
    for (std::int64_t column = first[at(columns)]; column <= last[at(columns)]; ++column) {
      tile[at(columns)] = column;
      const Words& words = words_of(tile);
      least = std::min(least, starts * words.start + (tiles - starts) * words.further);
    }
  }
  return least;
}

const WindowTiles::Words& WindowTiles::words_of(const Extents& tile) {
  Words& words = words_[static_cast<std::size_t>((tile[0] - 1) * sizes_[1] + tile[1] - 1)];
  if (words.start < 0) words = find(tile);
  return words;
}

namespace {

// The sum over all tiles along a dimension.
template <typename WordsOf>
std::int64_t sum_along(int dim, std::int64_t size, Extents tile, const WordsOf& words_of) {
  const std::int64_t full = ceil_div(size, tile[at(dim)]) - 1;
  const std::int64_t cut = size - full * tile[at(dim)];
  const std::int64_t words = full > 0 ? full * words_of(tile) : 0;
  tile[at(dim)] = cut;
  return words + words_of(tile);
}

}  // namespace

WindowTiles::Words WindowTiles::find(const Extents& tile) const {
  const auto size_of = [&](const Extents& extents) { return window_->size(extents); };
  if (moving_.position < 0) {
    const auto row = [&](const Extents& extents) {
      return sum_along(1, sizes_[1], extents, size_of);
    };
    return {sum_along(0, sizes_[0], tile, row), 0};
  }
  const int moving = moving_.position;
  const int other = 1 - moving;
  const std::int64_t extent = tile[at(moving)];
  const auto new_of = [&](const Extents& extents) {
    return window_->new_elements(extents, moving, extent, moving_.apart * extent);
  };
  return {sum_along(other, sizes_[at(other)], tile, size_of),
          sum_along(other, sizes_[at(other)], tile, new_of)};
}

}  // namespace tilewright::optimal
