// Shares of branches that start at different places, against counting them step by step.
#include "mappers/optimal/window_starts.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace tilewright::optimal {
namespace {

Window pair_of(std::int64_t first, std::int64_t second) {
  Rank rank;
  rank = {{DimId{0}, first}, {DimId{1}, second}};
  return Window(Window::Kind::Pair, {DimId{0}, DimId{1}}, {rank}, false);
}

// The branches that have an index in a step: digits are, from the inside out, the index in a tile,
// the branch, and the place of all branches together.
std::vector<std::int64_t> starts_in_step(const UnrolledDim& dim, std::int64_t tile,
                                         std::int64_t step) {
  std::vector<std::int64_t> starts;
  const std::int64_t first = step / tile * tile * dim.branches + step % tile;
  for (std::int64_t branch = 0; branch < dim.branches; ++branch) {
    if (first + branch * tile < dim.size) starts.push_back(branch * tile);
  }
  return starts;
}

struct Counted {
  std::int64_t different = 0, all = 0;
};

Counted count(const std::array<UnrolledDim, 2>& dims, const std::array<std::int64_t, 2>& tiles,
              std::int64_t first, std::int64_t second) {
  Counted counted;
  for (std::int64_t i = 0; i < dims[0].size; ++i) {
    for (std::int64_t j = 0; j < dims[1].size; ++j) {
      std::set<std::int64_t> places;
      for (const std::int64_t a : starts_in_step(dims[0], tiles[0], i)) {
        for (const std::int64_t b : starts_in_step(dims[1], tiles[1], j)) {
          places.insert(first * a + second * b);
          ++counted.all;
        }
      }
      counted.different += static_cast<std::int64_t>(places.size());
    }
  }
  return counted;
}

bool is_tile(const UnrolledDim& dim, std::int64_t tile) {
  return !dim.divides || dim.size % (tile * dim.branches) == 0;
}

// Every tile that two dimensions can have.
void compare(const std::array<UnrolledDim, 2>& dims, std::int64_t first, std::int64_t second) {
  const Window window = pair_of(first, second);
  const UnrolledDims unrolled = {dims[0], dims[1]};
  const Rational bound = least_share_of_starts(window, unrolled);
  double least = 1;
  for (std::int64_t a = 1; a <= dims[0].size; ++a) {
    for (std::int64_t b = 1; b <= dims[1].size; ++b) {
      if (!is_tile(dims[0], a) || !is_tile(dims[1], b)) continue;
      const Counted counted = count(dims, {a, b}, first, second);
      ASSERT_EQ(counted.all, dims[0].size * dims[1].size);
      const Rational share = share_of_starts(window, unrolled, {a, b});
      EXPECT_EQ(share.numerator * counted.all, counted.different * share.denominator)
          << a << " and " << b << " of " << dims[0].size << " and " << dims[1].size;
      least = std::min(least, share.value());
    }
  }
  EXPECT_LE(bound.value(), least + 1e-12);
  // Some of the tiles that divide are too large for as many branches.
  if (!dims[0].divides) EXPECT_GE(bound.value(), least - 1e-12);
}

TEST(WindowStarts, AreThoseOfEveryStepWithRemainders) {
  for (const auto& [first, second] : {std::pair{1, 1}, {2, 1}, {1, 3}, {2, 3}, {4, 3}}) {
    for (std::int64_t size = 1; size <= 9; size += 2) {
      for (std::int64_t a = 1; a <= 6; ++a) {
        for (std::int64_t b = 1; b <= 8; b += 1 + b / 4) {
          compare({{{a, size, size, false}, {b, 10 - size, 10 - size, false}}}, first, second);
          if (HasFailure()) return;
        }
      }
    }
  }
}

TEST(WindowStarts, AreThoseOfTilesThatDivide) {
  for (const auto& [first, second] : {std::pair{1, 1}, {2, 1}, {1, 3}, {2, 3}, {4, 3}}) {
    for (const std::int64_t a : {1, 2, 3, 4, 6, 12}) {
      for (const std::int64_t b : {1, 2, 4, 8}) {
        compare({{{a, 12, 12 / a, true}, {b, 8, 8 / b, true}}}, first, second);
        if (HasFailure()) return;
      }
    }
  }
}

// Where there are more branches than steps that are tried, the bound is lower, but holds.
TEST(WindowStarts, AreBoundedForManyBranches) {
  for (const auto& [first, second] : {std::pair{1, 1}, {2, 1}, {7, 5}}) {
    const Window window = pair_of(first, second);
    const UnrolledDims dims = {UnrolledDim{40, 100, 100, false}, UnrolledDim{30, 64, 64, false}};
    const Rational bound = least_share_of_starts(window, dims);
    EXPECT_GT(bound.numerator, 0);
    for (std::int64_t a = 1; a <= 100; ++a) {
      for (std::int64_t b = 1; b <= 64; ++b) {
        EXPECT_LE(bound.value(), share_of_starts(window, dims, {a, b}).value() + 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace tilewright::optimal
