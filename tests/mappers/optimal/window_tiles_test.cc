// Words of all tiles of a window, against the elements of each of them.
#include "mappers/optimal/window_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace tilewright::optimal {
namespace {

struct Case {
  std::array<std::int64_t, 2> coefficients{}, sizes{};
};

const std::vector<Case> kCases = {
    {{1, 1}, {7, 3}}, {{2, 3}, {8, 5}}, {{3, 2}, {5, 6}}, {{2, 1}, {9, 3}}, {{4, 3}, {6, 4}}};

Window window_of(const Case& one) {
  const Rank rank = {{DimId{0}, one.coefficients[0]}, {DimId{1}, one.coefficients[1]}};
  return Window(Window::Kind::Pair, {DimId{0}, DimId{1}}, {rank}, false);
}

// Elements of the tile that begins at these indices.
std::set<std::int64_t> elements(const Case& one, const std::array<std::int64_t, 2>& first,
                                const std::array<std::int64_t, 2>& extents) {
  std::set<std::int64_t> all;
  for (std::int64_t i = first[0]; i < first[0] + extents[0]; ++i) {
    for (std::int64_t j = first[1]; j < first[1] + extents[1]; ++j) {
      all.insert(one.coefficients[0] * i + one.coefficients[1] * j);
    }
  }
  return all;
}

// Of all tiles, with the first `starts` whole ones along the moving dimension as starts and the
// others as further steps; the last one along it is left out.
std::int64_t count(const Case& one, const std::array<std::int64_t, 2>& tile,
                   const WindowTiles::Moving& moving, std::int64_t passes) {
  std::int64_t words = 0;
  for (std::int64_t a = 0; a < one.sizes[0]; a += tile[0]) {
    for (std::int64_t b = 0; b < one.sizes[1]; b += tile[1]) {
      const std::array<std::int64_t, 2> first{a, b};
      const std::array<std::int64_t, 2> extents{std::min(tile[0], one.sizes[0] - a),
                                                std::min(tile[1], one.sizes[1] - b)};
      const std::set<std::int64_t> now = elements(one, first, extents);
      if (moving.position < 0) {
        words += static_cast<std::int64_t>(now.size());
        continue;
      }
      const auto m = static_cast<std::size_t>(moving.position);
      if (first[m] + tile[m] >= one.sizes[m]) continue;
      std::array<std::int64_t, 2> before = first;
      before[m] -= moving.apart * tile[m];
      const std::set<std::int64_t> held = elements(one, before, extents);
      const bool starts = first[m] / tile[m] < (passes - 1) * moving.apart;
      words += std::count_if(now.begin(), now.end(), [&](std::int64_t element) {
        return starts || !held.contains(element);
      });
    }
  }
  return words;
}

TEST(WindowTiles, HaveTheLeastWordsOfEachRange) {
  for (const Case& one : kCases) {
    const Window window = window_of(one);
    ASSERT_TRUE(WindowTiles::are_few(window, one.sizes));
    for (const WindowTiles::Moving moving :
         {WindowTiles::Moving{}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {1, 3}}) {
      WindowTiles tiles(window, one.sizes, moving);
      for (const std::int64_t passes : {1, 2, 4}) {
        for (std::int64_t row = 1; row <= one.sizes[0]; ++row) {
          for (std::int64_t column = 1; column <= one.sizes[1]; ++column) {
            const Extents tile{row, column};
            ASSERT_EQ(tiles.least(tile, tile, passes), count(one, {row, column}, moving, passes))
                << "tiles of " << row << " by " << column;
          }
        }
        const Extents first{2, 1};
        const Extents last{one.sizes[0] - 1, 3};
        std::int64_t least = count(one, {2, 1}, moving, passes);
        for (std::int64_t row = 2; row <= last[0]; ++row) {
          for (std::int64_t column = 1; column <= last[1]; ++column) {
            least = std::min(least, count(one, {row, column}, moving, passes));
          }
        }
        EXPECT_EQ(tiles.least(first, last, passes), least);
      }
    }
  }
}

TEST(WindowTiles, AreNotLookedAtIfTheyAreMany) {
  const Window window = window_of(kCases.front());
  EXPECT_TRUE(WindowTiles::are_few(window, {128, 128}));
  EXPECT_FALSE(WindowTiles::are_few(window, {129, 128}));
}

}  // namespace
}  // namespace tilewright::optimal
