#include "mappers/optimal/tile_groups.h"

#include <algorithm>

#include "mappers/optimal/subproblem.h"
#include "mappers/optimal/window_starts.h"

namespace tilewright::optimal {
namespace {

// Groups that are alike, in one dimension.
struct Alike {
  std::int64_t whole = 0;                    // tiles of each
  std::int64_t cut = 0;                      // extent of one more that is cut short
  std::array<std::int64_t, 2> number = {0};  // at starts of the moving loop, at further steps
};

// All but the last one, and the last one.
std::array<Alike, 2> groups_of(const TileGroups::Dim& dim, bool moves, std::int64_t bound) {
  const std::int64_t together = times(dim.tile, dim.branches);
  const std::int64_t full = ceil_div(dim.size, together) - 1;
  const std::int64_t left = dim.size - full * together;
  const std::int64_t starts = moves ? ceil_div(full, bound) : full;
  const bool last_starts = !moves || full % bound == 0;
  return {{{dim.branches, 0, {starts, full - starts}},
           {left / dim.tile, left % dim.tile, {last_starts ? 1 : 0, last_starts ? 0 : 1}}}};
}

class GroupSum {
 public:
  GroupSum(const Window& window, const TileGroups& groups)
      : window_(window),
        groups_(groups),
        rows_(groups_of(groups.dims[0], groups.moving == 0, groups.bound)),
        columns_(groups_of(groups.dims[1], groups.moving == 1, groups.bound)) {}

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const Alike& rows : rows_) {
      for (const Alike& columns : columns_) {
        // One of them is not moved.
        const std::int64_t starts = times(rows.number[0], columns.number[0]);
        const std::int64_t steps =
            times(rows.number[1], columns.number[0]) + times(rows.number[0], columns.number[1]);
        if (starts > 0) sum += times(starts, words(rows, columns, false));
        if (steps > 0) sum += times(steps, words(rows, columns, true));
        sum = std::min(sum, kCountLimit);
      }
    }
    return sum;
  }

 private:
  // Whole tiles share where they start at the same place; of those that are cut short no two do.
  std::int64_t words(const Alike& rows, const Alike& columns, bool moved) const {
    const std::int64_t a = groups_.dims[0].tile;
    const std::int64_t b = groups_.dims[1].tile;
    std::int64_t sum = 0;
    const auto add = [&](std::int64_t number, std::int64_t first, std::int64_t second) {
      if (number == 0 || first == 0 || second == 0) return;
      sum = std::min(sum + times(number, tile_words(first, second, moved)), kCountLimit);
    };
    add(starts_of_pair(window_, {rows.whole, columns.whole}, {a, b}), a, b);
    add(columns.whole, rows.cut, b);
    add(rows.whole, a, columns.cut);
    add(1, rows.cut, columns.cut);
    return sum;
  }

  std::int64_t tile_words(std::int64_t first, std::int64_t second, bool moved) const {
    const Extents extents = {first, second};
    if (!moved) return window_.size(extents);
    const TileGroups::Dim& dim = groups_.dims[at(groups_.moving)];
    return window_.new_elements(extents, groups_.moving, dim.tile, times(dim.tile, dim.branches));
  }

  const Window& window_;
  const TileGroups& groups_;
  std::array<Alike, 2> rows_, columns_;
};

}  // namespace

std::int64_t words_of(const Window& window, const TileGroups& groups) {
  return GroupSum(window, groups).total();
}

// Whole tiles alone share, and the more of them there are, the larger the part that does.
std::optional<Rational> least_share_of(const Window& window,
                                       const std::array<TileGroups::Dim, 2>& largest) {
  constexpr std::int64_t kMost = 1 << 12;  // pairs of extents
  if (times(largest[0].tile, largest[1].tile) > kMost) return std::nullopt;
  const auto in_use = [&](int i, std::int64_t tile) {
    return std::min(largest[at(i)].branches, ceil_div(largest[at(i)].size, tile));
  };
  Rational least{1, 1};
  for (std::int64_t a = 1; a <= largest[0].tile; ++a) {
    for (std::int64_t b = 1; b <= largest[1].tile; ++b) {
      const std::array<std::int64_t, 2> branches{in_use(0, a), in_use(1, b)};
      const Rational share{starts_of_pair(window, branches, {a, b}), branches[0] * branches[1]};
      if (share.numerator * least.denominator < least.numerator * share.denominator) least = share;
    }
  }
  return least;
}

}  // namespace tilewright::optimal
