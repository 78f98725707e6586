#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tilewright/arch.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using Kind = ShapeFreedom::Kind;

constexpr ShapeFreedom kAny{Kind::Any, {1, 1}};
constexpr ShapeFreedom bands(std::int64_t height) { return {Kind::Bands, {height, height}}; }
constexpr ShapeFreedom blocks(std::int64_t rows, std::int64_t columns) {
  return {Kind::Blocks, {rows, columns}};
}

TEST(ArrayShapes, AreAsManyAsTheStudyCounts) {
  EXPECT_EQ(shapes_of(bands(16), 1024).size(), 4U);
  EXPECT_EQ(shapes_of(blocks(16, 16), 1024).size(), 4U);
  EXPECT_EQ(shapes_of(bands(4), 1024).size(), 64U);
  EXPECT_EQ(shapes_of(blocks(4, 4), 1024).size(), 64U);
  EXPECT_EQ(shapes_of(kAny, 1024).size(), 1024U);
  EXPECT_EQ(shapes_of({Kind::Fixed, {32, 32}}, 1024).size(), 1U);
}

TEST(ArrayShapes, OfBandsHaveAllColumnsThatThePesAllow) {
  EXPECT_THAT(shapes_of(bands(16), 1024), ElementsAre(ArrayShape{16, 64}, ArrayShape{32, 32},
                                                      ArrayShape{48, 21}, ArrayShape{64, 16}));
}

TEST(ArrayShapes, OfBlocksAreWholeInBothDirections) {
  EXPECT_THAT(shapes_of(blocks(16, 16), 1024), ElementsAre(ArrayShape{16, 64}, ArrayShape{32, 32},
                                                           ArrayShape{48, 16}, ArrayShape{64, 16}));
  EXPECT_THAT(shapes_of(blocks(2, 3), 20),
              ElementsAre(ArrayShape{2, 9}, ArrayShape{4, 3}, ArrayShape{6, 3}));
}

TEST(ArrayShapes, OfAFixedArrayNeedNotUseAllPes) {
  EXPECT_THAT(shapes_of({Kind::Fixed, {3, 5}}, 16), ElementsAre(ArrayShape{3, 5}));
}

TEST(ArrayShapes, OfSinglePesHaveEveryNumberOfRows) {
  EXPECT_THAT(shapes_of(kAny, 5), ElementsAre(ArrayShape{1, 5}, ArrayShape{2, 2}, ArrayShape{3, 1},
                                              ArrayShape{4, 1}, ArrayShape{5, 1}));
  EXPECT_THAT(largest_shapes(kAny, 5),
              ElementsAre(ArrayShape{1, 5}, ArrayShape{2, 2}, ArrayShape{5, 1}));
}

// Every rectangle that can be put together, by trying them all.
std::set<ArrayShape> rectangles(const ShapeFreedom& freedom, std::int64_t pes) {
  const auto [height, width] = freedom.unit;
  std::set<ArrayShape> found;
  for (std::int64_t rows = 1; rows <= pes; ++rows) {
    for (std::int64_t columns = 1; rows * columns <= pes; ++columns) {
      const bool blocks_fit = rows % height == 0 && columns % width == 0;
      const bool bands_fit = rows % height == 0 && rows * height <= pes;
      const bool fits = freedom.kind == Kind::Blocks  ? blocks_fit
                        : freedom.kind == Kind::Bands ? bands_fit
                                                      : true;
      if (fits) found.insert({rows, columns});
    }
  }
  return found;
}

std::vector<ArrayShape> without_contained(const std::set<ArrayShape>& shapes) {
  std::vector<ArrayShape> largest;
  std::copy_if(shapes.begin(), shapes.end(), std::back_inserter(largest), [&](const auto& shape) {
    return std::none_of(shapes.begin(), shapes.end(), [&](const ArrayShape& other) {
      return other != shape && other.rows >= shape.rows && other.columns >= shape.columns;
    });
  });
  return largest;
}

TEST(ArrayShapes, AreAllThatCanBePutTogether) {
  std::vector<ShapeFreedom> freedoms = {kAny};
  for (std::int64_t rows = 1; rows <= 4; ++rows) {
    freedoms.push_back(bands(rows));
    for (std::int64_t columns = 1; columns <= 5; ++columns) {
      freedoms.push_back(blocks(rows, columns));
    }
  }
  for (const ShapeFreedom& freedom : freedoms) {
    for (std::int64_t pes = freedom.unit.rows * freedom.unit.columns; pes <= 40; ++pes) {
      Flexibility flexibility;
      flexibility.shape = freedom;
      SCOPED_TRACE(to_string(flexibility) + " of " + std::to_string(pes));
      const std::set<ArrayShape> all = rectangles(freedom, pes);
      const std::vector<ArrayShape> shapes = shapes_of(freedom, pes);
      for (const ArrayShape& shape : shapes) EXPECT_TRUE(all.contains(shape)) << to_string(shape);
      EXPECT_TRUE(std::is_sorted(shapes.begin(), shapes.end()));
      EXPECT_EQ(largest_shapes(freedom, pes), without_contained(all));
    }
  }
}

}  // namespace
}  // namespace tilewright
