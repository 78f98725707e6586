// How often elements of a window's tiles are used, against the elements of each of them.
#include "mappers/optimal/window_reuse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace tilewright::optimal {
namespace {

struct Case {
  std::array<std::int64_t, 2> coefficients{}, most{};
};

const std::vector<Case> kCases = {
    {{1, 1}, {7, 3}}, {{2, 3}, {8, 5}}, {{4, 3}, {6, 9}}, {{2, 1}, {9, 3}}, {{1, 5}, {6, 4}}};

Window window_of(const Case& one) {
  const Rank rank = {{DimId{0}, one.coefficients[0]}, {DimId{1}, one.coefficients[1]}};
  return Window(Window::Kind::Pair, {DimId{0}, DimId{1}}, {rank}, false);
}

using Tile = std::array<std::int64_t, 2>;

std::set<std::int64_t> elements(const Case& one, const Tile& first, const Tile& extents) {
  std::set<std::int64_t> all;
  for (std::int64_t i = first[0]; i < first[0] + extents[0]; ++i) {
    for (std::int64_t j = first[1]; j < first[1] + extents[1]; ++j) {
      all.insert(one.coefficients[0] * i + one.coefficients[1] * j);
    }
  }
  return all;
}

// The most that a tile uses each element which it brings, after one with the same extents but for
// the moving dimension, so many tiles further back; or alone.
double most_used(const Case& one, const Tile& tile, int moving) {
  double most = 0;
  for (std::int64_t cut = 1; cut <= (moving < 0 ? 1 : tile[at(moving)]); ++cut) {
    Tile now = tile;
    if (moving >= 0) now[at(moving)] = cut;
    for (std::int64_t apart = 1; apart <= (moving < 0 ? 1 : 12); ++apart) {
      Tile first{};
      if (moving >= 0) first[at(moving)] = apart * tile[at(moving)];
      std::set<std::int64_t> brought = elements(one, first, now);
      Tile before = now;
      if (moving >= 0) {
        before[at(moving)] = tile[at(moving)];
        for (const std::int64_t held : elements(one, {0, 0}, before)) brought.erase(held);
      }
      most = std::max(most,
                      static_cast<double>(now[0] * now[1]) / static_cast<double>(brought.size()));
    }
  }
  return most;
}

// It is the most of a tile and all smaller ones, up to the parts that it is counted in.
TEST(WindowReuse, IsTheMostOfAllTilesThatAreNoLarger) {
  for (const Case& one : kCases) {
    const Window window = window_of(one);
    PerDim most{};
    most[0] = one.most[0];
    most[1] = one.most[1];
    const WindowReuse reuse(window, most);
    for (int moving = -1; moving < 2; ++moving) {
      PerDim extents{};
      for (extents[0] = 1; extents[0] <= most[0]; ++extents[0]) {
        for (extents[1] = 1; extents[1] <= most[1]; ++extents[1]) {
          double used = 0;
          for (std::int64_t i = 1; i <= extents[0]; ++i) {
            for (std::int64_t j = 1; j <= extents[1]; ++j) {
              used = std::max(used, most_used(one, {i, j}, moving));
            }
          }
          const double known = static_cast<double>(reuse.of(extents, moving)) / kReuseParts;
          EXPECT_GE(known, used * (1 - 1e-12))
              << one.coefficients[0] << " " << extents[0] << " x " << extents[1] << ", " << moving;
          EXPECT_LE(known, used + 1.0 / kReuseParts);
        }
      }
    }
  }
}

// Where there are too many tiles, what holds for any coefficients.
TEST(WindowReuse, OfLargeTilesIsNoLessThanOfTheSameTilesAmongFew) {
  const Case one{{2, 3}, {8, 5}};
  const Window window = window_of(one);
  PerDim few{};
  PerDim many{};
  few[0] = one.most[0];
  few[1] = one.most[1];
  many[0] = many[1] = 100'000;
  const WindowReuse exact(window, few);
  const WindowReuse rough(window, many);
  for (const int moving : {-1, 0, 1}) EXPECT_GE(rough.of(few, moving), exact.of(few, moving));
}

}  // namespace
}  // namespace tilewright::optimal
