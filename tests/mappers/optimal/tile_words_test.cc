// Words of tiles from tables, against those of one tile after the other.
#include "mappers/optimal/tile_words.h"

#include <gtest/gtest.h>

#include "mappers/optimal/small_spaces.h"

namespace tilewright::optimal {
namespace {

Int128 words_of(const TensorShape& tensor, const PerDim& extents) {
  Int128 words = 1;
  for (const int d : members(tensor.alone)) words *= extents[at(d)];
  for (const Window& window : tensor.windows) words *= window.size(window_extents(window, extents));
  return words;
}

TEST(TileWords, AreThoseOfEachTile) {
  int windows = 0;
  for_each_space({SpaceKind::Ruby, 100}, [&](const SolverTables& solver) {
    if (solver.dim_count == 0) return;
    ExtentLists extents(at(solver.dim_count));
    for (int d = 0; d < solver.dim_count; ++d) {
      for (std::int64_t extent = 1; extent <= solver.size(d); extent += 1 + d % 2) {
        extents[at(d)].push_back(extent);
      }
    }
    std::vector<std::size_t> lengths;
    for (std::size_t d = 0; d + 1 < extents.size(); ++d) lengths.push_back(extents[d].size());
    const VectorSums rows = sums_of_steps(lengths, std::vector<std::size_t>(lengths.size(), 0));
    for (const TensorShape& tensor : solver.tensors) {
      TileWords words(tensor, extents);
      windows += tensor.windows.empty() ? 0 : 1;
      std::size_t number = 1;
      for (const std::size_t length : lengths) number *= length;
      for (std::size_t row = 0; row < number; ++row) {
        PerDim tile{};
        std::size_t rest = row;
        for (std::size_t d = lengths.size(); d-- > 0; rest /= lengths[d]) {
          tile[d] = extents[d][rest % lengths[d]];
        }
        for (std::size_t last = 0; last < extents.back().size(); ++last) {
          tile[lengths.size()] = extents.back()[last];
          ASSERT_EQ(words(rows.parts_of(static_cast<std::uint32_t>(row)), last),
                    static_cast<std::int64_t>(words_of(tensor, tile)));
        }
      }
    }
  });
  EXPECT_GT(windows, 10);
}

// In which 64 bits are not enough.
TEST(TileWords, StayBeyondTheLimitOfCounts) {
  TensorShape tensor;
  tensor.alone = tensor.relevant = 7;
  const std::int64_t large = std::int64_t{1} << 40;
  TileWords words(tensor, {{1, large}, {1, large}, {1, large}});
  EXPECT_EQ(words({0, 0}, 0), 1);
  EXPECT_EQ(words({0, 0}, 1), large);
  EXPECT_EQ(words({0, 3}, 0), kCountLimit + 1);
  EXPECT_EQ(words({0, 3}, 1), kCountLimit + 1);
}

}  // namespace
}  // namespace tilewright::optimal
