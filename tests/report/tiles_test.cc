// Tiles as pictures of a mapping show them.
#include "report/tiles.h"

#include <gtest/gtest.h>

#include "report/example.h"
#include "support/problems.h"

namespace tilewright::report {
namespace {

using report::testing::example;

constexpr MemoryId kDram{0}, kBuffer{1};

TEST(TileExtents, AreWhatTheLoopsOfTheMemoryAndInsideGoThrough) {
  const Result result = example().result();
  EXPECT_EQ(tile_extents(result, kDram), (std::vector<std::int64_t>{21, 4, 6}));
  // M runs 2 * 17 times, of which 21 are there; what is inside the buffer has 17 of them.
  EXPECT_EQ(tile_extents(result, kBuffer), (std::vector<std::int64_t>{17, 4, 6}));
}

TEST(RoomShare, IsNothingWhereThereIsNoLimit) {
  const Result result = example().result();
  EXPECT_EQ(room_share(result, kDram, TensorId{0}), std::nullopt);
}

TEST(RoomShare, IsTheTileByTheCapacity) {
  const Result result = example().result();
  const Holding& held = result.evaluation.memories[1].tensors[0];
  EXPECT_EQ(room_share(result, kBuffer, TensorId{0}), static_cast<double>(held.tile_words) / 4096);
}

TEST(RoomShare, IsOfHalfTheCapacityWhereThatIsDoubleBuffered) {
  const auto doubled = [](Architecture& arch) {
    std::get<Memory>(arch.levels[1]).double_buffered = true;
  };
  EXPECT_EQ(room_share(example(doubled).result(), kBuffer, TensorId{0}),
            2 * *room_share(example().result(), kBuffer, TensorId{0}));
}

TEST(RefillingLoop, IsTheInnermostOutsideThatMovesTheTensor) {
  const Result result = example().result();
  for (int t = 0; t < result.problem.tensor_count(); ++t) {
    const bool moves = is_relevant(result.problem.workload().tensor(TensorId{t}), DimId{0});
    const auto loop = refilling_loop(result, kBuffer, TensorId{t});
    ASSERT_EQ(loop.has_value(), moves);
    if (loop) EXPECT_EQ(loop->dim, DimId{0});
    EXPECT_FALSE(refilling_loop(result, kDram, TensorId{t}));
  }
}

}  // namespace
}  // namespace tilewright::report
