// Words of groups of tiles, against going through all branches of every group.
#include "mappers/optimal/tile_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace tilewright::optimal {
namespace {

using Dim = TileGroups::Dim;

struct Coefficients {
  std::int64_t first = 1, second = 1;
};

Window pair_of(const Coefficients& by) {
  const Rank rank = {{DimId{0}, by.first}, {DimId{1}, by.second}};
  return Window(Window::Kind::Pair, {DimId{0}, DimId{1}}, {rank}, false);
}

// A branch's tile in one dimension; nothing if it has no index.
struct Tile {
  std::int64_t start = 0, extent = 0;
};

Tile tile_of(const Dim& dim, std::int64_t group, std::int64_t branch) {
  const std::int64_t start = (group * dim.branches + branch) * dim.tile;
  return {start, std::max<std::int64_t>(0, std::min(dim.tile, dim.size - start))};
}

std::set<std::int64_t> elements(const Coefficients& by, const Tile& a, const Tile& b) {
  std::set<std::int64_t> all;
  for (std::int64_t i = a.start; i < a.start + a.extent; ++i) {
    for (std::int64_t j = b.start; j < b.start + b.extent; ++j) {
      all.insert(by.first * i + by.second * j);
    }
  }
  return all;
}

// What all branches of two groups need, tiles that are alike once; and what each of them does.
struct Words {
  std::int64_t together = 0, apart = 0;
};

Words words_of_group(const Coefficients& by, const TileGroups& groups,
                     const std::array<std::int64_t, 2>& at_group) {
  Words sum;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> words;
  const bool moved =
      groups.moving >= 0 && at_group[static_cast<std::size_t>(groups.moving)] % groups.bound != 0;
  for (std::int64_t i = 0; i < groups.dims[0].branches; ++i) {
    for (std::int64_t j = 0; j < groups.dims[1].branches; ++j) {
      const Tile a = tile_of(groups.dims[0], at_group[0], i);
      const Tile b = tile_of(groups.dims[1], at_group[1], j);
      std::set<std::int64_t> all = elements(by, a, b);
      if (all.empty()) continue;
      if (moved) {
        const bool first = groups.moving == 0;
        const Tile before_a = first ? tile_of(groups.dims[0], at_group[0] - 1, i) : a;
        const Tile before_b = first ? b : tile_of(groups.dims[1], at_group[1] - 1, j);
        for (const std::int64_t known : elements(by, before_a, before_b)) all.erase(known);
      }
      const std::int64_t place = by.first * a.start + by.second * b.start;
      words[{place, a.extent, b.extent}] = static_cast<std::int64_t>(all.size());
      sum.apart += static_cast<std::int64_t>(all.size());
    }
  }
  for (const auto& [tile, number] : words) sum.together += number;
  return sum;
}

Words counted(const Coefficients& by, const TileGroups& groups) {
  Words sum;
  const auto number = [](const Dim& dim) { return ceil_div(dim.size, dim.tile * dim.branches); };
  for (std::int64_t i = 0; i < number(groups.dims[0]); ++i) {
    for (std::int64_t j = 0; j < number(groups.dims[1]); ++j) {
      const Words of_group = words_of_group(by, groups, {i, j});
      sum.together += of_group.together;
      sum.apart += of_group.apart;
    }
  }
  return sum;
}

// All tiles and numbers of branches of two sizes, with every moving loop.
void compare(const Coefficients& by, std::int64_t rows, std::int64_t columns) {
  const Window window = pair_of(by);
  for (std::int64_t tiles = 0; tiles < rows * columns; ++tiles) {
    for (const std::int64_t a : {1, 2, 3, 5}) {
      for (const std::int64_t b : {1, 2, 4}) {
        for (int moving = -1; moving < 2; ++moving) {
          for (const std::int64_t bound : {1, 2, 3}) {
            const TileGroups groups{
                {{{rows, 1 + tiles / columns, a}, {columns, 1 + tiles % columns, b}}},
                moving,
                bound};
            ASSERT_EQ(words_of(window, groups), counted(by, groups).together)
                << by.first << " " << by.second << ": " << rows << " by " << 1 + tiles / columns
                << " on " << a << ", " << columns << " by " << 1 + tiles % columns << " on " << b
                << ", moved by " << moving << ", " << bound;
          }
        }
      }
    }
  }
}

TEST(TileGroups, NeedWhatTheirBranchesNeed) {
  for (const Coefficients& by : {Coefficients{1, 1}, {2, 1}, {1, 3}, {2, 3}, {-1, 2}}) {
    compare(by, 7, 3);
    compare(by, 6, 4);
    if (HasFatalFailure()) return;
  }
}

// With any tiles that are no larger, and any moving loop, no group has a smaller part of them.
TEST(TileGroups, ShareNoMoreThanSomeTilesDo) {
  constexpr std::int64_t kRows = 9;
  constexpr std::int64_t kColumns = 5;
  int shared = 0;
  for (const Coefficients& by : {Coefficients{1, 1}, {2, 1}, {1, 3}, {2, 3}, {4, 3}}) {
    const Window window = pair_of(by);
    for (std::int64_t i = 0; i < 12; ++i) {
      const std::array<Dim, 2> largest{{{kRows, 1 + i / 4, 2 + i % 3}, {kColumns, 1 + i % 4, 3}}};
      const std::optional<Rational> share = least_share_of(window, largest);
      ASSERT_TRUE(share);
      shared += share->numerator < share->denominator ? 1 : 0;
      for (std::int64_t tiles = 0; tiles < largest[0].tile * largest[1].tile; ++tiles) {
        TileGroups groups{largest, static_cast<int>(tiles % 3) - 1, 1 + tiles % 2};
        groups.dims[0].tile = 1 + tiles / largest[1].tile;
        groups.dims[1].tile = 1 + tiles % largest[1].tile;
        const Words words = counted(by, groups);
        EXPECT_GE(words.together * share->denominator, words.apart * share->numerator);
      }
    }
  }
  EXPECT_GT(shared, 20);
}

}  // namespace
}  // namespace tilewright::optimal
